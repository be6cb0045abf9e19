"""Workflows are what users do: they build on each other a few steps deep, and hand on nothing that lives elsewhere."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.test_architecture import MODULES, SOURCE, find_layer, parse

WORKFLOWS = "regauge.workflows."
MAX_CHAIN = 3
"""What a user calls, what several of these share, and what that opens."""
ONE_ABOVE = ("demo", "reproduce")
"""What may stand one above: the demo does what users do, its modules counting as one; a paper has parts, and these share data."""
WHOLES = {
    "demo": ("demo",),
    "site": ("site",),
    "reports": ("reports",),
    "reproduce.study": ("reproduce.study",),
    "evaluation.context": ("evaluation.context", "evaluation.kept_answers"),
}
"""Workflows of several modules, which count as one; benchmark and task has what it reads in modules of their own."""
PASSING_ON = {
    "annotation.outlooks",
    "campaigns.campaign",
    "campaigns.estimates",
    "campaigns.fields",
    "campaigns.image_failures",
    "campaigns.image_reports",
    "labels.label_set",
    "labels.relations",
    "mistakes.codings",
    "people.access",
    "people.erasure",
    "people.mturk",
    "people.visitors",
    "slices.reading",
    "slices.scoring",
    "studies.backups",
    "studies.study",
}
"""Workflows that pass on names of stages and storage, which pages and commands cannot import; none of the others does."""


def name_module(path: Path) -> str:
    parts = ["regauge", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {name_module(path): path for path in MODULES}


def find_workflow_names(path: Path) -> Iterator[tuple[str, str]]:
    """Every name that a module imports from a workflow, as (workflow, name); the name of a workflow itself is empty."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(WORKFLOWS):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield (inner.removeprefix(WORKFLOWS), "") if inner in PATHS else (_shorten(node.module), alias.name)


def _shorten(module: str | None) -> str:
    return f"{module}.".removeprefix(WORKFLOWS).removesuffix(".")


def find_group(workflow: str) -> str:
    """The workflow; or, for what belongs to it, a whole whose parts make one thing: the demo, the website, the report."""
    return next((whole for whole, parts in WHOLES.items() if workflow.startswith(parts)), workflow)


def find_chain(workflow: str, imports: dict[str, set[str]]) -> tuple[str, ...]:
    """The longest chain of imports that begins with a workflow."""

    @cache
    def follow(name: str) -> tuple[str, ...]:
        return (name, *max((follow(one) for one in imports[name]), key=len, default=()))

    return follow(workflow)


def test_workflows_build_on_each_other_three_deep_at_most():
    imports: dict[str, set[str]] = {}
    for module, path in PATHS.items():
        if module.startswith(WORKFLOWS):
            group = find_group(_shorten(module))
            found = {find_group(workflow) for workflow, _ in find_workflow_names(path)}
            imports[group] = imports.get(group, set()) | found - {group, ""}
    chains = [find_chain(workflow, imports) for workflow in imports]
    too_long = [chain for chain in chains if len(chain) > MAX_CHAIN + (chain[0].split(".")[0] in ONE_ABOVE)]
    assert [" > ".join(chain) for chain in too_long] == []


def find_defined(tree: ast.Module) -> set[str]:
    """The names that a module itself gives something."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return found


def find_passed_on(path: Path) -> Iterator[tuple[str, str]]:
    """What a module takes from a workflow that does not define it."""
    for workflow, name in find_workflow_names(path):
        if name and name not in find_defined(parse(PATHS[f"{WORKFLOWS}{workflow}".rstrip(".")])):
            yield workflow, name


def test_names_are_imported_from_where_they_live():
    taken = [(path, pair) for path in MODULES for pair in find_passed_on(path)]
    wrong = [(name_module(path), *pair) for path, pair in taken if find_layer(path) not in {"cli", "server"}]
    assert wrong == []
    passed_on = {pair for _, pair in taken}
    assert [name for name, n in Counter(name for _, name in passed_on).items() if n > 1] == []
    assert {workflow for workflow, _ in passed_on} <= PASSING_ON
