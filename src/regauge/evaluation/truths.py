"""Several truths as one: dataset labels must agree, label sets stay apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.errors import InputError
from regauge.records.arrays import find_repeated
from regauge.records.labels import Truth
from regauge.records.testsets import TestSet


def combine_truths(truths: Sequence[Truth]) -> Truth:
    """One truth with the dataset labels and label sets of all.

    Raises:
        InputError: two truths give an image different dataset labels, or two label sets have one name.
    """
    label_sets = tuple(label_set for truth in truths for label_set in truth.label_sets)
    repeated = find_repeated(label_set.name for label_set in label_sets)
    if repeated is not None:
        raise InputError(f"Two label sets are called {repeated!r}; rename one of the files.")
    test_sets = [truth.test_set for truth in truths if truth.test_set is not None]
    notes = tuple(note for truth in truths for note in truth.notes)
    objects = tuple(one for truth in truths for one in truth.objects)
    frequencies = tuple(one for truth in truths for one in truth.frequencies)
    return Truth(_combine_test_sets(test_sets), label_sets, notes, objects, frequencies)


def _combine_test_sets(test_sets: Sequence[TestSet]) -> TestSet | None:
    if len(test_sets) < 2:
        return test_sets[0] if test_sets else None
    label_of: dict[str, int] = {}
    digest_of: dict[str, str] = {}
    for test_set in test_sets:
        for image_id, label in zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True):
            if label_of.setdefault(image_id, label) != label:
                raise InputError(
                    f"The truths disagree: image {image_id!r} has the dataset label {label_of[image_id]} in one and {label} "
                    f"in {test_set.name}."
                )
        if test_set.digests is not None:
            known = zip(test_set.image_ids.tolist(), test_set.digests.tolist(), strict=True)
            digest_of |= {image_id: digest for image_id, digest in known if digest}
    digests = np.array([digest_of.get(image_id, "") for image_id in label_of], np.str_) if digest_of else None
    return TestSet(test_sets[0].name, np.array(list(label_of)), np.array(list(label_of.values())), digests)
