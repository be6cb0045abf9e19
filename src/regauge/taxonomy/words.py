"""Words as a search compares them: without accents and capitals, in the singular, and with typos forgiven.

`static/parts/class_words.js` does the same in the browser, letter by letter; a test compares the two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

_MARKS_WITHIN = re.compile(r"['’`´.]")
_BETWEEN_WORDS = re.compile(r"[\W_]+")

MIN_TYPO_LETTERS = 4
"""A shorter word is too easily another one."""

MIN_PART = 3
"""So many letters has a word at least that stands in a compound."""

MIN_TWO_TYPOS_LETTERS = 7
"""From this length on two slips are forgiven."""


def simplify(text: str) -> str:
    """The text in small letters without accents, with a single space for anything between words."""
    plain = unicodedata.normalize("NFKD", text.lower())
    plain = "".join(letter for letter in plain if not unicodedata.category(letter).startswith("M"))
    return _BETWEEN_WORDS.sub(" ", _MARKS_WITHIN.sub("", plain)).strip()


def find_stem(word: str, forms: Mapping[str, str]) -> str:
    """The singular of a simple word, in one spelling; a word that is not a plural stays."""
    singular = forms.get(word) or _find_singular(word)
    return forms.get(singular, singular)


def _find_singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")) and not word.endswith("shoes"):
        return word[:-2]
    if word.endswith("uses") and not word.endswith("ouses"):
        return word[:-2]
    return word[:-1]


def stem_all(simple: str, forms: Mapping[str, str]) -> str:
    """The stems of a simple text's words, in its order."""
    return " ".join(find_stem(word, forms) for word in simple.split())


def find_short_form(word: str) -> str:
    """What a pet name begins with, four letters at least: west of westie, york of yorkies; empty for other words."""
    for ending in ("ies", "ie", "y"):
        if word.endswith(ending) and len(word) >= len(ending) + 4:
            return word[: -len(ending)]
    return ""


def find_pet_form(word: str) -> str:
    """What children call by a doubled letter and a y: pig of piggy, dog of doggies; empty for other words."""
    base = find_short_form(f"--{word}")[2:]
    return base[:-1] if len(base) > 3 and base[-1] == base[-2] else ""


def find_bases(word: str) -> Iterator[str]:
    """What a word may be made of that says what is done or who does it: vacuum of vacuuming, cycle of cycling, jog of jogger."""
    for ending in ("ings", "ing", "ers", "er", "est", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= MIN_PART:
            yield base
            yield base + "e"
            if base[-1] == base[-2]:
                yield base[:-1]


def count_forgiven(word: str) -> int:
    """How many slips a word of that length may have: a letter missing, too many, wrong, or swapped with the next."""
    if len(word) < MIN_TYPO_LETTERS:
        return 0
    return 2 if len(word) >= MIN_TWO_TYPOS_LETTERS else 1


def count_slips(first: str, second: str, *, limit: int) -> int:
    """Slips between two words (optimal string alignment), or `limit` + 1 when there are more."""
    before: list[int] = []
    above = list(range(len(second) + 1))
    for i, letter in enumerate(first, start=1):
        row = [i]
        for j, other in enumerate(second, start=1):
            least = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        if min(row) > limit:
            return limit + 1
        before, above = above, row
    return min(above[-1], limit + 1)


def mask_letters(word: str) -> int:
    """The letters that a word has, as bits; two words with many different bits are many slips apart."""
    mask = 0
    for letter in word:
        mask |= 1 << (ord(letter) % 31)
    return mask


def find_typos(masks: Mapping[str, int], stem: str, *, limit: int | None = None) -> list[str]:
    """Of words with their letters as bits, those that are the fewest slips away, if that is few enough for its length."""
    mask = mask_letters(stem)
    limit = count_forgiven(stem) if limit is None else min(limit, count_forgiven(stem))
    nearest: list[str] = []
    for one, letters in masks.items():
        # A slip changes the letters that a word has by two at most: one goes, another comes.
        if limit == 0 or abs(len(one) - len(stem)) > limit or (letters ^ mask).bit_count() > 2 * limit:
            continue
        n_slips = count_slips(stem, one, limit=limit)
        if n_slips < limit:
            limit, nearest = n_slips, [one]
        elif n_slips == limit:
            nearest.append(one)
    return nearest
