"""CONTAINS: the question above a grid, in grammatical English for whatever the class is called."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_PLAIN = re.compile(r"[^\W\d_](?:[^\W\d_]|[ .&'’-](?! ))*")
"""Words, and nothing that would look odd in a sentence."""
_SOUNDS_LIKE_A_CONSONANT = re.compile(r"eu|ewe|uni(?![mn])|u[bcfhjkqrst][aeiou]|one\b|once\b", re.IGNORECASE)
"""A European, a unicycle, a ukulele, a one-eyed cat."""
_SOUNDS_LIKE_A_VOWEL = re.compile(r"hour|honest|honou?r|heir", re.IGNORECASE)
"""An hourglass."""
_LETTERS_WITH_A_VOWEL = "AEFHILMNORSX"
"""An SUV, an X-ray: the names of these letters begin with a vowel."""
_ENDS_OF_SINGULARS = ("ss", "us", "is", "as", "ops", "lens", "pyrenees", "flandres", "series", "species")
"""Whatever else ends in s is more than one, or comes in pairs."""
_UNCOUNTED = frozenset(
    """
    bread broccoli butter carbonara cash celery chalk cheese chess clothing coal confetti consomme corn cotton cream denim
    dirt dough dust eggnog equipment fabric flour fog foliage food footwear fur furniture garlic gravel guacamole hay
    honey ice ivory jam jewellery jewelry juice lace lava leather lettuce lightning linen litter lotion luggage mail meat
    milk money moss mud music oil parsley pasta perfume plastic pollen pork powder rain rapeseed rice rust salt sand sauce
    seaweed silk silver smoke snow soap soil soup spaghetti spinach spray steam sugar sunscreen thatch tissue tofu traffic
    velvet vinegar water wheat wine wool yarn yogurt
    """.split()  # noqa: SIM905 - a list of words is read as such
)
"""Nouns that have no article: "an image contains hay". It is the last word of a name that tells."""
_PARTS_OF_PAIRS = frozenset({"pajama", "pyjama", "sunglass"})
_WHOLE = frozenset({"mashed potato"})
"""Names of which the last word does not tell."""


class GridQuestion(NamedTuple):
    """A question with the name of the class in the middle: what stands before it, and after."""

    before: str
    after: str


def ask_which(name: str) -> GridQuestion:
    """Which of the images contain the class.

    A name that is not a word of a language is quoted, one that cannot be counted or is a plural has no article, and others have a
    or an, by how they sound.

    >>> "cairn".join(ask_which("cairn"))
    'Which of these images contain a cairn?'
    """
    start = "Which of these images contain "
    if not _PLAIN.fullmatch(name):
        return GridQuestion(f"{start}“", "”?")
    return GridQuestion(f"{start}{find_article(name)}", "?")


def find_article(name: str) -> str:
    """The indefinite article of a name with a blank behind it; empty where it has none.

    >>> [find_article(name) for name in ("umbrella", "unicycle", "hourglass", "SUV", "CD player", "hay", "sunglasses")]
    ['an ', 'a ', 'an ', 'an ', 'a ', '', '']
    """
    head = re.split(r"[ -]of[ -]", name.lower())[0]
    last = re.split(r"[ -]", head)[-1]
    if name.lower() in _WHOLE or last in _UNCOUNTED or last in _PARTS_OF_PAIRS:
        return ""
    if last.endswith("s") and not last.endswith(_ENDS_OF_SINGULARS):
        return ""
    return "an " if _begins_with_a_vowel(name) else "a "


def _begins_with_a_vowel(name: str) -> bool:
    first = re.split(r"[ -]", name)[0]
    if first.isupper():
        return first[0] in _LETTERS_WITH_A_VOWEL
    if _SOUNDS_LIKE_A_VOWEL.match(name):
        return True
    letter = unicodedata.normalize("NFD", name)[0]
    return letter.lower() in "aeiou" and not _SOUNDS_LIKE_A_CONSONANT.match(name)
