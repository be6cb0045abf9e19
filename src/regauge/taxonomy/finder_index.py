"""What a search for classes looks into: every name of classes and nodes, their kinds, and the words of the glosses.

`FinderData` is what the browser gets as well; from the same data `static/parts/class_search.js` makes the same index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from regauge.records.taxonomy import ImageClass, NodeId, Taxonomy, WordLists
from regauge.taxonomy.words import MIN_PART, find_stem, mask_letters, simplify, stem_all

VERSION = 1
_PHRASE_ENDS = re.compile(r"[;:,(]")

_FILLERS = (
    "a an and any are as at be but by can for from has have in into is it its made no not of on one or other some such than "
    "that the their them they this to two used usually which who with you your having my thing things something stuff"
)
"""Words of glosses that say nothing of a class; the browser gets them as well."""

_DESCRIBING = (
    "red orange yellow green blue purple pink brown black white grey silver gold golden dark light bright colourful striped "
    "stripy spotted spotty big large huge giant small little tiny mini tall short long thin fat wide round square flat old new "
    "young baby ancient vintage antique retro modern cute pretty funny nice cheap fluffy furry hairy soft hard hot cold wet "
    "dry fresh raw cooked wooden metal plastic glass leather rubber paper stone steel electric electronic portable mens "
    "womens ladies kids childrens childs pair set piece bunch slice wild pet male female adult traditional"
)
"""Words that say what sort of thing is meant: with them any other word of a query counts more. The browser gets them as well."""


@dataclass(frozen=True, slots=True)
class FinderData:
    """The classes, then the nodes above them, each by its place.

    Attributes:
        ids: ids of classes in index order, then of nodes.
        names: names of each.
        kinds: names of things that are a kind of it and have no place of their own.
        related: words for what it is used for, or goes with.
        parents: places of the parents of each.
        glosses: glosses of the classes.
        forms: one form of a word for another.
        fillers: words of glosses that say nothing of a class.
        describing: stems of words that say what sort of thing is meant, as colours do.
    """

    ids: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    kinds: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    glosses: tuple[str, ...]
    forms: Mapping[str, str]
    related: tuple[tuple[str, ...], ...] = ()
    fillers: tuple[str, ...] = tuple(_FILLERS.split())
    describing: tuple[str, ...] = tuple(_DESCRIBING.split())

    def to_json(self) -> dict[str, Any]:
        """As it is sent to the browser."""
        return {
            "version": VERSION,
            "ids": self.ids,
            "names": self.names,
            "kinds": self.kinds,
            "related": self.related,
            "parents": self.parents,
            "glosses": self.glosses,
            "forms": list(self.forms.items()),
            "fillers": self.fillers,
            "describing": self.describing,
        }


class TextSort(IntEnum):
    """Whose name a text is: that of a class or node, of a kind of it, or of something that it is used for or goes with."""

    NAME = 0
    KIND = 1
    RELATED = 2


@dataclass(frozen=True, slots=True)
class FinderText:
    """A name that can be found: where it belongs, how it is written, simplified, as stems, and whose it is."""

    place: int
    name: str
    simple: str
    stems: str
    sort: TextSort


@dataclass(frozen=True, slots=True)
class FinderIndex:
    """The data, prepared.

    Attributes:
        data: what it was made of.
        texts: every name.
        texts_of: by stem, the numbers of the texts that have it.
        glosses_of: by stem, the classes whose gloss has it.
        genera: by stems, the classes of which the gloss says that they are one.
        letters: by stem of a text, its letters as bits.
        below: by place, the classes at and below it with how many levels they are below.
        joined: by stems without spaces, the numbers of the texts.
        joined_letters: by stems without spaces of names of several words, their letters as bits.
    """

    data: FinderData
    texts: tuple[FinderText, ...]
    texts_of: Mapping[str, tuple[int, ...]]
    glosses_of: Mapping[str, tuple[int, ...]]
    genera: Mapping[str, tuple[int, ...]]
    letters: Mapping[str, int]
    below: tuple[tuple[tuple[int, int], ...], ...]
    joined: Mapping[str, tuple[int, ...]]
    joined_letters: Mapping[str, int]


def collect_finder_data(taxonomy: Taxonomy, words: WordLists) -> FinderData:
    """The classes and all nodes above them with the words that lists have for them."""
    nodes = (*(image_class.id for image_class in taxonomy.classes), *_find_nodes_above(taxonomy))
    places = {node: place for place, node in enumerate(nodes)}
    names = tuple(taxonomy.find_names(node) for node in nodes)
    kinds = [list(words.kinds.get(node, ())) for node in nodes]
    related: list[list[str]] = [[] for _ in nodes]
    called = list_places(nodes, names, kinds=kinds)
    _add_words(kinds, called, words.everyday)
    _add_words(related, called, words.related)
    return FinderData(
        ids=nodes,
        names=names,
        kinds=tuple(tuple(dict.fromkeys(one)) for one in kinds),
        related=tuple(tuple(one) for one in related),
        parents=tuple(
            tuple(places[parent] for parent in dict.fromkeys(taxonomy.parents.get(node, ())) if parent != node)
            for node in nodes
        ),
        glosses=tuple(image_class.gloss for image_class in taxonomy.classes),
        forms=words.forms,
    )


def build_finder_index(data: FinderData) -> FinderIndex:
    """Prepare data for searches; it takes some milliseconds per thousand names, and searches do not change it."""
    glosses_of = _index_glosses(data)
    texts = tuple(_list_texts(data))
    texts += tuple(_open_compounds(texts, glosses_of))
    texts_of: dict[str, list[int]] = {}
    joined: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for stem in dict.fromkeys(text.stems.split()):
            texts_of.setdefault(stem, []).append(number)
        joined.setdefault(text.stems.replace(" ", ""), []).append(number)
    return FinderIndex(
        data=data,
        texts=texts,
        texts_of={stem: tuple(numbers) for stem, numbers in texts_of.items()},
        glosses_of=glosses_of,
        genera=_find_genera(data),
        letters={stem: mask_letters(stem) for stem in texts_of},
        below=_find_below(data),
        joined={stems: tuple(numbers) for stems, numbers in joined.items()},
        joined_letters={
            stems: mask_letters(stems)
            for stems in dict.fromkeys(
                text.stems.replace(" ", "") for text in texts if text.sort == TextSort.NAME and " " in text.stems
            )
        },
    )


def find_heights(data: FinderData, place: int) -> dict[int, int]:
    """Fewest levels from a place up to itself and to every place above it."""
    heights: dict[int, int] = {}
    level, height = {place}, 0
    while level:
        heights.update(dict.fromkeys(level, height))
        height += 1
        level = {parent for one in level for parent in data.parents[one]} - heights.keys()
    return heights


def _find_nodes_above(taxonomy: Taxonomy) -> list[NodeId]:
    classes: dict[NodeId, ImageClass] = {image_class.id: image_class for image_class in taxonomy.classes}
    found: set[NodeId] = set()
    waiting: list[NodeId] = list(classes)
    while waiting:
        for parent in taxonomy.parents.get(waiting.pop(), ()):
            if parent not in found and parent not in classes:
                found.add(parent)
                waiting.append(parent)
    return sorted(found)


def list_places(
    ids: Sequence[str], names: Sequence[Sequence[str]], *, kinds: Sequence[Sequence[str]]
) -> dict[str, list[int]]:
    """By simple name or id, the places that are called so; the name of a kind counts where it is not a place's own.

    A cock is a bird before it is a part of a gun, which a hammer is.
    """
    own: dict[str, list[int]] = {}
    for place, called in enumerate(names):
        for name in dict.fromkeys((*map(simplify, called), simplify(ids[place]))):
            own.setdefault(name, []).append(place)
    of_kinds: dict[str, list[int]] = {}
    for place, called in enumerate(kinds):
        for name in dict.fromkeys(map(simplify, called)):
            of_kinds.setdefault(name, []).append(place)
    return of_kinds | own


def _add_words(texts: list[list[str]], called: Mapping[str, list[int]], words: Mapping[str, tuple[str, ...]]) -> None:
    """Give every word to the places that have one of the names it is listed with."""
    for word, others in words.items():
        for place in dict.fromkeys(place for other in others for place in called.get(simplify(other), ())):
            if place not in called.get(simplify(word), ()):
                texts[place].append(word)


def _list_texts(data: FinderData) -> Iterator[FinderText]:
    related = data.related or ((),) * len(data.names)
    for place, groups in enumerate(zip(data.names, data.kinds, related, strict=True)):
        for sort, group in zip(TextSort, groups, strict=True):
            for name in group:
                simple = simplify(name)
                if simple:
                    yield FinderText(place, name, simple, stem_all(simple, data.forms), sort)


def _open_compounds(texts: Iterable[FinderText], glosses_of: Mapping[str, tuple[int, ...]]) -> Iterator[FinderText]:
    """Names of classes with a word that is written of two, as two: a bird house, which its gloss calls a shelter for birds.

    The gloss must have one of the two words: a mushroom is no room.
    """
    known = {stem for text in texts for stem in text.stems.split()}
    for text in texts:
        for stem in text.stems.split() if text.sort == TextSort.NAME else ():
            for at in range(MIN_PART, len(stem) - MIN_PART + 1):
                parts = stem[:at], stem[at:]
                if known.issuperset(parts) and any(text.place in glosses_of.get(part, ()) for part in parts):
                    stems = text.stems.replace(stem, " ".join(parts))
                    yield FinderText(text.place, text.name, stems, stems, text.sort)


def _index_glosses(data: FinderData) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    fillers = frozenset(data.fillers)
    for index, gloss in enumerate(data.glosses):
        for word in dict.fromkeys(simplify(gloss).split()):
            if word not in fillers:
                classes = found.setdefault(find_stem(word, data.forms), [])
                if not classes or classes[-1] != index:
                    classes.append(index)
    return {stem: tuple(classes) for stem, classes in found.items()}


def _find_genera(data: FinderData) -> dict[str, tuple[int, ...]]:
    """The last word, and the last two, of the phrase with which each gloss begins: large wading bird, and not what it does."""
    found: dict[str, list[int]] = {}
    fillers = frozenset(data.fillers)
    for index, gloss in enumerate(data.glosses):
        phrase: list[str] = []
        for word in simplify(_PHRASE_ENDS.split(gloss, maxsplit=1)[0]).split():
            if word not in fillers:
                phrase.append(find_stem(word, data.forms))
            elif phrase:
                break
        for stems in dict.fromkeys((" ".join(phrase[-1:]), " ".join(phrase[-2:]))):
            if stems:
                found.setdefault(stems, []).append(index)
    return {stems: tuple(classes) for stems, classes in found.items()}


def _find_below(data: FinderData) -> tuple[tuple[tuple[int, int], ...], ...]:
    below: list[list[tuple[int, int]]] = [[] for _ in data.ids]
    for index in range(len(data.glosses)):
        for place, height in find_heights(data, index).items():
            below[place].append((index, height))
    return tuple(tuple(one) for one in below)
