"""Find classes by what a person types: an index, an id, a name, words in any order, what a class is a kind of, or a typo.

Whole words count before starts of words, so `car` finds cars before cardigans. In English the last word of a name says what the
thing is and those before it what sort: so `duck` finds ducks before what is duck-billed. Scores are whole numbers, because the
browser computes the same ones (`static/parts/class_search.js`) and must come to the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple, TypeAlias

from regauge.errors import InputError
from regauge.records.taxonomy import ImageClass, Taxonomy, WordLists
from regauge.taxonomy.finder_index import FinderIndex, FinderText, TextSort, build_finder_index, collect_finder_data
from regauge.taxonomy.query import Query, find_head_phrase, read_query
from regauge.taxonomy.words import find_pet_form, find_short_form, find_typos

Reason: TypeAlias = Literal[
    "index", "id", "name", "start", "words", "above", "kind", "related", "gloss", "part", "similar", "some words"
]

_MAX_LETTERS = 100
"""Longer texts are cut: no name is that long."""

_TOP = 100_000
"""The score of what was surely meant; a tier is a thousandth of it, and what sets matches of one tier apart is less than that."""

_WIDTH = 100


class _Form(IntEnum):
    """How a text matches: as a whole, by its last or first words, by its words, by its first letters, by starts, inside."""

    WHOLE = 0
    LAST_WORDS = 1
    FIRST_WORDS = 2
    WORDS = 3
    FIRST_LETTERS = 4
    STARTS = 5
    INSIDE = 6
    SIMILAR = 7


class _Field(IntEnum):
    """Whose text matches: the class's own name, a node's above, that of a kind of either, a related word, or the gloss."""

    OWN = 0
    ABOVE = 1
    KIND = 2
    KIND_OF_NODE = 3
    RELATED = 4
    GLOSS = 5


_TIERS = (
    (900, 780, 740, 700, 600, 520, 280, 200),
    (650, 560, 550, 540, 480, 470, 150, 190),
    (640, 515, 510, 500, 460, 450, 140, 180),
    (560, 300, 295, 290, 250, 245, 130, 170),
    (570, 310, 305, 300, 255, 250, 135, 175),
)
_NEAR = 820
"""For classes a few levels below a node that is called so: these are meant before names in which it is one word of several."""
_NEAR_HEIGHT = 3
_GENUS = 545
"""For classes whose gloss says that they are one: an adult male chicken."""
_ID, _START_OF_ID, _ALL_WORDS, _SOME_WORDS = 1000, 850, 205, 100

_WEIGHTS = (
    (6, 2, 6, 7, 10, 12),
    (5, 1, 4, 4, 8, 11),
    (4, 1, 3, 4, 7, 10),
    (1, 1, 1, 1, 2, 4),
    (3, 1, 2, 3, 4, 9),
    (1, 1, 1, 3, 7, 7),
)
"""What a word is worth that is found in a field as a typo, inside, as a start, whole, as the last word, or as all of a name.

