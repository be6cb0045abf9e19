"""Find classes by what a person types: an index, an id, a name, a part of one, or a name misspelt."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from regauge.errors import InputError
from regauge.records.taxonomy import ClassIndex, ImageClass, Taxonomy

Reason: TypeAlias = Literal["index", "id", "name", "start", "words", "part", "similar"]

_MAX_LETTERS = 100
"""Longer texts are cut: no name is that long, and the search for misspellings grows with the square of the length."""

_MIN_SIMILARITY = 0.75
"""Share of letters in common, from which on a name counts as meant but misspelt."""

# A reason sets the score and the share of the name that was typed adds up to 0.1, so that reasons never overtake each other.
_SCORES: dict[Reason, float] = {
    "index": 1.0,
    "id": 1.0,
    "name": 0.9,
    "start": 0.7,
    "words": 0.5,
    "part": 0.3,
    "similar": 0.1,
}


@dataclass(frozen=True, slots=True)
class Match:
    """A class that was found.

    Attributes:
        image_class: the class.
        name: the name that matched, or the usual name where the index or the id did.
        reason: what matched: the index, the id or its start, the whole name, the start of the name, the starts of its words,
            a part of it, or a similar name.
        score: from 1 for what was surely meant down to 0; good for ordering, no probability.
    """

    image_class: ImageClass
    name: str
    reason: Reason
    score: float


def search_classes(taxonomy: Taxonomy, text: str, *, limit: int = 10) -> tuple[Match, ...]:
    """The classes that a text may mean, best first, each class once; empty when nothing is even similar.

    Capitals, accents, hyphens and apostrophes make no difference. Similar names are looked up only when nothing else
    matches, so that a search for crane is not answered with crate.
    """
    if limit < 1:
        raise InputError(f"A search gives at least one match; the limit must be 1 or more, not {limit}.")
    wanted = _simplify(text[:_MAX_LETTERS])
    if not wanted:
        return ()
    found = [
        *_match_index(taxonomy, text.strip()),
        *_match_ids(taxonomy, text.strip()),
        *_match_names(taxonomy, wanted),
    ]
    return _keep_best(found or _match_similar(taxonomy, wanted), limit)


def _keep_best(matches: list[Match], limit: int) -> tuple[Match, ...]:
    ordered = sorted(matches, key=lambda match: (-match.score, match.image_class.index))
    best: dict[ClassIndex, Match] = {}
    for match in ordered:
        best.setdefault(match.image_class.index, match)
    return tuple(best.values())[:limit]


def _match_index(taxonomy: Taxonomy, text: str) -> Iterator[Match]:
    if text.isascii() and text.isdigit() and len(text) <= len(str(len(taxonomy))) and int(text) < len(taxonomy):
        image_class = taxonomy.classes[int(text)]
        yield Match(image_class, image_class.name, "index", _SCORES["index"])


def _match_ids(taxonomy: Taxonomy, text: str) -> Iterator[Match]:
    """Ids that are the text or start with it; two letters of a WordNet id would match a whole branch, so four are needed."""
    for image_class in taxonomy.classes:
        if image_class.id == text or (len(text) >= 4 and image_class.id.startswith(text)):
            share = len(text) / len(image_class.id)
            yield Match(image_class, image_class.name, "id", _SCORES["id"] if share == 1 else 0.8 + 0.1 * share)


def _match_names(taxonomy: Taxonomy, wanted: str) -> Iterator[Match]:
    starts_of_words = re.compile("".join(rf"(?=.*\b{re.escape(word)})" for word in dict.fromkeys(wanted.split())))
    for image_class in taxonomy.classes:
        for name in image_class.names:
            simple = _simplify(name)
            reason = _find_reason(simple, wanted, starts_of_words.match)
            if reason is not None:
                yield Match(image_class, name, reason, _SCORES[reason] + 0.1 * min(1, len(wanted) / len(simple)))


def _find_reason(simple: str, wanted: str, starts_of_words: Callable[[str], object]) -> Reason | None:
    if simple == wanted:
        return "name"
    if simple.startswith(wanted):
        return "start"
    if starts_of_words(simple):
        return "words"
    return "part" if wanted in simple else None


def _match_similar(taxonomy: Taxonomy, wanted: str) -> list[Match]:
    """Classes with a name, or a single word of a name, that has most letters in common with the text, in the same order."""
    texts: dict[str, dict[ClassIndex, str]] = {}
    for image_class in taxonomy.classes:
        for name in image_class.names:
            simple = _simplify(name)
            for candidate in {simple, *simple.split()}:
                texts.setdefault(candidate, {}).setdefault(image_class.index, name)
    return [
        Match(taxonomy.classes[index], name, "similar", _SCORES["similar"] + 0.1 * ratio)
        for candidate, ratio in _find_similar(wanted, texts)
        for index, name in texts[candidate].items()
    ]


def _find_similar(wanted: str, texts: dict[str, dict[ClassIndex, str]]) -> Iterator[tuple[str, float]]:
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for text in texts:
        matcher.set_seq1(text)
        # The two quick ratios are upper bounds of the real one and spare most of the work.
        if matcher.real_quick_ratio() >= _MIN_SIMILARITY and matcher.quick_ratio() >= _MIN_SIMILARITY:
            ratio = matcher.ratio()
            if ratio >= _MIN_SIMILARITY:
                yield text, ratio


def _simplify(text: str) -> str:
    """The text in small letters without accents, with a single space for anything between words."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w\s-]", "", plain).replace("-", " ").replace("_", " ").split())
