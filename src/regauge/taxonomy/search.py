"""Find classes by what a person types: an index, an id, a name, words in any order, what a class is a kind of, or a typo.

Whole words count before starts of words, so `car` finds cars before cardigans. In English the last word of a name says what the
thing is and those before it what sort: so `duck` finds ducks before what is duck-billed. Scores are whole numbers, because the
browser computes the same ones (`static/parts/class_search.js`) and must come to the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple, TypeAlias

from regauge.errors import InputError
from regauge.records.taxonomy import ImageClass, Taxonomy, WordLists
from regauge.taxonomy.finder_index import FinderIndex, FinderText, build_finder_index, collect_finder_data
from regauge.taxonomy.words import (
    MIN_PART,
    count_forgiven,
    count_slips,
    find_pet_form,
    find_short_form,
    find_stem,
    mask_letters,
    simplify,
)

Reason: TypeAlias = Literal[
    "index", "id", "name", "start", "words", "above", "kind", "gloss", "part", "similar", "some words"
]

_MAX_LETTERS = 100
"""Longer texts are cut: no name is that long."""

_MAX_WORDS = 8
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
    """Whose text matches: the class's own name, a node's above, that of a kind of the class, or of a kind of a node above."""

    OWN = 0
    ABOVE = 1
    KIND = 2
    KIND_OF_NODE = 3
    GLOSS = 4


_TIERS = (
    (900, 780, 740, 700, 600, 520, 280, 200),
    (650, 560, 550, 540, 480, 470, 150, 190),
    (640, 515, 510, 500, 460, 450, 140, 180),
    (560, 300, 295, 290, 250, 245, 130, 170),
)
_NEAR = 820
"""For classes a few levels below a node that is called so: these are meant before names in which it is one word of several."""
_NEAR_HEIGHT = 3
_GENUS = 545
"""For classes whose gloss says that they are one: an adult male chicken."""
_ID, _START_OF_ID, _ALL_WORDS, _SOME_WORDS = 1000, 850, 205, 100

_WEIGHTS = ((3, 2, 5, 8), (2, 1, 4, 6), (2, 1, 3, 5), (1, 1, 2, 4), (0, 0, 1, 2))
"""What a word is worth that is found in a field as a typo, inside, as a start or whole; the rest of the query is elsewhere."""

_BEST_WEIGHT = 8

_SIMILAR, _INSIDE, _START, _WHOLE = range(4)
_FIELD_REASONS: tuple[Reason, ...] = ("words", "above", "kind", "kind", "gloss")
_REASONS: tuple[Reason, ...] = ("name", "words", "start", "words", "start", "words", "part", "similar")


@dataclass(frozen=True, slots=True)
class Match:
    """A class that was found.

    Attributes:
        image_class: the class.
        name: the name that matched, or the usual name where the index, the id or the gloss did.
        reason: what matched: the index, the id or its start, the whole name, the start of the name, its words or the starts
            of these, the name of a node above, that of a kind of the class or of a node above, the gloss, a part of a name,
            a similar name, or only some of the words.
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


@dataclass(frozen=True, slots=True)
class _Query:
    """What was typed: simplified, as words, and as stems."""

    simple: str
    words: tuple[str, ...]
    stems: tuple[str, ...]


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
    return match.reason


def search_index(index: FinderIndex, text: str, *, limit: int = 10) -> tuple[Found, ...]:
    """As `search_classes`, in an index that is built."""
    if limit < 1:
        raise InputError(f"A search gives at least one match; the limit must be 1 or more, not {limit}.")
    query = _read_query(index, text[:_MAX_LETTERS])
    if not query.words:
        return ()
    best: dict[int, Found] = {}
    for found in (*_match_number(index, text.strip()), *_match_ids(index, text.strip()), *_match_words(index, query)):
        held = best.get(found.index)
        if held is None or found.score > held.score:
            best[found.index] = found
    return tuple(sorted(best.values(), key=lambda one: (-one.score, one.index))[:limit])


def _read_query(index: FinderIndex, text: str) -> _Query:
    typed = _leave_out_fillers(index, simplify(text).split())[:_MAX_WORDS]
    words = tuple(part for word in typed for part in _split_compound(index, word))[:_MAX_WORDS]
    return _Query(" ".join(words), words, tuple(find_stem(word, index.data.forms) for word in words))


def _leave_out_fillers(index: FinderIndex, words: list[str]) -> list[str]:
    """The words without those that say nothing, as of corn on the cob; all where a name has them, or nothing would be left."""
    kept = [word for word in words if word not in index.data.fillers]
    if not kept or len(kept) == len(words):
        return words
    texts = [set(index.texts_of.get(find_stem(word, index.data.forms), ())) for word in words]
    return words if texts[0].intersection(*texts[1:]) else kept


def _split_compound(index: FinderIndex, word: str) -> tuple[str, ...]:
    """The two words that one is written of, the second as long as can be, where no name has it or a word that begins with it."""
    if len(word) < 2 * MIN_PART or word in index.joined or any(one.startswith(word) for one in index.texts_of):
        return (word,)
    stem = find_stem(word, index.data.forms)
    if stem in index.texts_of or stem in index.joined or stem in index.glosses_of:
        return (word,)
    for at in range(MIN_PART, len(word) - MIN_PART + 1):
        first, second = word[:at], word[at:]
        if all(find_stem(one, index.data.forms) in index.texts_of for one in (first, second)):
            return first, second
    return (word,)


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


