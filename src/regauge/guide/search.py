"""Which entries of the guide have some words in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regauge.records.guide.entries import GuideEntry, GuideHit
from regauge.records.taxonomy import Taxonomy


def search_entries(entries: Iterable[GuideEntry], words: str, *, taxonomy: Taxonomy) -> tuple[GuideHit, ...]:
    """The entries that have every word, be it part of a longer one, in their text, their cases or a name of their classes.

    Those with a word in a name come first; else the order of the entries stays. Without words there is nothing to find.
    """
    wanted = words.casefold().split()
    named: list[GuideHit] = []
    others: list[GuideHit] = []
    for entry in entries if wanted else ():
        names = _list_names(entry, taxonomy)
        lines = [*entry.text.split("\n"), *(case.note for case in entry.cases)]
        everything = "\n".join([*names, *lines]).casefold()
        if all(word in everything for word in wanted):
            is_named = any(word in name.casefold() for name in names for word in wanted)
            (named if is_named else others).append(GuideHit(entry, _find_line(lines, wanted)))
    return (*named, *others)


def _list_names(entry: GuideEntry, taxonomy: Taxonomy) -> list[str]:
    """What its classes are called; a class that the taxonomy no longer has is called nothing."""
    known = (taxonomy.classes[index] for index in entry.topic.classes if index < len(taxonomy))
    return [name for one in known for name in (one.id, *one.names)]


def _find_line(lines: Sequence[str], wanted: Sequence[str]) -> str:
    """The first line that has one of the words; empty where none has."""
    return next((line.strip() for line in lines if any(word in line.casefold() for word in wanted)), "")
