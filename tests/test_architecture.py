"""The shape of the program: who may import whom, how large things may grow, and what start-up may load."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "regauge"
MODULES = sorted(SOURCE.rglob("*.py"))

STAGES = (
    "taxonomy",
    "testsets",
    "predictions",
    "candidates",
    "campaigns",
    "recruitment",
    "guide",
    "responses",
    "labels",
    "kinds",
    "evaluation",
    "mistakes",
    "slices",
    "report",
)
ROOTS = ("errors", "interrupts", "frames", "columns", "ranges", "arrays", "estimates", "fields")
"""Modules that everybody may import."""
BASE = (*ROOTS, "records", "stats")
WORLD = (*BASE, "taxonomy")
ADAPTERS = ("formats", "inference", "storage")

HEAVY = {"numba", "scipy", "polars", "sqlalchemy", "altair", "fastapi"}
IMPURE = {
    "datetime",
    "os",
    "pathlib",
    "random",
    "requests",
    "shutil",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
    "time",
}

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 40
MAX_PARAMETERS = 5
MAX_POSITIONAL = 2
CONTEXT = {"self", "cls", "taxonomy", "study", "state", "request", "session", "_session"}
"""What a function looks into, or what a web framework hands it, is `self` in all but name and does not count."""


FIXED = {
    "world": set(WORLD),
    **{name: {*ROOTS, "records"} for name in ADAPTERS},
    "workflows": {*BASE, *STAGES, "world", *ADAPTERS},
    "server": {*ROOTS, "workflows", "records", "kinds"},
    # One command starts the server.
    "cli": {*ROOTS, "workflows", "records", "kinds", "server"},
}


def find_allowed(layer: str) -> set[str]:
    """The layers that a layer may import, besides itself."""
    if layer in BASE:
        return set(BASE[: BASE.index(layer)])
    if layer in STAGES:
        return {*BASE, *STAGES[: STAGES.index(layer)]}
    assert layer in FIXED, f"{layer} has no place in the import rule"
    return FIXED[layer]


def find_layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def find_imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or ""


def find_functions(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def list_offences(find: Callable[[Path], Iterable[object]], modules: Iterable[Path] = MODULES) -> list[str]:
    """What a rule finds in each of the modules, with the module's name before it."""
    return [f"{name_of(path)}: {offence}" for path in modules for offence in find(path)]


IN_A_LAYER = [path for path in MODULES if path.parent != SOURCE or path.stem in ROOTS]


def test_a_module_imports_only_what_comes_before_it():
    def find(path: Path) -> set[str]:
        layer = find_layer(path)
        imported = {name.split(".")[1] for name in find_imports(parse(path)) if name.startswith("regauge.")}
        return imported - find_allowed(layer) - {layer}

    assert list_offences(find, IN_A_LAYER) == []


def test_a_stage_is_pure():
    def find(path: Path) -> set[str]:
        return {name.split(".")[0] for name in find_imports(parse(path))} & IMPURE

    pure = {*BASE[1:], *STAGES, "world"}
    assert list_offences(find, [path for path in IN_A_LAYER if find_layer(path) in pure]) == []


def test_files_stay_small():
    def find(path: Path) -> list[int]:
        n_lines = len(path.read_text(encoding="utf-8").splitlines())
        return [n_lines] if n_lines > MAX_FILE_LINES else []

    assert list_offences(find) == []


def test_functions_stay_small():
    def find(path: Path) -> list[str]:
        return [f.name for f in find_functions(parse(path)) if count_lines(f) > MAX_FUNCTION_LINES]

    modules = [path for path in MODULES if path.name != "_kernels.py" and find_layer(path) != "cli"]
    assert list_offences(find, modules) == []


def count_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, without the docstring."""
    first = function.body[0]
    is_documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_documented else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_functions_take_few_parameters_and_public_ones_name_them_after_the_second():
    def find(path: Path) -> Iterator[str]:
        for function in find_functions(parse(path)):
            positional = [a.arg for a in function.args.posonlyargs + function.args.args if a.arg not in CONTEXT]
            named = [a.arg for a in function.args.kwonlyargs if a.arg not in CONTEXT]
            # An error says what it knows, a table has its columns: one keyword argument for each.
            may_have_many = function.name in {"__init__", "from_lists"}
            max_positional = len(positional) if function.name.startswith("_") else MAX_POSITIONAL
            has_many = len(positional) + len(named) > MAX_PARAMETERS or len(positional) > max_positional
            if has_many and not may_have_many:
                yield function.name

    modules = [path for path in MODULES if path.name != "_kernels.py" and find_layer(path) != "cli"]
    assert list_offences(find, modules) == []


@pytest.mark.parametrize("folder", ["tests", "benchmarks", "scripts"])
def test_files_outside_the_package_stay_small_too(folder):
    files = (SOURCE.parents[1] / folder).rglob("*.py")
    assert not [file.name for file in files if len(file.read_text(encoding="utf-8").splitlines()) > MAX_FILE_LINES]


def test_functions_are_short_on_the_whole():
    lengths = sorted(
        count_lines(f) for path in MODULES if path.name != "_kernels.py" for f in find_functions(parse(path))
    )
    assert statistics.median(lengths) <= 9
    assert lengths[int(0.9 * len(lengths))] <= 22


def test_only_kernels_are_imported_inside_functions():
    def find(path: Path) -> list[str]:
        return [
            f"{name} inside {function.name}"
            for function in find_functions(parse(path))
            for name in find_imports(function)
            if not name.endswith("._kernels")
        ]

    assert list_offences(find) == []


def test_numba_stays_in_kernel_modules():
    def find(path: Path) -> set[str]:
        return {name.split(".")[0] for name in find_imports(parse(path))} & {"numba"}

    assert list_offences(find, [path for path in MODULES if path.name != "_kernels.py"]) == []


def test_every_public_thing_has_a_docstring():
    def find(path: Path) -> Iterator[str]:
        tree = parse(path)
        if not ast.get_docstring(tree):
            yield "the module"
        nested = {inner for function in find_functions(tree) for inner in ast.walk(function) if inner is not function}
        named = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
        for node in named:
            # Of several signatures of a function, the one with the body speaks for all.
            if any(isinstance(one, ast.Name) and one.id == "overload" for one in node.decorator_list):
                continue
            if not node.name.startswith("_") and node not in nested and not ast.get_docstring(node):
                yield node.name

    assert list_offences(find) == []


@pytest.mark.parametrize(
    "statement", ["import regauge", "from regauge.cli.main import cli; cli.main(['--help'], standalone_mode=False)"]
)
def test_start_up_loads_nothing_heavy(statement):
    program = f"{statement}\nimport sys\nprint('LOADED', *sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split("LOADED", 1)[1].split())
    assert not loaded & HEAVY
