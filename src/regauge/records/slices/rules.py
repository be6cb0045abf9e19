"""Rules that choose the images of a slice, as they are frozen with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from regauge.errors import InputError

_RANGE = re.compile(r"(\d*)(\.\.)?(\d*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class CountRange:
    """How many there may be: from `low` to `high`, both included; None where there is no end."""

    low: int = 0
    high: int | None = None

    def __post_init__(self) -> None:
        if self.low < 0 or (self.high is not None and self.high < self.low):
            raise InputError(f"A range of counts starts at 0 or above and ends no earlier, not {self}.")

    @classmethod
    def read(cls, text: str) -> CountRange:
        """What `2`, `2..`, `..3` or `1..3` means; `..` is any number.

        >>> CountRange.read("2..").low, CountRange.read("..3").high, CountRange.read("1")
        (2, 3, CountRange(low=1, high=1))
        """
        found = _RANGE.fullmatch(text.strip())
        if found is None or not any(found.groups()) or len(text) > 20:
            raise InputError(f"A range of counts is 2, 2.., ..3 or 1..3, not {text[:40]!r}.")
        low = int(found[1] or 0)
        if not found[2]:
            return cls(low, low)
        return cls(low, int(found[3]) if found[3] else None)

    def __str__(self) -> str:
        if self.low == self.high:
            return str(self.low)
        return f"{self.low or ''}..{'' if self.high is None else self.high}"

    @property
    def is_any(self) -> bool:
        """Whether every number is in it."""
        return not self.low and self.high is None

    @property
    def words(self) -> str:
        """The range as a sentence says it."""
        if self.high is None:
            return f"{self.low:,} or more"
        if self.low == self.high:
            return f"{self.low:,}"
        return f"{self.low:,} to {self.high:,}" if self.low else f"{self.high:,} or fewer"


class ProblematicImages(StrEnum):
    """What becomes of images that a label set calls problematic."""

    LEAVE_OUT = "leave-out"
    KEEP = "keep"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class MajorRule:
    """Major mistakes of a reference model that several of the models make: not the same answer, but a major mistake each.

    Attributes:
        reference: the model whose coded major mistakes are chosen from.
        models: the other models.
        at_least: how many of all, the reference included, make a major mistake.
    """

    reference: str
    models: tuple[str, ...]
    at_least: int

    def __post_init__(self) -> None:
        names = (self.reference, *self.models)
        if not self.models:
            raise InputError(
                "A slice of major mistakes needs other models beside the reference; name them with `models=…`."
            )
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise InputError(f"{twice} is named twice among the reference and the models; name each once.")
        if not 1 <= self.at_least <= len(names):
            raise InputError(
                f"At least {self.at_least:,} of {len(names):,} models cannot make a major mistake; with the reference there are "
                f"{len(names):,}, so give 1 to {len(names):,}."
            )


@dataclass(frozen=True, slots=True)
class ImageRule:
    """Conditions on images, all of which must hold; what is not given holds of every image.

    Attributes:
        n_correct: how many of its classes are judged correct.
        n_unclear: how many unclear.
        n_wrong: how many wrong.
        problematic: what becomes of problematic images.
        groups: pairs of a grouping and a group, of which the dataset label is in one.
        categories: a coded mistake of the image has one of these categories,
        severities: and one of these severities.
        max_seconds: people take so many seconds at most, in the median.
        images: what the list of images is called that it must be in; empty without one.
    """

    n_correct: CountRange | None = None
    n_unclear: CountRange | None = None
    n_wrong: CountRange | None = None
    problematic: ProblematicImages = ProblematicImages.LEAVE_OUT
    groups: tuple[tuple[str, str], ...] = ()
    categories: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    max_seconds: float | None = None
    images: str = ""

    def __post_init__(self) -> None:
        if self.max_seconds is not None and not 0 < self.max_seconds < float("inf"):
            raise InputError(f"Seconds are more than 0, not {self.max_seconds:g}.")
        if self.is_empty:
            raise InputError(
                "A rule needs at least one condition; without any, every image of the test set would be chosen."
            )

    @property
    def is_empty(self) -> bool:
        """Whether every image meets it that is not problematic."""
        counts = (self.n_correct, self.n_unclear, self.n_wrong)
        has_count = any(one is not None and not one.is_any for one in counts)
        given = (has_count, self.groups, self.needs_codes, self.max_seconds, self.images)
        return not any(given) and self.problematic is not ProblematicImages.ONLY

    @property
    def needs_codes(self) -> bool:
        """Whether coded mistakes decide."""
        return bool(self.categories or self.severities)


def describe_rule(rule: MajorRule | ImageRule | None) -> Mapping[str, Any]:
    """A rule as JSON has it; empty of a list."""
    if rule is None:
        return {}
    if isinstance(rule, MajorRule):
        return {"reference": rule.reference, "models": list(rule.models), "at_least": rule.at_least}
    counts = {name: getattr(rule, name) for name in _COUNTS}
    return {
        **{name: str(value) for name, value in counts.items() if value is not None},
        "problematic": str(rule.problematic),
        **({"groups": [list(one) for one in rule.groups]} if rule.groups else {}),
        **({"categories": list(rule.categories)} if rule.categories else {}),
        **({"severities": list(rule.severities)} if rule.severities else {}),
        **({"max_seconds": rule.max_seconds} if rule.max_seconds is not None else {}),
        **({"images": rule.images} if rule.images else {}),
    }


def read_rule(content: Mapping[str, Any]) -> MajorRule | ImageRule | None:
    """The rule that JSON holds.

    Raises:
        InputError: it holds none.
    """
    if not content:
        return None
    try:
        if "reference" in content:
            return MajorRule(str(content["reference"]), tuple(map(str, content["models"])), int(content["at_least"]))
        counts = {name: CountRange.read(content[name]) for name in _COUNTS if name in content}
        seconds = content.get("max_seconds")
        return ImageRule(
            **counts,
            problematic=ProblematicImages(content.get("problematic", ProblematicImages.LEAVE_OUT)),
            groups=tuple((str(first), str(second)) for first, second in content.get("groups", ())),
            categories=_list_texts(content, "categories"),
            severities=_list_texts(content, "severities"),
            max_seconds=None if seconds is None else float(seconds),
            images=str(content.get("images", "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("The rule of a slice is not what it must be.") from None


_COUNTS = ("n_correct", "n_unclear", "n_wrong")


def _list_texts(content: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(map(str, content.get(name, ())))
