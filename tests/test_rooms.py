"""Rooms: no folder is crowded, tests lie as the package does, and pages name modules that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.test_architecture import MODULES, SOURCE, parse

ROOT = SOURCE.parents[1]
MAX_MODULES = 16
"""In one folder, `__init__` aside: about as many names as can be taken in at a glance."""
LARGE = {"stats", "evaluation", "world", "storage/database/migrations/versions"}
"""Folders that are lists of methods, metrics, things and changes: each module stands for itself, and its name finds it."""
ELSEWHERE = {
    "browser",
    "deploy",
    "look",
    "parts",
    "published",
    "scripts",
    "sentences",
    "storage/revisions",
    "storage/revisions/0007",
    "studies",
    "verify",
}
"""Folders of tests that are of no one folder of the package."""
PAGES = ("docs/data-flow.md", "docs/contributing.md", "docs/decisions/0009-rooms.md")
EXAMPLES = {"evaluation/metrics/top10.py", "workflows/exports/ids.py"}
"""Files that a reader is shown how to add, and that are not there."""
NAMED = re.compile(r"`([a-z_]+(?:\.\w+)+)`|`((?:[a-z_]+/)+)`|`((?:src/regauge/)?(?:[a-z_]+/)+[a-z_]+\.py)`")


def list_folders(top: Path) -> list[str]:
    """Every folder that holds modules, as a path below the top."""
    return sorted({path.parent.relative_to(top).as_posix() for path in top.rglob("*.py")} - {"."})


@pytest.mark.parametrize("folder", list_folders(SOURCE))
def test_no_folder_is_crowded(folder):
    modules = [path.name for path in (SOURCE / folder).glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MAX_MODULES or folder in LARGE, f"{len(modules)} modules: divide them into rooms"


def test_every_room_says_what_it_holds():
    rooms = [SOURCE / folder for folder in list_folders(SOURCE) if "migrations" not in folder]
    assert [room.name for room in rooms if not ast.get_docstring(parse(room / "__init__.py"))] == []


@pytest.mark.parametrize("folder", list_folders(ROOT / "tests"))
def test_tests_lie_as_the_package_does(folder):
    assert (SOURCE / folder).is_dir() or folder in ELSEWHERE


def has(name: str) -> bool:
    """Whether a dotted name below the package is a module, a folder, or something that a module holds."""
    place = SOURCE / name.replace(".", "/")
    if place.is_dir() or place.with_suffix(".py").is_file():
        return True
    module, _, held = name.rpartition(".")
    home = SOURCE / module.replace(".", "/")
    file = home.with_suffix(".py") if home.with_suffix(".py").is_file() else home / "__init__.py"
    return module != "" and file.is_file() and held in list_held(parse(file))


def list_held(tree: ast.Module) -> set[str]:
    """The names at the top of a module: what is defined there, and what its folder hands on."""
    held = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    targets = (target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets)
    typed = (node.target for node in tree.body if isinstance(node, ast.AnnAssign))
    held |= {target.id for target in (*targets, *typed) if isinstance(target, ast.Name)}
    return held | {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_modules_that_are_there(page):
    layers = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in MODULES}
    missing = []
    for dotted, folder, file in NAMED.findall((ROOT / page).read_text(encoding="utf-8")):
        if dotted and dotted.split(".")[0] in layers and not dotted.endswith((".py", ".md")):
            missing += [] if has(dotted) else [dotted]
        elif (folder or file).split("/")[0] in layers:
            missing += [] if (SOURCE / (folder or file)).exists() or file in EXAMPLES else [folder or file]
    assert missing == []


ROW = re.compile(r"^\| `(\w+)/(?:<kind>/)?` \|.*\|([^|]*)\|$", re.MULTILINE)


def test_the_table_of_folders_names_every_room():
    rows = ROW.findall((ROOT / "docs" / "data-flow.md").read_text(encoding="utf-8"))
    named = {folder: set(re.findall(r"`(\w+)`", cell)) for folder, cell in rows}
    below = {folder: {Path(one).name for one in list_folders(SOURCE / folder)} for folder in named}
    rooms = {folder: {one for one in list_folders(SOURCE / folder) if "/" not in one} for folder in named}
    assert {folder: rooms[folder] - named[folder] for folder in named if rooms[folder] - named[folder]} == {}
    assert {folder: named[folder] - below[folder] for folder in named if named[folder] - below[folder]} == {}
    assert len(named) > 15


MAP = re.compile(r"^    src/regauge/\n(.*?)^    tests/", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"\b(\w+)/(?:\{([\w,]+)\}/)?")


def test_the_map_of_folders_is_whole():
    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    (drawn,) = MAP.findall(page)
    shown = {folder: set(rooms.split(",")) - {""} for folder, rooms in SHOWN.findall(drawn)}
    top = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    rooms = {one: {path.name for path in (SOURCE / one).iterdir() if (path / "__init__.py").is_file()} for one in top}
    assert {one: rooms[one] ^ shown.get(one, set()) for one in top if rooms[one] != shown.get(one)} == {}
    assert set(shown) - top == {"static", "templates"}
    assert {path.stem for path in SOURCE.glob("[a-z]*.py")} - set(re.findall(r"\w+", drawn)) == set()


def test_every_part_of_pages_has_a_row_and_a_test():
    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    parts = {path.stem for path in (SOURCE / "server" / "static" / "parts").glob("*.js")}
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    assert parts - set(re.findall(r"`(\w+)\.js`", rows)) == set()
    assert (
        parts - {path.name.removesuffix(".test.js") for path in (ROOT / "tests" / "parts").glob("*.test.js")} == set()
    )


def test_the_test_above_finds_what_it_looks_for():
    assert has("evaluation.metrics.find_measures")
    assert has("kinds.registry.KINDS")
    assert not has("evaluation.metrics.find_nothing")
    assert not has("nowhere.at_all")
