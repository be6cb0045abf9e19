"""The kinds of work that an open study knows: those of the package, unless the program has others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module

from regauge.kinds.contract import Kinds, TaskKind
from regauge.kinds.registry import KINDS, find_kind
from regauge.records.campaigns import Kind
from regauge.storage.study import Study


def list_kinds(study: Study) -> Kinds:
    """The kinds of work by name, in the order in which they are offered."""
    return KINDS if study.around.kinds is None else study.around.kinds


def get_kind(study: Study, kind: Kind) -> TaskKind:
    """The kind of that name.

    Raises:
        InputError: this program does not have the kind.
    """
    return find_kind(list_kinds(study), kind)


def with_kinds(study: Study, kinds: Kinds | None) -> Study:
    """The study as a program sees it that has other kinds; None for those of the package."""
    return replace(study, around=replace(study.around, kinds=kinds))


def list_packages(kinds: Kinds) -> tuple[str, ...]:
    """Where kinds live."""
    return tuple(kind.package for kind in kinds.values())


def load_kinds(packages: Iterable[str]) -> Kinds:
    """The registry of the kinds that live in some packages, each under the name `KIND`; for another process."""
    found: list[TaskKind] = [import_module(package).KIND for package in packages]
    return {kind.name: kind for kind in found}
