"""The seam between kinds of work and the rest: a kind is one folder, and nobody else asks which kind it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from regauge.campaigns.eligibility import AFTER, ONLY_AFTER, PANEL
from regauge.campaigns.locks import LOCKED
from regauge.campaigns.priorities import PRIORITY
from regauge.campaigns.visibility import VOTES_OF
from regauge.errors import InputError
from regauge.kinds.contract import KindOutput
from regauge.kinds.registry import KINDS, list_giving
from regauge.records.campaigns.campaign import Kind

SOURCE = Path(__file__).resolve().parents[1] / "src" / "regauge"
PARTS = ("__init__", "answers", "fields", "figures", "making", "results", "task", "texts")
"""What the folder of a kind has at least, as modules."""
EXEMPT = (
    "kinds/",
    "formats/",
    "world/",
    "workflows/reproduce/",
    "workflows/demo",
    "workflows/labels/aggregate_",
    "cli/labels/aggregate",
    "evaluation/context/",
    "cli/evaluation/context/",
    "workflows/evaluation/kept_answers",
    "workflows/evaluation/context",
)
"""Where CONTAINS and CLASSIFY are spoken of because users do: files, the demo, the papers, `aggregate`, benchmark and task."""
STILL = {
    "labels/objects/aggregation.py": "what a label set is called that `aggregate classify` makes",
    "records/testsets/pool.py": "images of a drawn set are taken out by a review",
    "testsets/draws.py": "likewise",
    "testsets/same_images.py": "likewise",
    "workflows/testsets/draw_reviews.py": "likewise",
    "storage/labels/label_set.py": "label sets of earlier versions do not say that they are of follow-up images only",
}
"""Other modules that name a kind, with the reason."""
OTHER_WORDS = {"label", "code", "panel"}
"""Names of kinds that are also words for something else: what a dataset says of an image, text, and people who take tasks."""
SHARED = {"contract", "registry"}
"""What others may import of `kinds/`."""


def find_modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package that must know of no kind."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(EXEMPT) and "/migrations/" not in name:
            yield name, path


def find_docstrings(tree: ast.AST) -> set[ast.AST]:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, holders) and isinstance(node.body[0], ast.Expr)
    }


def find_named(tree: ast.AST) -> list[str]:
    """The kinds that code names: in a text that is nothing but the name, or in capitals.

    What is also another word is one where it is made a kind, or compared with one.
    """
    docstrings, found = find_docstrings(tree), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in docstrings and node.value in KINDS:
            found += [str(node.value)] if node.value not in OTHER_WORDS else []
        if isinstance(node, ast.Call | ast.Compare) and re.search(r"\b[Kk]ind\b", ast.unparse(node).split("'")[0]):
            inside = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
            found += [one for one in inside if one in OTHER_WORDS]
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name.lower() in KINDS.keys() - OTHER_WORDS and name.isupper():
            found.append(name)
    return found


def test_no_module_outside_a_kind_asks_which_kind_it_is():
    named = {name for name, path in find_modules() if find_named(ast.parse(path.read_text(encoding="utf-8")))}
    assert named == set(STILL)


def test_the_test_above_finds_what_it_looks_for():
    assert find_named(ast.parse('if kind == "contains": pass')) == ["contains"]
    assert find_named(ast.parse("if kind is registry.CLASSIFY: pass")) == ["CLASSIFY"]
    assert find_named(ast.parse('if campaign.kind == "label": pass')) == ["label"]
    assert find_named(ast.parse('row = Kind("label")')) == ["label"]
    assert find_named(ast.parse('columns = ["image_id", "label"]')) == []
    assert find_named(ast.parse('"""contains"""\nraise Error("it contains nothing")')) == []


@pytest.mark.parametrize("folder", ["server/templates", "server/static"])
def test_no_template_or_script_outside_a_kind_names_one(folder):
    words = re.compile("|".join(rf"[\"'`]{kind}[\"'`]" for kind in KINDS if kind not in OTHER_WORDS))
    files = [path for path in sorted((SOURCE / folder).rglob("*")) if path.is_file()]
    assert not [path.name for path in files if words.search(path.read_text(encoding="utf-8"))]
    assert not [path.name for path in files if path.stem in KINDS]


def find_imports(path: Path) -> Iterator[str]:
    yield from list_imports(ast.parse(path.read_text(encoding="utf-8")))


def list_imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_imports_of_both_forms_are_found():
    tree = ast.parse("import regauge.kinds.contains as one\nfrom regauge.kinds import classify")
    assert {"regauge.kinds.contains", "regauge.kinds.classify"} <= set(list_imports(tree))


def list_imported_parts(path: Path) -> set[str]:
    """The folders and modules right below `kinds/` that a module imports from."""
    names = {name.split(".")[2] for name in find_imports(path) if name.startswith("regauge.kinds.")}
    return {name for name in names if (SOURCE / "kinds" / name).exists() or (SOURCE / "kinds" / f"{name}.py").exists()}


def test_others_import_only_the_registry_and_what_it_holds():
    wrong = {name: list_imported_parts(path) - SHARED for name, path in find_modules()}
    assert {name: parts for name, parts in wrong.items() if parts} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_imports_no_other_kind_and_not_the_registry(kind):
    for path in (SOURCE / "kinds" / kind).glob("*.py"):
        assert list_imported_parts(path) <= {kind, "contract", "usual"}, path.name


@pytest.mark.parametrize("kind", KINDS)
def test_the_folder_of_a_kind_holds_everything_peculiar_to_it(kind):
    folder = SOURCE / "kinds" / kind
    assert {path.stem for path in folder.glob("*.py")} >= set(PARTS)
    assert {path.name for path in (folder / "page").iterdir()} >= {f"{kind}.html", f"{kind}.js", f"{kind}.css"}
    assert not list((folder / "page").glob("*.py"))


def test_a_kind_is_registered_under_its_own_name_and_gives_something():
    assert all(kind.name == kind.fields.kind == name and kind.gives for name, kind in KINDS.items())


def list_blocks() -> list[str]:
    """The code in what the docs tell about adding a kind."""
    page = (SOURCE.parents[1] / "docs" / "contributing.md").read_text(encoding="utf-8")
    section = page.split("## How to add a kind of task")[1].split("\n## ")[0]
    return re.findall(r"^```\w+\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def test_the_docs_show_the_extra_kind_as_it_is():
    files = [path for path in (SOURCE.parents[1] / "tests" / "verify").rglob("*") if path.suffix in {".py", ".js"}]
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert len(list_blocks()) > 5
    assert [block for block in list_blocks() if not any(block in text for text in texts)] == []


def test_the_docs_name_every_part_of_a_kind_and_every_word_of_a_task():
    page = (SOURCE.parents[1] / "docs" / "contributing.md").read_text(encoding="utf-8")
    for name in (*PARTS[1:], "rounds"):
        assert f"| `{name}.py` |" in page
    for word in (PRIORITY, AFTER, ONLY_AFTER, PANEL, VOTES_OF, LOCKED):
        assert f"| `{word}` |" in page


def test_the_extra_kind_has_the_parts_of_a_kind_of_the_package():
    folder = SOURCE.parents[1] / "tests" / "verify"
    assert {path.stem for path in folder.glob("*.py")} >= set(PARTS)
    assert {path.name for path in (folder / "page").iterdir()} == {"verify.html", "verify.js", "verify.css"}


def test_kinds_are_listed_by_what_they_give():
    names = {gift: [str(kind.name) for kind in list_giving(KINDS, gift)] for gift in KindOutput}
    assert names[KindOutput.SELECTION_COUNTS] == ["contains"]
    assert names[KindOutput.OBJECTS] == ["classify"]
    assert names[KindOutput.VERDICTS] == ["contains", "classify", "review", "panel", "code"]
    assert names[KindOutput.PREDICTIONS] == ["label"]
    assert names[KindOutput.CODED_MISTAKES] == ["code"]


@pytest.mark.parametrize("name", ["", "Contains", "two words", "x" * 33, "a/b", "kind1"])
def test_a_kind_is_a_checked_name(name):
    with pytest.raises(InputError, match="small letters"):
        Kind(name)
