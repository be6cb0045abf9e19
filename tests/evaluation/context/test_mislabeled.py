"""Possibly mislabeled images: by counts, by the split, and by what CLASSIFY never selected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.context.tiny import ANSWERS, PARTS, analyse, make_counts, make_material, make_taxonomy
from tests.labels.objects.classify_answers import make_responses

from regauge.evaluation.context.material import KnownOfImages
from regauge.evaluation.context.registry import ANALYSES
from regauge.stats.intervals import clopper_pearson

ANSWERED = make_responses(ANSWERS)


def test_an_image_whose_label_nobody_saw_is_listed_with_what_they_saw() -> None:
    material = make_material(known=KnownOfImages(counts=make_counts(), responses=ANSWERED), taxonomy=make_taxonomy())
    found = analyse("mislabeled", material)
    # Of five images with counts one, d, has no viewer of its label: four could be found, and f is.
    assert found.tables["counts"].select("rule", "n_images", "n").rows() == [
        ("selection frequency 0", 1, 4),
        ("never selected in CLASSIFY", 1, 4),
    ]
    first, second = found.tables["images"].to_dicts()
    assert (first["image_id"], first["class_name"], first["chosen"], first["chosen_name"]) == ("f", "mat", 4, "pot")
    assert (first["chosen_n_selected"], first["chosen_n"], first["chosen_share"]) == (7, 9, pytest.approx(7 / 9))
    # Nobody of nine: by Clopper and Pearson up to a third may see it.
    assert (first["frequency"], first["frequency_high"]) == (0.0, pytest.approx(float(clopper_pearson(0, 9).high)))
    # d: three people, all of whom named 3 as the main object's.
    assert (second["image_id"], second["n"], second["chosen"], second["chosen_n_selected"]) == ("d", 3, 3, 3)


def test_the_split_tells_without_counts() -> None:
    found = analyse("mislabeled", make_material(known=KnownOfImages(parts=PARTS)))
    assert found.tables["counts"].select("n_images", "n").rows() == [(1, 6)]
    (row,) = found.tables["images"].to_dicts()
    assert (row["image_id"], row["n"], row["frequency"], row["chosen"]) == ("f", None, None, None)
    assert any("those that the split calls mislabeled" in note for note in found.notes)


def test_a_label_that_was_not_offered_cannot_be_missed() -> None:
    # d's people were offered 3 alone, so they could not select 0.
    starts, candidates = np.array([0, 2, 4, 6, 7]), np.array([0, 1, 1, 2, 2, 3, 3])
    responses = replace(ANSWERED, candidate_starts=starts, candidates=candidates)
    found = analyse("mislabeled", make_material(known=KnownOfImages(responses=responses)))
    assert found.tables["counts"].select("n_images", "n").rows() == [(0, 3)]


def test_it_needs_one_of_three_and_names_them() -> None:
    missing = ANALYSES["mislabeled"].find_missing(make_material(known=KnownOfImages()))
    assert missing == "selection frequencies or the split of the images or answers to CLASSIFY"


def test_a_label_nobody_chose_anything_instead_of_has_no_choice() -> None:
    counts = make_counts()
    selected = np.where(counts.images == 5, 0, counts.n_selected)
    found = analyse("mislabeled", make_material(known=KnownOfImages(counts=replace(counts, n_selected=selected))))
    (row,) = found.tables["images"].filter(image_id="f").to_dicts()
    assert (row["chosen"], row["chosen_share"]) == (None, None)
