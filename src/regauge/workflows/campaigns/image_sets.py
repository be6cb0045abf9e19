"""Sets of images as campaigns are made of them: with their files and, where copies matter, their checksums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from regauge.campaigns.fields import KindFields
from regauge.campaigns.sources import OpenedSet
from regauge.errors import InputError
from regauge.fields import Field, KnownName, in_field
from regauge.formats.images.fingerprints import CHUNK, read_checksums
from regauge.records.guide.images import HiddenImages
from regauge.records.studies import TestSetRole
from regauge.storage.fingerprints import add_checksums, load_checksums, make_keys
from regauge.storage.guide import list_tested, list_trained, load_new_sets, load_tested
from regauge.storage.study import Study
from regauge.storage.testsets.pool import find_excluded
from regauge.storage.testsets.test_set import get_test_set, load_places, load_test_set, update_digests


def names_set(field: Field) -> bool:
    """Whether a setting names one test set."""
    kind = field.type
    return isinstance(kind, KnownName) and kind.what == "test set" and not kind.is_repeatable


def open_set(study: Study, table: KindFields, name: str | None) -> OpenedSet:
    """A set of images, with checksums where the kind looks for copies."""
    opened = open_images(study, name)
    return _complete_digests(study, opened) if table.compares_images else opened


def find_beside(study: Study, table: KindFields, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What a kind that looks for copies compares images with: sets that its settings name, and what people are tested with."""
    if not table.compares_images:
        return {}
    chosen = {one.name: settings[one.name] for one in table.own if names_set(one) and settings.get(one.name)}
    named = {name: in_field(name, partial(open_set, study, table, chosen[name])) for name in chosen}
    return {"named": named, **_load_others(study)}


def open_images(study: Study, name: str | None) -> OpenedSet:
    """The images of a test set, whose files are all needed, or of a batch of a pool, of which some may still be fetched.

    Raises:
        InputError: there is no such set, or its image files are not at hand.
    """
    entry = get_test_set(study, name)
    is_pool = entry.role is TestSetRole.POOL
    has_file = np.array([bool(place.path) for place in load_places(study, entry)], np.bool_)
    if not (has_file.any() if is_pool else has_file.all()):
        command = "regauge pool add PATH --images DIR" if is_pool else "regauge testset add PATH --images DIR"
        raise InputError(
            f"The image files of {entry.name} are not at hand, so nobody can look at them; add them with: {command}."
        )
    test_set, excluded = load_test_set(study, entry), find_excluded(study, entry) if is_pool else {}
    is_free = has_file & np.array([one not in excluded for one in test_set.image_ids.tolist()], np.bool_)
    return OpenedSet(entry, test_set, has_file, is_free)


def _complete_digests(study: Study, opened: OpenedSet) -> OpenedSet:
    """The set with the checksums of its images; those that are not known are read now, which may take long, and stored.

    Raises:
        FormatError: an image cannot be read.
    """
    root, places = Path(opened.entry.root), load_places(study, opened.entry)
    digests = np.array([one.sha256 or "" for one in places], object)
    missing = [row for row in opened.rows.tolist() if not digests[row]]
    if missing:
        keys = make_keys(root, [places[row] for row in missing])
        known = load_checksums(study, root)
        new = [at for at, key in enumerate(keys) if key not in known]
        chunks = read_checksums(root, [places[missing[at]] for at in new], track=study.around.track)
        for number, chunk in enumerate(chunks):
            of_chunk = [keys[at] for at in new[number * CHUNK : number * CHUNK + len(chunk)]]
            add_checksums(study, root, keys=of_chunk, checksums=chunk)
            known |= zip(of_chunk, chunk, strict=True)
        found = {row: known[key][0] for row, key in zip(missing, keys, strict=True) if known[key][0]}
        update_digests(study, opened.entry, found)
        for row, digest in found.items():
            digests[row] = digest
    return replace(opened, digests=digests.astype(np.str_))


def _load_others(study: Study) -> dict[str, Mapping[str, HiddenImages]]:
    """The images of campaigns that test people and of those that train them, closed or not, by the names of these.

    With them come all images of the new sets that people are tested on, by the names of the sets.
    """
    tested, trained = list_tested(study), list_trained(study)
    return {
        "tested": {one.name: load_tested(study, [one.id]) for one in tested},
        "trained": {one.name: load_tested(study, [one.id]) for one in trained},
        "new_sets": load_new_sets(study),
    }
