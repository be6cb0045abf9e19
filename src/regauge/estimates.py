"""A number with what it rests on, as every number leaves Regauge: how it is written for people, and how for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Generic, TypeVar

from regauge.errors import InputError

DEFAULT_LEVEL = 0.95
MISSING = "–"
"""Stands where there is no number."""
LEAST_P = 0.0001

Number_co = TypeVar("Number_co", bound=float | None, covariant=True)


@dataclass(frozen=True, slots=True)
class Estimate(Generic[Number_co]):
    """A number with its confidence interval: `Estimate[float]` where it is known, else `Estimate[float | None]`.

    Attributes:
        value: the number; fractions, not percentages. None where it is missing, which is never 0.
        low: lower limit; None where there are no limits.
        high: upper limit, likewise.
        n: what it was counted on; None where that is more than one count, which whoever holds the number knows.
        method: how the limits were made, as outputs call it; None without limits, and where whoever holds the number says so.
        holds_unjudged: whether the limits hold whatever unjudged answers turn out to be.
    """

    value: Number_co
    low: Number_co
    high: Number_co
    _: KW_ONLY
    n: int | None = None
    method: str | None = None
    holds_unjudged: bool = False

    def __post_init__(self) -> None:
        low, high = self.low, self.high
        if (low is None) is not (high is None):
            raise InputError(f"An interval has two limits or none, not {low} and {high}.")
        if low is not None and high is not None and not low <= high:
            raise InputError(f"An interval must not end before it starts: [{low}, {high}].")

    def __str__(self) -> str:
        """Read as a fraction: a percentage with its limits."""
        return format_estimate(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Estimate[Number_co]):
    """A share of what was counted: k of n; without n there is no value. A balanced share is a mean of shares, not k / n.

    Attributes:
        k: how many of the n.
    """

    n: int
    k: int

    def __post_init__(self) -> None:
        Estimate.__post_init__(self)
        if not 0 <= self.k <= self.n:
            raise InputError(f"A share is of 0 to n, not {self.k:,} of {self.n:,}.")
        if (self.value is None or self.low is None) is not (self.n == 0):
            raise InputError("A share has a value and limits exactly where there is something to share.")


def make_share(k: int, n: int, *, limits: Sequence[float], method: str) -> Share[float | None]:
    """The share k of n; without n there is no value, whatever the limits are."""
    if not n:
        return Share(None, None, None, n=n, method=method, k=k)
    low, high = map(float, limits)
    return Share(k / n, low, high, n=n, method=method, k=k)


def check_level(level: float) -> float:
    """The level itself when it is a coverage strictly between 0 and 1."""
    if not 0 < level < 1:
        raise InputError(f"A confidence level lies strictly between 0 and 1, such as 0.95, not {level}.")
    return level


# For people

_NAMED_AFTER = {
    "clopper-pearson": "Clopper–Pearson",
    "jeffreys": "Jeffreys",
    "newcombe": "Newcombe",
    "tango": "Tango",
    "wilson": "Wilson",
}
"""Methods that are named after people; machine-readable outputs keep the first spelling."""


def name_methods(methods: Iterable[str | None]) -> str:
    """How intervals were made, each method once, as a sentence has it; empty where there are none.

    >>> name_methods(["clopper-pearson (outer)", None, "grouped mid-p", "clopper-pearson (outer)"])
    'Clopper–Pearson (outer), grouped mid-p'
    """
    spoken = re.compile("|".join(_NAMED_AFTER))
    return ", ".join(dict.fromkeys(spoken.sub(lambda one: _NAMED_AFTER[one[0]], name) for name in methods if name))


def count_things(n: int, one: str, *, many: str = "") -> str:
    """How many of what, with the verb where there is one.

    >>> count_things(1, "class", many="classes"), count_things(1000, "class", many="classes")
    ('1 class', '1,000 classes')
    >>> count_things(1, "image is", many="images are")
    '1 image is'
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def format_span(counts: Sequence[int]) -> str:
    """One number, or from the least to the most.

    >>> format_span([50, 50]), format_span([20, 1500])
    ('50', '20 to 1,500')
    """
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def join_words(words: Sequence[str]) -> str:
    """A list as a sentence has it.

    >>> join_words(["a"]), join_words(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def format_percent(value: float | None) -> str:
    """A fraction as a percentage with one decimal; an en dash where there is no value."""
    return MISSING if value is None else f"{100 * value:z.1f}%"


def format_estimate(estimate: Estimate[float | None] | None) -> str:
    """A fraction and its interval in percent; an en dash where there is no value.

    >>> format_estimate(Estimate(0.833, 0.829, 0.836)), format_estimate(Estimate(None, None, None))
    ('83.3% [82.9, 83.6]', '–')
    """
    if estimate is None:
        return MISSING
    return _join(format_percent(estimate.value), estimate, scale=100, decimals=1)


def format_points(estimate: Estimate[float | None] | None, *, sign: bool = False) -> str:
    """A difference of fractions and its interval in points, where nothing that reads 0.0 is below it; an en dash without a value.

    >>> format_points(Estimate(0.0184, -0.0021, 0.049), sign=True), format_points(Estimate(-1e-17, -0.0004, 0.1))
    ('+1.8 [-0.2, 4.9]', '0.0 [0.0, 10.0]')
    """
    if estimate is None or estimate.value is None:
        return MISSING
    return _join(f"{100 * estimate.value:{'+' if sign else ''}z.1f}", estimate, scale=100, decimals=1)


def format_plain(estimate: Estimate[float | None] | None, *, decimals: int, scale: int = 1) -> str:
    """A number and its interval; an en dash where there is no value.

    >>> format_plain(Estimate(0.951, 0.9, 1.0), decimals=2)
    '0.95 [0.90, 1.00]'
    """
    if estimate is None or estimate.value is None:
        return MISSING
    return _join(f"{scale * estimate.value:z.{decimals}f}", estimate, scale=scale, decimals=decimals)


def format_limits(estimate: Estimate[float | None] | None, *, scale: int = 1, decimals: int = 1) -> str:
    """The interval alone; an en dash where there is none.

    >>> format_limits(Estimate(0.833, 0.829, 0.836), scale=100)
    '[82.9, 83.6]'
    """
    if estimate is None or estimate.low is None or estimate.high is None:
        return MISSING
    return f"[{scale * estimate.low:z.{decimals}f}, {scale * estimate.high:z.{decimals}f}]"


def format_p(p: float | None, *, missing: str = MISSING) -> str:
    """A p-value with four decimals, as a table has it.

    >>> format_p(0.03), format_p(0.00002), format_p(None)
    ('0.0300', '< 0.0001', '–')
    """
    if p is None:
        return missing
    return f"< {LEAST_P}" if p < LEAST_P else f"{p:.4f}"


def format_p_phrase(p: float) -> str:
    """A p-value as a sentence has it.

    >>> format_p_phrase(0.03), format_p_phrase(0.00002)
    ('p = 0.0300', 'p < 0.0001')
    """
    text = format_p(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _join(text: str, estimate: Estimate[float | None], *, scale: int, decimals: int) -> str:
    """A number with its limits behind it, if it has both."""
    if estimate.value is None or estimate.low is None:
        return text
    return f"{text} {format_limits(estimate, scale=scale, decimals=decimals)}"


# For documents, which have a true minus sign


def typeset_number(value: float, *, decimals: int = 1, sign: bool = False) -> str:
    """A number with so many decimals and a true minus sign; nothing is less than zero when it reads 0.0.

    >>> typeset_number(-1.84), typeset_number(1.84, sign=True), typeset_number(-0.01)
    ('−1.8', '+1.8', '0.0')
    """
    text = f"{abs(value):.{decimals}f}"
    if not float(text):
        return text
    return ("−" if value < 0 else "+" if sign else "") + text


def typeset(estimate: Estimate[float | None] | None, *, scale: int = 1, decimals: int = 1, sign: bool = False) -> str:
    """A number and its interval, times a scale such as 100 for points; without limits the number alone.

    >>> typeset(Estimate(-1.84, -4.9, 0.21)), typeset(Estimate(0.5, 0.25, 0.75), scale=100)
    ('−1.8 [−4.9, 0.2]', '50.0 [25.0, 75.0]')
    """
    if estimate is None or estimate.value is None:
        return MISSING
    text = typeset_number(scale * estimate.value, decimals=decimals, sign=sign)
    if estimate.low is None or estimate.high is None:
        return text
    ends = [typeset_number(scale * end, decimals=decimals, sign=sign) for end in (estimate.low, estimate.high)]
    return f"{text} [{', '.join(ends)}]"


# For programs


def to_fields(estimate: Estimate[float | None] | None, prefix: str = "", *, value: str = "") -> dict[str, float | None]:
    """Value and limits by the names that machine-readable output has for them; all None where there is no estimate.

    Args:
        estimate: the number.
        prefix: begins the names, and is that of the value; without it they are value, low and high.
        value: another name of the value.

    >>> to_fields(Estimate(0.1, 0.0, 0.2), "gap")
    {'gap': 0.1, 'gap_low': 0.0, 'gap_high': 0.2}
    """
    names = _name_fields(prefix, value)
    return dict(
        zip(names, (None,) * 3 if estimate is None else (estimate.value, estimate.low, estimate.high), strict=True)
    )


def to_share_fields(share: Share[float | None], prefix: str) -> dict[str, float | None]:
    """A share by the names that tables of annotators have for it.

    >>> to_share_fields(Share(0.5, 0.1, 0.9, n=4, k=2), "controls")
    {'controls_n_right': 2, 'controls_n': 4, 'controls_value': 0.5, 'controls_low': 0.1, 'controls_high': 0.9}
    """
    counts = {f"{prefix}_n_right": share.k, f"{prefix}_n": share.n}
    return {**counts, **to_fields(share, prefix, value=f"{prefix}_value")}


def from_fields(row: Mapping[str, Any], prefix: str = "", *, value: str = "", n: int | None = None) -> Estimate[Any]:
    """The estimate that a row of such output holds.

    >>> from_fields({"gap": 0.1, "gap_low": 0.0, "gap_high": 0.2}, "gap").high
    0.2
    """
    return Estimate(*(row[name] for name in _name_fields(prefix, value)), n=n)


def _name_fields(prefix: str, value: str) -> tuple[str, str, str]:
    start = f"{prefix}_" if prefix else ""
    return value or prefix or "value", f"{start}low", f"{start}high"
