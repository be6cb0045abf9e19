"""The kinds of work that the package has, in the order in which they are offered."""

from __future__ import annotations

from regauge.kinds import classify, contains
from regauge.kinds.contract import Gift, Kinds, TaskKind

KINDS: Kinds = {kind.name: kind for kind in (contains.KIND, classify.KIND)}


def list_giving(kinds: Kinds, gift: Gift) -> tuple[TaskKind, ...]:
    """The kinds whose answers can be made into something, in their order."""
    return tuple(kind for kind in kinds.values() if gift in kind.gives)
