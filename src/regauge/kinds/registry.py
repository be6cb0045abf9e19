"""The kinds of work that the package has, in the order in which they are offered."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.kinds import classify, code, contains, label, panel, review
from regauge.kinds.contract import KindOutput, Kinds, TaskKind
from regauge.records.campaigns.campaign import Kind

KINDS: Kinds = {
    kind.name: kind for kind in (contains.KIND, classify.KIND, review.KIND, panel.KIND, code.KIND, label.KIND)
}


def find_kind(kinds: Kinds | None, name: Kind) -> TaskKind:
    """The kind of that name, among those that a program has; None for those of the package.

    Raises:
        InputError: there is no kind of that name.
    """
    known = KINDS if kinds is None else kinds
    if name not in known:
        raise InputError(f"This program knows no kind of work {str(name)!r}; it has: {', '.join(known)}.")
    return known[name]


def has_kind(kinds: Kinds | None, name: Kind) -> bool:
    """Whether a program has the kind of that name; None for the kinds of the package."""
    return name in (KINDS if kinds is None else kinds)


def list_giving(kinds: Kinds, gift: KindOutput) -> tuple[TaskKind, ...]:
    """The kinds whose answers can be made into something, in their order."""
    return tuple(kind for kind in kinds.values() if gift in kind.gives)
