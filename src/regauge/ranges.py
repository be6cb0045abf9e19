"""Numbers that a setting may be, in the unit in which it is kept or in another that people count in."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from regauge.errors import InputError

MAX_DIGITS = 18
"""Of a whole number that somebody types; databases keep such numbers exactly."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, or from `low` on where `high` is infinite; either end may be excluded.

    >>> 50 in Range(1, 50, is_whole=True), 0 in Range(0, 1, excludes_low=True)
    (True, False)
    >>> str(Range(1, 1_000, is_whole=True))
    '1 to 1,000'
    """

    low: float
    high: float = math.inf
    is_whole: bool = False
    excludes_low: bool = False
    excludes_high: bool = False

    control: ClassVar[str] = "number"

    def __contains__(self, value: float | Fraction) -> bool:
        is_high_enough = self.low < value if self.excludes_low else self.low <= value
        is_below = self.excludes_high or self.high == math.inf
        return is_high_enough and (value < self.high if is_below else value <= self.high)

    def __str__(self) -> str:
        low, high = ("above " if self.excludes_low else ""), ("below " if self.excludes_high else "")
        end = f"to {high}{write_number(self.high)}" if self.high < math.inf else "upwards"
        return f"{low}{write_number(self.low)} {end}"

    def parse(self, text: str) -> float:
        """The number that somebody typed."""
        typed = text.strip()
        if self.is_whole and self.high == math.inf and _is_decimal(typed) and len(typed) > MAX_DIGITS:
            raise InputError(f"This has at most {MAX_DIGITS} digits, not {len(typed):,}.")
        number = _read(typed, is_whole=self.is_whole)
        if number not in self:
            raise InputError(f"{self._rule}, not {typed[:40] or 'empty'}.")
        return number

    def check(self, value: object) -> float:
        """The number, if it is one of these."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            is_kind = isinstance(value, int) or not self.is_whole
            if is_kind and value in self:
                return value
        raise InputError(f"{self._rule}, not {str(value)[:40]}.")

    def count_in(self, unit: Unit) -> Range:
        """The same numbers in another unit; of whole units, those that stand for a number of these.

        >>> str(Range(1, 3_600, is_whole=True).count_in(Unit(Fraction(60), is_whole=True)))
        '1 to 60'
        """
        low, high = (_divide(end, unit.factor) for end in (self.low, self.high))
        if not unit.is_whole:
            return replace(self, low=low, high=high, is_whole=False)
        least = math.floor(low) + 1 if self.excludes_low else math.ceil(low)
        return Range(least, math.floor(high), is_whole=True)

    @property
    def _rule(self) -> str:
        return f"This is a {'whole ' if self.is_whole else ''}number {'' if self.excludes_low else 'from '}{self}"


SHARE = Range(0, 1)


@dataclass(frozen=True, slots=True)
class Unit:
    """What a form counts in, where a setting is kept in something else: one of it is `factor` of that."""

    factor: Fraction
    is_whole: bool = False


PERCENT = Unit(Fraction(1, 100))
WHOLE_PERCENT = Unit(Fraction(1, 100), is_whole=True)
MINUTES = Unit(Fraction(60), is_whole=True)


def write_number(number: float) -> str:
    """A number as people write it."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,g}"


def _read(text: str, *, is_whole: bool) -> float:
    """The number that a text says; NaN for none, or for a whole one of too many digits."""
    if is_whole:
        return int(text) if _is_decimal(text) and len(text) <= MAX_DIGITS else math.nan
    try:
        return float(text)
    except ValueError:
        return math.nan


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _divide(number: float, factor: Fraction) -> float:
    return float(Fraction(str(number)) / factor) if number < math.inf else number
