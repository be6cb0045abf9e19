"""How modules stand on each other: no cycles, short chains, and stages that touch nothing outside of them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.storage.small_studies import FILES
from tests.test_architecture import BASE, IN_A_LAYER, MODULES, SOURCE, STAGES, find_layer, list_offences, parse

MAX_WORKFLOW_CHAIN = 6
"""Modules in the longest chain of workflows of which each imports the next; lowered whenever it can be, never raised."""
OUTSIDE = {"open", "input", "print", "np.random.default_rng", "numpy.random.default_rng"}
"""Files, the terminal, and a random generator that nobody handed over."""
GLOBAL_RANDOM = {"seed", "rand", "randn", "randint", "random", "choice", "normal", "permutation", "shuffle", "uniform"}

NOT_FOR_STATUS = {
    "alembic",
    "altair",
    "fastapi",
    "numba",
    "polars",
    "regauge.formats.exports.writers",
    "regauge.formats.tables",
    "regauge.kinds.registry",
    "regauge.records.evaluation.shifts",
    "scipy",
    "sqlalchemy.dialects.postgresql",
}
"""What takes long to load, and what loads it, none of which `regauge status` needs in a study on SQLite."""
NOT_FOR_SCORE = {"alembic", "altair", "fastapi", "numba", "sqlalchemy"}


def name_module(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


@cache
def find_imported() -> dict[str, frozenset[str]]:
    """Every module of the package with those that it imports, inside functions too."""
    names = {name_module(path): path for path in MODULES}

    def find(path: Path) -> Iterator[str]:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                parts = (f"{node.module}.{alias.name}" for alias in node.names)
                yield from (one if one in names else node.module for one in parts)

    return {name: frozenset(find(path)) & names.keys() - {name} for name, path in names.items()}


def find_longest_chain(folder: str) -> tuple[str, ...]:
    """The longest chain of modules of a folder of which each imports the next."""
    inside = f"regauge.{folder}."
    chains: dict[str, tuple[str, ...]] = {}
    for name in TopologicalSorter(find_imported()).static_order():
        if name.startswith(inside):
            rest = [chains[one] for one in find_imported()[name] if one.startswith(inside)]
            chains[name] = (name, *max(rest, key=len, default=()))
    return max(chains.values(), key=len)


def test_no_module_imports_itself_by_a_detour():
    # Where there is a cycle, this raises and names its modules.
    in_order = list(TopologicalSorter(find_imported()).static_order())
    assert sorted(in_order) == sorted(name_module(path) for path in MODULES)


def test_workflows_do_not_stand_on_each_other():
    chain = find_longest_chain("workflows")
    assert len(chain) <= MAX_WORKFLOW_CHAIN, " → ".join(chain)


def find_outside(tree: ast.AST) -> Iterator[str]:
    """Calls that read or write something, or draw from a generator that was not handed over."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = ast.unparse(call.func)
        is_handed = called.endswith("default_rng") and (call.args or call.keywords)
        module, _, name = called.rpartition(".")
        is_global = module in {"np.random", "numpy.random"} and name in GLOBAL_RANDOM
        if is_global or (called in OUTSIDE and not is_handed):
            yield called


def test_a_stage_reads_and_writes_nothing_and_draws_only_from_what_it_is_handed():
    pure = {*BASE[1:], *STAGES, "world"}
    modules = [path for path in IN_A_LAYER if find_layer(path) in pure]
    assert list_offences(lambda path: find_outside(parse(path)), modules) == []


def test_the_test_above_finds_what_it_looks_for():
    def find(code: str) -> list[str]:
        return list(find_outside(ast.parse(code)))

    assert find("open(path)\nprint(1)") == ["open", "print"]
    assert find("np.random.default_rng()\nnp.random.rand(3)") == ["np.random.default_rng", "np.random.rand"]
    assert find("np.random.default_rng(seed).random(3)\nImage.open(buffer)") == []


START = """
import gc, sys
from regauge.cli.start import main
try:
    main()
finally:
    print("LOADED", gc.isenabled(), gc.get_freeze_count(), *sys.modules)
"""


def find_loaded(folder: Path, words: str) -> tuple[str, list[str]]:
    """What a command prints, and what it has loaded when it ends."""
    command = [sys.executable, "-c", START, *words.split()]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    printed, loaded = run.stdout.split("LOADED ", 1)
    return printed, loaded.split()


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder with a truth and two participants, and a study that holds and has measured them."""
    write(tmp_path, FILES)
    find_loaded(tmp_path, "init study --taxonomy cifar-10")
    for words in ("testset add ../truth.csv", "predictions add ../good.csv ../bad.csv", "evaluate"):
        find_loaded(tmp_path / "study", words)
    return tmp_path


def test_status_loads_nothing_that_takes_long(filled):
    printed, loaded = find_loaded(filled / "study", "status")
    assert "Evaluations" in printed
    assert not NOT_FOR_STATUS & set(loaded)


def test_score_loads_nothing_of_studies_and_figures(filled):
    printed, loaded = find_loaded(filled, "score good.csv --truth truth.csv --taxonomy cifar-10")
    assert "top1" in printed
    assert not NOT_FOR_SCORE & set(loaded)


def test_garbage_is_looked_for_once_a_command_is_loaded_and_not_in_what_was_loaded(filled):
    _, (is_enabled, n_frozen, *_) = find_loaded(filled / "study", "status")
    assert is_enabled == "True"
    assert int(n_frozen) > 10_000
