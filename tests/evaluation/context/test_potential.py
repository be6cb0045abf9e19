"""Histograms of potential labels and candidates."""

from __future__ import annotations

import numpy as np
import pytest
from tests.evaluation.context.tiny import analyse, make_counts, make_material

from regauge.evaluation.context.material import KnownOfImages
from regauge.records.candidates import PotentialLabels


def test_labels_with_counts_are_potential_labels() -> None:
    found = analyse("potential", make_material(known=KnownOfImages(counts=make_counts())))
    # a and d have two, b and c one, f three; e is not there, and has no number instead of 0.
    assert found.tables["potential"].select("n_labels", "n_images", "n").rows() == [(1, 2, 5), (2, 2, 5), (3, 1, 5)]
    (row,) = found.tables["means"].filter(what="potential labels").to_dicts()
    assert (row["n"], row["mean"], row["median"], row["least"], row["most"]) == (5, pytest.approx(9 / 5), 2.0, 1, 3)
    assert row["mean_low"] < row["mean"] < row["mean_high"]
    assert found.tables["candidates"].height == 0
    assert "Left out, as nothing says which they were: candidates for CLASSIFY." in found.notes


def make_potential(labels: dict[str, list[int]]) -> PotentialLabels:
    starts = np.cumsum([0, *map(len, labels.values())])
    classes = np.array([one for listed in labels.values() for one in listed], np.int32)
    own = np.array([listed[0] for listed in labels.values()], np.int32)
    return PotentialLabels(np.array(list(labels)), own, starts, classes, np.ones(len(classes), np.int64), top=5)


def test_potential_labels_that_are_given_lead() -> None:
    given = make_potential({"a": [0, 1, 2], "b": [1], "elsewhere": [2, 3]})
    found = analyse("potential", make_material(known=KnownOfImages(potential=given, counts=make_counts())))
    # The image that the truth does not have is not counted; two labels, which nobody has, are a row of 0.
    assert found.tables["potential"].select("n_labels", "n_images", "n").rows() == [(1, 1, 2), (2, 0, 2), (3, 1, 2)]


def test_labels_of_other_images_give_no_number() -> None:
    found = analyse("potential", make_material(known=KnownOfImages(potential=make_potential({"z": [0]}))))
    assert found.tables["potential"].height == 0
    assert found.tables["means"]["mean"].to_list() == [None]
    assert any("No image of tiny has potential labels" in note for note in found.notes)
