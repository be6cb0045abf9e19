"""Which category and which severity a spelling stands for: those of the released files, and close ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from regauge.errors import InputError
from regauge.records.mistakes.coded import CATEGORIES, STANDARD_NAMES, Category, Severity

RELEASED_CATEGORIES = {
    "Fine-grained error": Category.FINE_GRAINED,
    "Fine-grained with Multilabel Options": Category.FINE_GRAINED,
    "Fine-grained error with OOV": Category.FINE_GRAINED_OOV,
    "Spurious Correlation": Category.SPURIOUS_CORRELATION,
    "Non-prototypical": Category.NON_PROTOTYPICAL,
}
RELEASED_SEVERITIES = {"Major": Severity.MAJOR, "Minor": Severity.MINOR, "Borderline": Severity.BORDERLINE}
"""How the released file spells the codes; docs/formats.md lists them."""

_OTHER_CATEGORIES = {
    "FG": Category.FINE_GRAINED,
    "finegrained": Category.FINE_GRAINED,
    "FG OOV": Category.FINE_GRAINED_OOV,
    "finegrained OOV": Category.FINE_GRAINED_OOV,
    "FG out-of-vocabulary": Category.FINE_GRAINED_OOV,
    "fine-grained out-of-vocabulary": Category.FINE_GRAINED_OOV,
    "spurious": Category.SPURIOUS_CORRELATION,
    "spurious correlations": Category.SPURIOUS_CORRELATION,
    "nonprototypical": Category.NON_PROTOTYPICAL,
}

_FILLERS = re.compile(r"\b(errors?|mistakes?|with|w|labels?|objects?|examples?|instances?|images?)\b")
"""Words that spellings differ in and that tell no category from another."""

_Code = TypeVar("_Code", Category, Severity)


def fold_spelling(text: str) -> str:
    """A spelling without case, hyphens and filler words."""
    words = re.sub(r"[\W_]+", " ", text.casefold())
    return " ".join(_FILLERS.sub("", words).split())


_CATEGORY_OF = {fold_spelling(name): code for name, code in (RELEASED_CATEGORIES | _OTHER_CATEGORIES).items()} | {
    fold_spelling(category): category for category in CATEGORIES
}
_SEVERITY_OF = {fold_spelling(name): code for name, code in RELEASED_SEVERITIES.items()}


def parse_category(value: object, names: Sequence[str] = STANDARD_NAMES) -> str:
    """The category of a list that a spelling stands for; of the standard list in any of the ways in which people write it.

    >>> parse_category("FG w/ OOV")
    <Category.FINE_GRAINED_OOV: 'fine-grained-oov'>
    """
    if names != STANDARD_NAMES:
        return _find_own(value, names)
    if isinstance(value, str) and fold_spelling(value) in _CATEGORY_OF:
        return _CATEGORY_OF[fold_spelling(value)]
    known = ", ".join(f"{code} ({spelling!r})" for code, spelling in _find_spellings(RELEASED_CATEGORIES).items())
    raise InputError(f"a category is one of {known}, {Category.OTHER} or a close spelling, not {quote_short(value)}.")


def parse_severity(value: object) -> Severity:
    """The severity that a spelling stands for."""
    if isinstance(value, str) and fold_spelling(value) in _SEVERITY_OF:
        return _SEVERITY_OF[fold_spelling(value)]
    raise InputError(f"a severity is major, minor or borderline, not {quote_short(value)}.")


def quote_short(value: object) -> str:
    """What was given, cut off where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _find_own(value: object, names: Sequence[str]) -> str:
    wanted = value.strip().casefold() if isinstance(value, str) else None
    found = next((name for name in names if name.casefold() == wanted), None)
    if found is None:
        raise InputError(f"a category is one of {', '.join(names)}, not {quote_short(value)}.")
    return found


def _find_spellings(released: Mapping[str, _Code]) -> dict[_Code, str]:
    """The first released spelling of each code."""
    return {code: next(spelling for spelling, one in released.items() if one is code) for code in released.values()}