The rest of the query is elsewhere. The last word of a gloss is that which says what the class is.
"""

_BEST_WEIGHT, _SOLID_WEIGHT = 12, 3
"""What a word is worth at best, and from where on it surely means the class."""

_SIMILAR, _INSIDE, _START, _WHOLE, _LAST, _NAME = range(6)
_FIELD_REASONS: tuple[Reason, ...] = ("words", "above", "kind", "kind", "related", "gloss")
_REASONS: tuple[Reason, ...] = ("name", "words", "start", "words", "start", "words", "part", "similar")


@dataclass(frozen=True, slots=True)
class Match:
    """A class that was found.

    Attributes:
        image_class: the class.
        name: the name that matched, or the usual name where the index, the id or the gloss did.
        reason: what matched: the index, the id or its start, the whole name, the start of the name, its words or the starts
            of these, the name of a node above, that of a kind of the class or of a node above, a word for what it is used for
            or goes with, the gloss, a part of a name, a similar name, or only some of the words.
        score: from 1 for what was surely meant down to 0; good for ordering, no probability.
        node: where the reason is a kind of a node above, the name of that node; else empty.
    """

    image_class: ImageClass
    name: str
    reason: Reason
    score: float
    node: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """As `Match`, by places of the index: the class, the score, the reason, and the text that matched, if one did."""

    index: int
    score: int
    reason: Reason
    text: FinderText | None = None


class _Worth(NamedTuple):
    """What a word is worth in a class: the weight, the field, how well it fits, and the number of the text, -1 for the gloss."""

    weight: int
    field: _Field
    quality: int
    number: int


def search_classes(
    taxonomy: Taxonomy, text: str, *, limit: int = 10, words: WordLists | None = None
) -> tuple[Match, ...]:
    """The classes that a text may mean, best first, each class once; empty when nothing is even similar.

    Capitals, accents, hyphens, apostrophes and plurals make no difference. Typos are looked for only in words that no name
    has or begins with, so a search for crane is not answered with crate. Lists of words find classes by what else
    they are called. Whoever searches often builds the index once and calls `search_index`.
    """
    index = build_finder_index(collect_finder_data(taxonomy, words or WordLists()))
    return tuple(make_match(taxonomy, index, found) for found in search_index(index, text, limit=limit))


def make_match(taxonomy: Taxonomy, index: FinderIndex, found: Found) -> Match:
    """What was found, by class."""
    image_class = taxonomy.classes[found.index]
    name = image_class.name if found.text is None else found.text.name
    is_of_node = found.reason == "kind" and found.text is not None and found.text.place != found.index
    node = index.data.names[found.text.place][0] if found.text is not None and is_of_node else ""
    return Match(image_class, name, found.reason, found.score / _TOP, node)


def explain_match(match: Match) -> str:
    """Why a class was found, in a few words."""
    if match.reason == "above":
        return f"a kind of {match.name}"
    if match.reason == "kind":
        return f"{match.name} is a kind of {match.node}" if match.node else f"includes {match.name}"
    return f"has to do with {match.name}" if match.reason == "related" else match.reason


def search_index(index: FinderIndex, text: str, *, limit: int = 10) -> tuple[Found, ...]:
    """As `search_classes`, in an index that is built."""
    if limit < 1:
        raise InputError(f"A search gives at least one match; the limit must be 1 or more, not {limit}.")
    query = read_query(index, text[:_MAX_LETTERS])
    if not query.words:
        return ()
    best: dict[int, Found] = {}
    for found in (*_match_number(index, text.strip()), *_match_ids(index, text.strip()), *_match_words(index, query)):
        held = best.get(found.index)
        if held is None or found.score > held.score:
            best[found.index] = found
    return tuple(sorted(best.values(), key=lambda one: (-one.score, one.index))[:limit])


def _match_number(index: FinderIndex, text: str) -> Iterator[Found]:
    n_classes = len(index.data.glosses)
    if text.isascii() and text.isdigit() and len(text) <= len(str(n_classes)) and int(text) < n_classes:
        yield Found(int(text), _ID * _WIDTH, "index")


def _match_ids(index: FinderIndex, text: str) -> Iterator[Found]:
    """Ids that are the text or start with it; two letters of a WordNet id would match a whole branch, so four are needed."""
    for place, one in enumerate(index.data.ids[: len(index.data.glosses)]):
        if one == text:
            yield Found(place, _ID * _WIDTH, "id")
        elif len(text) >= 4 and one.startswith(text):
            yield Found(place, _START_OF_ID * _WIDTH + 99 * len(text) // len(one), "id")


def _match_words(index: FinderIndex, query: Query) -> Iterator[Found]:
    n_letters = 1 if len(query.words) == 1 else 2
    hits = [
        _find_hits(index, word, stem, n_letters=n_letters) for word, stem in zip(query.words, query.stems, strict=True)
    ]
    qualities = [_rate_texts(index, found, names_only=len(query.simple) == 1) for found in hits]
    in_all = sorted(set(qualities[0]).intersection(*qualities[1:]))
    forms = {number: _find_form(index.texts[number], query, min(one[number] for one in qualities)) for number in in_all}
    forms = dict.fromkeys(find_head_phrase(index, query), _Form.WORDS) | forms
    forms.update(dict.fromkeys(index.joined.get("".join(query.stems), ()), _Form.WHOLE))
    # Where a class or a node is called so, things of that name that are kinds of other nodes are not meant.
    is_named = any(form == _Form.WHOLE and index.texts[number].sort == TextSort.NAME for number, form in forms.items())
    for number, form in (forms or _find_joined_typos(index, query)).items():
        for found in _spread(index, index.texts[number], query=query, form=form):
            if not is_named or index.texts[number].sort == TextSort.NAME or found.index == index.texts[number].place:
                yield found
    for place in index.genera.get(" ".join(query.stems), ()):
        yield Found(place, _GENUS * _WIDTH, "gloss")
    yield from _match_across(index, query, qualities)


def _find_joined_typos(index: FinderIndex, query: Query) -> dict[int, _Form]:
    """Texts that are a slip or two away when all is written as one word, as shitzu is from Shih-Tzu."""
    nearest = find_typos(index.joined_letters, "".join(query.stems))
    return {number: _Form.SIMILAR for stems in nearest for number in index.joined[stems]}


def _find_hits(index: FinderIndex, word: str, stem: str, *, n_letters: int) -> dict[str, int]:
    """The stems of texts that a word may mean, with how well it fits.

    A start has so many letters at least, and typos are looked for only where no stem is the word or begins with it.
    """
    hits = {
        one: _START if one.startswith(word) else _INSIDE
        for one in index.texts_of
        if word in one and (len(word) > 2 or (len(word) >= n_letters and one.startswith(word)))
    }
    pet = find_pet_form(word)
    if pet in index.texts_of:
        hits.setdefault(pet, _SIMILAR)
    if stem in index.texts_of:
        hits[stem] = _WHOLE
    if not any(quality >= _START for quality in hits.values()):
        short = find_short_form(word)
        meant = (one for one in index.texts_of if short and one.startswith(short))
        hits = dict.fromkeys((*find_typos(index.letters, stem), *meant), _SIMILAR) | hits
    return hits


def _rate_texts(index: FinderIndex, hits: dict[str, int], *, names_only: bool) -> dict[int, int]:
    """How well one word fits each text; a single letter fits so many that kinds and related words are left out."""
    rated: dict[int, int] = {}
    for stem, quality in hits.items():
        for number in index.texts_of[stem]:
            if names_only and index.texts[number].sort != TextSort.NAME:
                continue
            if quality > rated.get(number, -1):
                rated[number] = quality
    return rated


def _find_form(text: FinderText, query: Query, quality: int) -> _Form:
    stems = " ".join(query.stems)
    if stems == text.stems:
        return _Form.WHOLE
    if quality == _WHOLE:
        if text.stems.endswith(" " + stems):
            return _Form.LAST_WORDS
        return _Form.FIRST_WORDS if text.stems.startswith(stems + " ") else _Form.WORDS
    if quality == _START:
        return _Form.FIRST_LETTERS if text.simple.startswith(query.simple) else _Form.STARTS
    return _Form.INSIDE if quality == _INSIDE else _Form.SIMILAR


def _spread(index: FinderIndex, text: FinderText, *, query: Query, form: _Form) -> Iterator[Found]:
    """What a text that matches says of every class at and below its place."""
    share = 99 * min(len(query.simple), len(text.simple)) // max(len(query.simple), len(text.simple))
    fields = (_find_field(text, 0), _find_field(text, 1))
    reasons = tuple(_find_reason(field, form) for field in fields)
    for place, height in index.below[text.place]:
        if height == 0:
            yield Found(place, _TIERS[fields[0]][form] * _WIDTH + share, reasons[0], text)
            continue
        is_near = form == _Form.WHOLE and fields[1] == _Field.ABOVE and height <= _NEAR_HEIGHT
        tier = _NEAR if is_near else _TIERS[fields[1]][form]
        yield Found(place, tier * _WIDTH + max(0, 99 - 9 * height), reasons[1], text)


def _find_reason(field: _Field, form: _Form) -> Reason:
    is_own = field == _Field.OWN or form in {_Form.SIMILAR, _Form.INSIDE}
    return _REASONS[form] if is_own else _FIELD_REASONS[field]


def _find_field(text: FinderText, height: int) -> _Field:
    if text.sort == TextSort.RELATED:
        return _Field.RELATED
    if text.sort == TextSort.KIND:
        return _Field.KIND_OF_NODE if height else _Field.KIND
    return _Field.ABOVE if height else _Field.OWN


def _match_across(index: FinderIndex, query: Query, qualities: list[dict[int, int]]) -> Iterator[Found]:
    """Classes whose names, nodes above, kinds and gloss have the words, or a good part of them: some words count more."""
    weighed = [_weigh_classes(index, place, query=query, rated=rated) for place, rated in enumerate(qualities)]
    head = weighed[query.head] if query.head >= 0 else {}
    counts = [_find_importance(index, found, query=query, position=i) for i, found in enumerate(weighed)]
    for place in dict.fromkeys(place for found in weighed for place in found):
        known = [(found[place], count) for found, count in zip(weighed, counts, strict=True) if place in found]
        is_such = place in head and head[place].weight >= _SOLID_WEIGHT
        if not is_such and 3 * sum(count for _, count in known) < sum(counts):
            continue
        worth = 99 * sum(one.weight * count for one, count in known) // (_BEST_WEIGHT * sum(counts))
        is_solid = len(weighed) == 1 or all(one.weight >= _SOLID_WEIGHT for one, _ in known)
        if len(known) < len(weighed) or not is_solid:
            yield Found(place, _SOME_WORDS * _WIDTH + 2 * _WIDTH * worth, "some words")
            continue
        weakest = max((one for one, _ in known), key=lambda one: one.field)
        if len(weighed) > 1 or weakest.field == _Field.GLOSS:
            is_typo = any(one.quality == _SIMILAR for one, _ in known)
            reason: Reason = "similar" if is_typo else _FIELD_REASONS[weakest.field]
            text = index.texts[weakest.number] if weakest.number >= 0 else None
            yield Found(place, _ALL_WORDS * _WIDTH + 2 * _WIDTH * worth, reason, text)


def _find_importance(index: FinderIndex, found: dict[int, _Worth], *, query: Query, position: int) -> int:
    """How much a word counts beside others: rare ones more, what the thing is twice, a typo half, a colour hardly."""
    if not found:
        return 0
    n_solid = sum(one.weight >= _SOLID_WEIGHT for one in found.values()) or len(found)
    count = (len(index.data.glosses) // n_solid).bit_length()
    if all(one.quality == _SIMILAR for one in found.values()):
        count = max(1, count // 2)
    if position == query.head:
        return 2 * count
    return 1 if query.words[position] in index.data.describing else count


def _weigh_classes(index: FinderIndex, position: int, *, query: Query, rated: dict[int, int]) -> dict[int, _Worth]:
    """By class, what one word is worth there.

    Only the last word may be unfinished, if it is none as it stands: else its start counts as little as if it stood inside.
    """
    word, stem = query.words[position], query.stems[position]
    may_start = position == len(query.words) - 1 and (len(query.words) == 1 or stem not in index.texts_of)
    found = _weigh_glosses(index, word if may_start and len(word) > 2 else "", stem)
    for number in sorted(rated):
        text = index.texts[number]
        quality = _INSIDE if rated[number] == _START and not may_start else rated[number]
        if quality == _WHOLE and (text.stems == stem or text.stems.endswith(f" {stem}")):
            quality = _NAME if text.stems == stem else _LAST
        fields = (_find_field(text, 0), _find_field(text, 1))
        worths = tuple(_Worth(_WEIGHTS[field][quality], field, quality, number) for field in fields)
        for place, height in index.below[text.place]:
            worth = worths[height > 0]
            if place not in found or worth.weight > found[place].weight:
                found[place] = worth
    return found


def _weigh_glosses(index: FinderIndex, start: str, stem: str) -> dict[int, _Worth]:
    """By class, what a word is worth in its gloss; where a start is given, an unfinished one too."""
    qualities: dict[int, int] = dict.fromkeys(index.genera.get(stem, ()), _LAST)
    for one, classes in index.glosses_of.items():
        if one == stem or (start and one.startswith(start)):
            quality = _WHOLE if one == stem else _START
            for place in classes:
                qualities[place] = max(quality, qualities.get(place, 0))
    return {
        place: _Worth(_WEIGHTS[_Field.GLOSS][quality], _Field.GLOSS, quality, -1)
        for place, quality in qualities.items()
    }
