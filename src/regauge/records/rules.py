"""Which rules changed since a result was stored: its numbers stay as they are, and it says that a new run gives others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

DIFFERENCES = "differences"
"""Paired differences, in an evaluation that was made against somebody."""
MEAN_CHANGES = "mean changes"
GAPS = "gaps"
ROBUSTNESS = "effective robustness"
BY_CLASS = "changes by class"


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule that gives other numbers since a version.

    Attributes:
        since: the first version with the new rule.
        parts: globs on the parts of a result that it touches: metrics of an evaluation, or the names above.
        subject: which numbers changed, to stand after "other rules for".
    """

    since: str
    parts: tuple[str, ...]
    subject: str


RULE_CHANGES = (
    RuleChange("0.2.0", ("*_balanced",), "intervals of means over classes"),
    RuleChange("0.2.0", (DIFFERENCES,), "intervals of paired differences"),
    RuleChange("0.2.0", (MEAN_CHANGES,), "intervals of mean changes"),
    RuleChange("0.2.0", (ROBUSTNESS,), "intervals of effective robustness"),
    RuleChange("0.2.0", (BY_CLASS,), "intervals and tests of single classes"),
)
"""The oldest first. What a rule gave before and gives now stands in CHANGELOG.md under "Numbers that change"."""


def list_old_rules(code_version: str, parts: Collection[str]) -> tuple[str, ...]:
    """The numbers of a result that a new run would compute by another rule; empty where there are none.

    Args:
        code_version: the version of Regauge that computed it.
        parts: what the result holds.

    >>> list_old_rules("0.1.0", ["top1", "top1_balanced"])
    ('intervals of means over classes',)
    >>> list_old_rules("0.2.0", ["top1", "top1_balanced"])
    ()
    """
    return tuple(
        change.subject
        for change in RULE_CHANGES
        if _order(code_version) < _order(change.since)
        and any(fnmatchcase(part, glob) for part in parts for glob in change.parts)
    )


class Ruled(Protocol):
    """A stored result that knows its version and its old rules."""

    @property
    def code_version(self) -> str:
        """The version of Regauge that computed it."""

    @property
    def old_rules(self) -> tuple[str, ...]:
        """The numbers that a new run would compute by another rule."""


def say_old_rules(what: str, made: Ruled) -> str:
    """That some results were computed by other rules, and which numbers that concerns."""
    *others, last = made.old_rules
    subjects = f"{', '.join(others)} and {last}" if others else last
    return f"{what} by Regauge {made.code_version}, which had other rules for {subjects}."


def _order(version: str) -> tuple[int, ...]:
    """The numbers of a version, which sort as they should; what follows them, as in 0.2.0rc1, is passed over."""
    numbers = []
    for word in version.split("."):
        digits = word[: len(word) - len(word.lstrip("0123456789"))]
        numbers.append(int(digits or 0))
    return tuple(numbers)
