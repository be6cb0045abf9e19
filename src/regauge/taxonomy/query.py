"""What somebody typed, as the search for classes reads it: its words, and which of them says what the thing is.

`static/parts/class_query.js` does the same in the browser; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

from regauge.taxonomy.finder_index import FinderIndex
from regauge.taxonomy.words import MIN_PART, find_bases, find_stem, find_typos, simplify

_MAX_WORDS = 8

_BEFORE_PURPOSE = frozenset(("for", "with", "without", "in", "on", "from", "to", "at", "that", "which"))
"""What the thing is stands before these: a bag for school. A cup of coffee may be a cup or coffee, so `of` is not one."""


@dataclass(frozen=True, slots=True)
class Query:
    """What was typed.

    Attributes:
        simple: simplified, without words that say nothing.
        words: its words.
        stems: their stems.
        head: the position of the word that says what the thing is, -1 where that cannot be told.
    """

    simple: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    head: int


def read_query(index: FinderIndex, text: str) -> Query:
    """The words of a text as the index knows them; none where it has no letters and digits."""
    typed = simplify(text).split()
    kept = leave_out_fillers(index, typed)[:_MAX_WORDS]
    parts = [read_word(index, word) for word in kept]
    n_before = sum(len(part) for part in parts[: _count_before_purpose(index, typed, kept)])
    words = tuple(word for part in parts for word in part)[:_MAX_WORDS]
    stems = tuple(find_stem(word, index.data.forms) for word in words)
    return Query(" ".join(words), words, stems, -1 if "of" in typed else min(n_before, len(words)) - 1)


def find_head_phrase(index: FinderIndex, query: Query) -> tuple[int, ...]:
    """The texts that are called as the thing is, by two of its words or more but not all: a giant satellite dish on a roof."""
    for start in range(query.head):
        if (start, query.head) != (0, len(query.words) - 1):
            numbers = index.joined.get("".join(query.stems[start : query.head + 1]))
            if numbers:
                return numbers
    return ()


def _count_before_purpose(index: FinderIndex, typed: list[str], kept: list[str]) -> int:
    """How many of the words that were kept stand before the purpose of the thing; all, where none is told."""
    if len(kept) == len(typed):
        return len(kept)
    at = next((at for at, word in enumerate(typed) if at and word in _BEFORE_PURPOSE), len(typed))
    return sum(word not in index.data.fillers for word in typed[:at]) or len(kept)


def leave_out_fillers(index: FinderIndex, words: list[str]) -> list[str]:
    """The words without those that say nothing, as of corn on the cob; all where a name has them, or nothing would be left."""
    kept = [word for word in words if word not in index.data.fillers]
    if not kept or len(kept) == len(words):
        return words
    texts = [set(index.texts_of.get(find_stem(word, index.data.forms), ())) for word in words]
    return words if texts[0].intersection(*texts[1:]) else kept


def read_word(index: FinderIndex, word: str) -> tuple[str, ...]:
    """A word as it is, or what it is made of where no name and no gloss has it: vacuum of vacuuming, or two words of one."""
    stem = find_stem(word, index.data.forms)
    if len(word) < 2 * MIN_PART or stem in index.texts_of or stem in index.joined or stem in index.glosses_of:
        return (word,)
    if word in index.joined or any(one.startswith(word) for one in index.texts_of):
        return (word,)
    if find_typos(index.letters, stem, limit=1):
        return (word,)
    for base in find_bases(word):
        if base in index.texts_of or base in index.glosses_of:
            return (base,)
    return _split_compound(index, word)


def _split_compound(index: FinderIndex, word: str) -> tuple[str, ...]:
    """The two words that one is written of, the second as long as can be."""
    for at in range(MIN_PART, len(word) - MIN_PART + 1):
        first, second = word[:at], word[at:]
        if all(find_stem(one, index.data.forms) in index.texts_of for one in (first, second)):
            return first, second
    return (word,)
