"""`open_site`: everything that the pages of a website can ask for, each part made when it is asked for.

The static export writes all parts; the server answers those that somebody asks for. Both go by the same names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from regauge.errors import InputError
from regauge.formats.site.packing import name_chunk, write_chunk
from regauge.formats.site.study import SiteNames, SiteStudy, pack_classes, pack_index, pack_links, pack_table
from regauge.formats.taxonomies import load_word_lists
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.site import Chunk, ChunkName, SitePictures, SiteSettings
from regauge.records.studies import SUPERSEDED, LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.storage.events import count_events
from regauge.storage.labels.label_set import covers, get_label_set, list_label_sets
from regauge.storage.mistakes.codings import list_codings
from regauge.storage.predictions import list_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.pool import list_pools
from regauge.storage.testsets.test_set import get_test_set, list_test_sets, load_test_set
from regauge.taxonomy.finder_index import collect_finder_data
from regauge.taxonomy.groups import find_groups
from regauge.workflows.site.context import pack_split, pack_together
from regauge.workflows.site.facts import describe_set, gather_scores
from regauge.workflows.site.sets import SiteSet
from regauge.workflows.site.tables import TABLE_SOURCES, TableSource

Make = Callable[[Study], Mapping[str, Any] | None]


@dataclass(eq=False)
class SiteSource:
    """The parts of a website.

    Attributes:
        settings: what it shows.
        state: stands for the study as it is; another state has other parts.
        sets: its test sets, then batches of pools.
        participants: everybody who answered, in the order of their numbers.
        labels: versions of label sets, likewise.
        codings: coded mistakes, likewise.
        makers: by the name of every part, what makes it; a part that turns out to hold nothing is None.
    """

    settings: SiteSettings
    state: str
    sets: tuple[SiteSet, ...]
    participants: tuple[PredictionsEntry, ...]
    labels: tuple[LabelSetEntry, ...]
    codings: tuple[CodingEntry, ...]
    makers: dict[ChunkName, Make] = field(default_factory=dict, repr=False)

    def list_chunks(self) -> tuple[ChunkName, ...]:
        """The names of all parts, what a reader sees first at the beginning."""
        return tuple(self.makers)

    def make_chunk(self, study: Study, name: str) -> bytes:
        """A part, as a script.

        Args:
            study: the study inside a transaction.
            name: which part.

        Raises:
            InputError: there is no part of that name.
        """
        maker = self.makers.get(ChunkName(name))
        if maker is None:
            raise InputError(f"The website has no part {name[:80]!r}.")
        payload = maker(study)
        # What nobody knows is told, so that a page need not guess why a file is missing.
        return write_chunk(Chunk(ChunkName(name), {"none": True} if payload is None else payload), state=self.state)


def find_state(study: Study, settings: SiteSettings) -> str:
    """What stands for the study as it is and what is shown of it."""
    text = f"{study.id} {count_events(study)} {settings}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def open_site(study: Study, settings: SiteSettings | None = None) -> SiteSource:
    """Find what a website of the study has; what takes long is read when its part is made.

    Args:
        study: the study inside a transaction; one that reads is enough.
        settings: which test set, labels and participants, and whether pictures.

    Raises:
        InputError: there is no test set yet, or nothing of a name that was given.
    """
    chosen = settings or SiteSettings()
    entries = (
        [get_test_set(study, chosen.test_set)] if chosen.test_set else [*list_test_sets(study), *list_pools(study)]
    )
    if not entries:
        raise InputError(
            "There is nothing to show yet: the study has no test set. Add one with: regauge testset add PATH."
        )
    answers = _choose_answers(study, entries, chosen)
    participants = tuple({one.participant: one for found in answers for one in found}.values())
    labels = _choose_labels(study, chosen)
    codings = _choose_codings(study, chosen, shown={one.name for one in entries})
    sets = tuple(
        SiteSet(
            entry=entry,
            test_set=load_test_set(study, entry),
            predictions=found,
            labels={number: one for number, one in enumerate(labels) if covers(study, one, test_set=entry)},
            codings={number: one for number, one in enumerate(codings) if one.test_set == entry.name},
            n_classes=len(study.taxonomy),
        )
        for entry, found in zip(entries, answers, strict=True)
    )
    source = SiteSource(chosen, find_state(study, chosen), sets, participants, labels, codings)
    source.makers |= dict(_list_makers(source))
    return source


def _list_makers(source: SiteSource) -> Iterator[tuple[ChunkName, Make]]:
    """Every part of the website with what makes it."""
    yield ChunkName("index"), lambda study: _make_index(study, source)
    yield ChunkName("scores"), lambda study: gather_scores(study, source.sets)
    yield ChunkName("classes"), _make_classes
    yield ChunkName("links"), lambda study: pack_links(study.taxonomy)
    yield ChunkName("finder"), lambda study: collect_finder_data(study.taxonomy, load_word_lists()).to_json()
    for key, one in enumerate(source.sets):
        yield from _list_set_makers(key, one)
        if source.settings.pictures is not SitePictures.NONE:
            yield name_chunk("s", key, "-p"), partial(one.pack_pictures, mode=source.settings.pictures)
    for tables in TABLE_SOURCES:
        yield name_chunk("t-", tables.name), partial(_make_tables, tables=tables, sets=source.sets)


def _list_set_makers(key: int, one: SiteSet) -> Iterator[tuple[ChunkName, Make]]:
    yield name_chunk("s", key), one.pack_images
    for number in one.labels:
        label = name_chunk("s", key, "-l", number)
        yield label, partial(one.pack_labels, number=number)
        yield name_chunk(label, "-f"), partial(one.pack_frequencies, number=number)
        yield name_chunk(label, "-o"), partial(one.pack_objects, number=number)
        yield name_chunk(label, "-e"), partial(one.pack_evidence, number=number)
    if one.labels:
        yield name_chunk("s", key, "-together"), partial(pack_together, one=one)
        yield name_chunk("s", key, "-split"), partial(pack_split, one=one)
    for number in one.codings:
        yield name_chunk("s", key, "-c", number), partial(one.pack_coding, number=number)
    if one.predictions:
        yield name_chunk("s", key, "-classes"), one.pack_class_counts
    for number in range(len(one.predictions)):
        yield name_chunk("s", key, "-a", number), partial(one.pack_firsts, place=number)
    for number in range(one.n_blocks):
        yield name_chunk("s", key, "-b", number), partial(one.pack_block, number=number)
    for number in range(one.n_shards):
        yield name_chunk("s", key, "-w", number), partial(one.pack_wrong, number=number)


def _make_index(study: Study, source: SiteSource) -> Mapping[str, Any]:
    numbers = {one.participant: number for number, one in enumerate(source.participants)}
    name = source.settings.title or study.paths.folder.name
    return pack_index(
        SiteStudy(name, study.about, study.taxonomy.name, len(study.taxonomy), study.around.now()),
        settings=source.settings,
        sets=[describe_set(study, one, numbers=numbers) for one in source.sets],
        names=SiteNames(source.participants, source.labels, source.codings),
        tables={one.name: one.title for one in TABLE_SOURCES},
    )


def _make_tables(study: Study, *, tables: TableSource, sets: Sequence[SiteSet]) -> Mapping[str, Any] | None:
    found = tables.make(study, sets)
    return {"tables": [pack_table(one) for one in found]} if found else None


def _make_classes(study: Study) -> Mapping[str, Any]:
    taxonomy = study.taxonomy
    return pack_classes(taxonomy, {one.name: find_groups(taxonomy, one.name) for one in taxonomy.groupings})


def _choose_answers(
    study: Study, entries: Iterable[TestSetEntry], settings: SiteSettings
) -> list[tuple[PredictionsEntry, ...]]:
    """Whose answers are shown on every set; those that belong to another state of a set are left out.

    Raises:
        InputError: nobody on any of the sets has a name that was given.
    """
    found, known = [], list_predictions(study)
    if settings.participants and not known:
        raise InputError("The study has no predictions yet; add them with: regauge predictions add FILE….")
    for glob in settings.participants:
        if not any(fnmatchcase(one.participant, glob) for one in known):
            names = ", ".join(dict.fromkeys(one.participant for one in known))
            raise InputError(f"No participant matches {glob!r}; there are: {names[:300]}.")
    for entry in entries:
        mine = [one for one in known if one.test_set == entry.name and one.test_set_digest == entry.digest]
        globs = settings.participants or ("*",)
        found.append(tuple(one for one in mine if any(fnmatchcase(one.participant, glob) for glob in globs)))
    return found


def _choose_labels(study: Study, settings: SiteSettings) -> tuple[LabelSetEntry, ...]:
    """The versions of label sets that are shown; those that an erasure made void are left out.

    Raises:
        InputError: there is no such label set or version.
    """
    if settings.labels:
        return tuple({one.id: one for one in (get_label_set(study, name) for name in settings.labels)}.values())
    return tuple(one for one in list_label_sets(study) if SUPERSEDED not in one.provenance)


def _choose_codings(study: Study, settings: SiteSettings, *, shown: Collection[str]) -> tuple[CodingEntry, ...]:
    """The latest codings on the sets that are shown, of those who are asked for, whether they have predictions or not."""
    globs = settings.participants or ("*",)
    latest = {one.name: one for one in list_codings(study) if SUPERSEDED not in one.provenance}
    mine = (one for one in latest.values() if one.test_set in shown)
    return tuple(one for one in mine if any(fnmatchcase(one.participant, glob) for glob in globs))
