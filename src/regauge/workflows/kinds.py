"""The kinds of work that an open study knows: those of the package, unless it was opened with others."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.kinds.contract import Kinds, TaskKind
from regauge.kinds.registry import KINDS
from regauge.records.campaigns import Kind
from regauge.storage.study import Study


def list_kinds(study: Study) -> Kinds:
    """The kinds of work by name, in the order in which they are offered."""
    return KINDS if study.kinds is None else study.kinds


def get_kind(study: Study, kind: Kind) -> TaskKind:
    """The kind of that name.

    Raises:
        InputError: this program does not have it.
    """
    kinds = list_kinds(study)
    if kind not in kinds:
        raise InputError(f"This program knows no kind of work {str(kind)!r}; it has: {', '.join(kinds)}.")
    return kinds[kind]