def _match_words(index: FinderIndex, query: _Query) -> Iterator[Found]:
    n_letters = 1 if len(query.words) == 1 else 2
    hits = [
        _find_hits(index, word, stem, n_letters=n_letters) for word, stem in zip(query.words, query.stems, strict=True)
    ]
    qualities = [_rate_texts(index, found) for found in hits]
    in_all = sorted(set(qualities[0]).intersection(*qualities[1:]))
    forms = {number: _find_form(index.texts[number], query, min(one[number] for one in qualities)) for number in in_all}
    forms.update(dict.fromkeys(index.joined.get("".join(query.stems), ()), _Form.WHOLE))
    # Where a class or a node is called so, things of that name that are kinds of other nodes are not meant.
    is_named = any(form == _Form.WHOLE and not index.texts[number].is_kind for number, form in forms.items())
    for number, form in (forms or _find_joined_typos(index, query)).items():
        for found in _spread(index, index.texts[number], query=query, form=form):
            if not is_named or not index.texts[number].is_kind or found.index == index.texts[number].place:
                yield found
    for place in index.genera.get(" ".join(query.stems), ()):
        yield Found(place, _GENUS * _WIDTH, "gloss")
    yield from _match_across(index, query, qualities)


def _find_joined_typos(index: FinderIndex, query: _Query) -> dict[int, _Form]:
    """Texts that are a slip or two away when all is written as one word, as shitzu is from Shih-Tzu."""
    nearest = _find_typos(index.joined_letters, "".join(query.stems))
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
        hits = dict.fromkeys((*_find_typos(index.letters, stem), *meant), _SIMILAR) | hits
    return hits


def _find_typos(masks: Mapping[str, int], stem: str) -> list[str]:
    """Of words with their letters as bits, those that are the fewest slips away, if that is few enough."""
    limit, mask = count_forgiven(stem), mask_letters(stem)
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


def _rate_texts(index: FinderIndex, hits: dict[str, int]) -> dict[int, int]:
    """How well one word fits each text."""
    rated: dict[int, int] = {}
    for stem, quality in hits.items():
        for number in index.texts_of[stem]:
            if quality > rated.get(number, -1):
                rated[number] = quality
    return rated


def _find_form(text: FinderText, query: _Query, quality: int) -> _Form:
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


def _spread(index: FinderIndex, text: FinderText, *, query: _Query, form: _Form) -> Iterator[Found]:
    """What a text that matches says of every class at and below its place."""
    share = 99 * min(len(query.simple), len(text.simple)) // max(len(query.simple), len(text.simple))
    for place, height in index.below[text.place]:
        field = _find_field(text, height)
        bonus = share if height == 0 else max(0, 99 - 9 * height)
        reason: Reason = _REASONS[form]
        if field != _Field.OWN and form not in {_Form.SIMILAR, _Form.INSIDE}:
            reason = "above" if field == _Field.ABOVE else "kind"
        is_near = form == _Form.WHOLE and field == _Field.ABOVE and height <= _NEAR_HEIGHT
        yield Found(place, (_NEAR if is_near else _TIERS[field][form]) * _WIDTH + bonus, reason, text)


def _find_field(text: FinderText, height: int) -> _Field:
    if text.is_kind:
        return _Field.KIND_OF_NODE if height else _Field.KIND
    return _Field.ABOVE if height else _Field.OWN


def _match_across(index: FinderIndex, query: _Query, qualities: list[dict[int, int]]) -> Iterator[Found]:
    """Classes whose names, nodes above, kinds and gloss have the words, or a good part of them: rare ones count more."""
    weighed = [_weigh_classes(index, place, query=query, rated=rated) for place, rated in enumerate(qualities)]
    n_classes = len(index.data.glosses)
    rarities = [(n_classes // len(found)).bit_length() if found else 0 for found in weighed]
    for place in dict.fromkeys(place for found in weighed for place in found):
        known = [(found[place], rarity) for found, rarity in zip(weighed, rarities, strict=True) if place in found]
        if 3 * sum(rarity for _, rarity in known) < sum(rarities):
            continue
        worth = 99 * sum(one.weight * rarity for one, rarity in known) // (_BEST_WEIGHT * sum(rarities))
        if len(known) < len(weighed):
            yield Found(place, _SOME_WORDS * _WIDTH + 2 * _WIDTH * worth, "some words")
            continue
        weakest = max((one for one, _ in known), key=lambda one: one.field)
        if len(weighed) > 1 or weakest.field == _Field.GLOSS:
            is_typo = any(one.quality == _SIMILAR for one, _ in known)
            reason: Reason = "similar" if is_typo else _FIELD_REASONS[weakest.field]
            text = index.texts[weakest.number] if weakest.number >= 0 else None
            yield Found(place, _ALL_WORDS * _WIDTH + 2 * _WIDTH * worth, reason, text)


def _weigh_classes(index: FinderIndex, position: int, *, query: _Query, rated: dict[int, int]) -> dict[int, _Worth]:
    """By class, what one word is worth there.

    Only the last word may be unfinished: the start of another counts as little as if it stood inside.
    """
    word, stem, is_last = query.words[position], query.stems[position], position == len(query.words) - 1
    found: dict[int, _Worth] = {}
    for one, classes in index.glosses_of.items():
        if one == stem or (is_last and len(word) > 2 and one.startswith(word)):
            quality = _WHOLE if one == stem else _START
            worth = _Worth(_WEIGHTS[_Field.GLOSS][quality], _Field.GLOSS, quality, -1)
            for place in classes:
                if place not in found or worth.weight > found[place].weight:
                    found[place] = worth
    for number in sorted(rated):
        text = index.texts[number]
        quality = _INSIDE if rated[number] == _START and not is_last else rated[number]
        for place, height in index.below[text.place]:
            field = _find_field(text, height)
            weight = _WEIGHTS[field][quality]
            if place not in found or weight > found[place].weight:
                found[place] = _Worth(weight, field, quality, number)
    return found
