"""Files that are fetched after their candidates were added: a table goes into the pool first, and its images join it later."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.arrays import BoolArray
from regauge.errors import InputError
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.records.testsets.fingerprints import Fingerprints
from regauge.records.testsets.pool import GatheredImages
from regauge.storage.study import Study
from regauge.storage.testsets.pool import load_facts, update_checksums
from regauge.storage.testsets.test_set import load_places, load_test_set, update_places

FACTS = ("keywords", "taken_at", "uploaded_at", "sources", "licences", "urls")
"""What a reader tells about a candidate."""


def find_fetched(study: Study, there: TestSetEntry, gathered: GatheredImages) -> BoolArray:
    """Per image, whether its file is new to the batch of its name; the batch has the image with the same class and facts.

    Args:
        study: the study, inside a transaction.
        there: the batch.
        gathered: its images, or those of them that are at hand.

    Raises:
        InputError: the batch of that name has other images, or its files lie elsewhere.
    """
    located = gathered.located
    rows, files = _find_rows(study, there, gathered), [place.path for place in located.places]
    known = [place.path for place in load_places(study, there)]
    is_part = len(rows) < there.n_images and not any(files)
    if is_part or any(known[row] and file and known[row] != file for row, file in zip(rows, files, strict=True)):
        raise _make_error(there)
    if any(known) and any(files) and there.root != located.root:
        raise InputError(
            f"The study has these candidates below {there.root}; if they were moved: regauge testset relocate {there.name} DIR."
        )
    return np.array([bool(file) and not known[row] for row, file in zip(rows, files, strict=True)], np.bool_)


def join_files(study: Study, there: TestSetEntry, gathered: GatheredImages) -> None:
    """Store where the images of a batch lie, and their checksums.

    Args:
        study: the study, inside a transaction.
        there: the batch.
        gathered: those of its images that were fetched.
    """
    located, rows = gathered.located, _find_rows(study, there, gathered)
    files = {row: place.path for row, place in zip(rows, located.places, strict=True)}
    update_places(study, there, root=located.root, files=files)
    bytes_of = dict(zip(rows, [place.sha256 or "" for place in located.places], strict=True))
    pixels_of = dict(zip(rows, gathered.facts.pixels_sha256.tolist(), strict=True))
    columns = [
        np.array([found.get(row, "") for row in range(there.n_images)], np.str_) for found in (bytes_of, pixels_of)
    ]
    update_checksums(study, there, Fingerprints(columns[0], columns[1]))


def _find_rows(study: Study, there: TestSetEntry, gathered: GatheredImages) -> Sequence[int]:
    """The rows of the images in the batch, which has them with the same class and facts."""
    stored, mine = load_test_set(study, there), gathered.located.test_set
    row_of = {image_id: row for row, image_id in enumerate(stored.image_ids.tolist())}
    rows = [row_of[one] for one in mine.image_ids.tolist() if one in row_of]
    if there.role is not TestSetRole.POOL or len(rows) < len(mine):
        raise _make_error(there)
    facts = load_facts(study, there)
    pairs = [(getattr(facts, name)[rows], getattr(gathered.facts, name)) for name in FACTS]
    if not all(np.array_equal(before, now) for before, now in [(stored.labels[rows], mine.labels), *pairs]):
        raise _make_error(there)
    return rows


def _make_error(there: TestSetEntry) -> InputError:
    return InputError(
        f"The study already has another set of images {there.name!r}; give the new one another name with `name=…`."
    )
