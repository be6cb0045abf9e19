"""An interval and an estimate with its n: the way every number leaves Regauge."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.errors import InputError

DEFAULT_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: lower limit.
        high: upper limit.
        level: the nominal coverage, 0.95 unless asked otherwise.
        method: how it was made, for instance clopper-pearson.
    """

    low: float
    high: float
    level: float
    method: str

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise InputError(f"An interval must not end before it starts: [{self.low}, {self.high}].")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def check_level(level: float) -> float:
    """The level itself when it is a coverage strictly between 0 and 1."""
    if not 0 < level < 1:
        raise InputError(f"A confidence level lies strictly between 0 and 1, such as 0.95, not {level}.")
    return level


def format_percent(value: float | None) -> str:
    """A fraction as a percentage with one decimal; an en dash where there is no value."""
    return "–" if value is None else f"{100 * value:.1f}%"


def format_estimate(value: float | None, *, low: float | None, high: float | None) -> str:
    """A fraction and its interval as in 83.3% [82.9, 83.6]; an en dash where there is no value."""
    if value is None or low is None or high is None:
        return format_percent(value)
    return f"{format_percent(value)} [{100 * low:.1f}, {100 * high:.1f}]"
