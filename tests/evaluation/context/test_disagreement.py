"""Classes with other main labels than the dataset's, and classes that people see and participants miss."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.context.frequency_material import make_material, simulate_counts

from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.disagreement import DISAGREEMENT, analyse
from regauge.evaluation.context.several.company import find_co_occurring
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.label_set import Truth
from regauge.records.labels.objects import ImageObjects
from regauge.records.testsets.test_set import TestSet

FEW = ContextSettings(n_bootstrap=200)
# Images a, b, c are of class 0 and show a uniform, class 1, on a and b: people name that. Images d and e are of class 1, e easy.
LABELS = [0, 0, 0, 1, 1]
ANSWERS = {
    0: [([0, 1], 1), ([0, 1], 1), ([0, 1], 0), ([1], 1)],
    1: [([0, 1], 1), ([0, 1], 1), ([0, 1], 1), ([0, 1], 1)],
    2: [([0], 0), ([0], 0), ([0], 0), ([0], 0)],
    3: [([1], 1), ([1], 1), ([1], 1), ([1], 1)],
}
VOTES = [(0, 0, 10, 9), (0, 1, 10, 8), (1, 0, 10, 10), (1, 1, 10, 10), (2, 0, 10, 8), (2, 1, 10, 0), (3, 1, 10, 9)]
FIRSTS = {"model": [0, 0, 1, 1, 0]}


def test_classes_are_compared_by_hand_with_the_frequencies_of_both_labels():
    found = analyse(make_material(LABELS, FIRSTS, votes=VOTES, answers=ANSWERS, easy=[4]), FEW)
    first, second = found.tables["classes"].to_dicts()
    assert (first["class"], first["n"], first["n_other"], first["main"], first["n_main"]) == (0, 3, 2, 1, 2)
    assert first["share"] == pytest.approx(2 / 3)
    # Annotators name class 0: 1 of 4, none and 4 of 4.
    assert (first["n_asked"], first["annotators"]) == (3, pytest.approx(1.25 / 3))
    # Both labels on all images of the class: 0.9, 1 and 0.8, and 0.8, 1 and 0.
    assert (first["frequency"], first["main_frequency"]) == pytest.approx((0.9, 0.6))
    # Of class 1 two images are known, an easy one among them, and both agree; nobody was asked about the main object of e.
    assert (second["class"], second["n"], second["n_other"], second["main"], second["n_asked"]) == (1, 2, 0, None, 1)
    assert second["main_frequency"] is None
    (note,) = found.notes
    assert "of 4 images; the main label of 1 easy image is the dataset label" in note


def test_participants_are_told_on_all_images_of_a_class_and_on_those_with_another_main_label():
    found = analyse(make_material(LABELS, FIRSTS, answers=ANSWERS, easy=[4]), FEW)
    first, second = found.tables["participants"].to_dicts()
    assert (first["class"], first["n"], first["n_right"]) == (0, 3, 2)
    assert (first["n_other"], first["n_other_right"], first["accuracy_other"]) == (2, 2, 1.0)
    # Nothing differs in class 1, so there is no accuracy there, which is not 0.
    assert (second["n_other"], second["accuracy_other"]) == (0, None)


def test_one_image_of_one_does_not_come_before_nine_of_ten():
    named = [1, *[2] * 9, 0]
    answers = {place: [([one], one)] for place, one in enumerate(named)}
    table = analyse(make_material([3] + [0] * 10, answers=answers), FEW).tables["classes"]
    assert table.select("class", "n", "n_other").rows() == [(0, 10, 9), (3, 1, 1)]


def test_what_is_beside_the_dataset_label_is_a_distinct_object_by_its_name():
    material = make_material([0, 0, 0, 0, 1])
    objects = ImageObjects.from_lists(
        "toy",
        material.target.image_ids,
        # Beside class 0 are: 5; 5 and 6; nothing, for 7 is a name of the same object; 6 alone, in an image without class 0.
        objects=[[[0], [5]], [[0, 8], [5], [6]], [[7, 0]], [[6]], [[1], [0]]],
    )
    found = find_co_occurring(replace(material, objects=objects), np.array([0, 1]), level=0.95)
    assert found.classes.tolist() == [5, 0]
    assert (found.n_beside.tolist(), found.n_known.tolist()) == ([2, 1], [4, 1])


def test_of_equally_many_the_lower_class_is_named():
    material = make_material([0, 0])
    objects = ImageObjects.from_lists("toy", material.target.image_ids, objects=[[[0], [9]], [[0], [5]]])
    assert find_co_occurring(replace(material, objects=objects), np.array([0]), level=0.95).classes.tolist() == [5]


def test_classes_that_people_see_and_a_participant_misses_come_first_with_what_is_beside(rng: np.random.Generator):
    labels = np.repeat(np.arange(30, dtype=np.int32), 10)
    truth = np.full((30, 30), 0.05)
    np.fill_diagonal(truth, 0.95)
    # Nobody sees class 7 and nobody is right on it: its frequency is low, so that it is not among them.
    truth[7, 7] = 0.1
    firsts = np.where(rng.random(300) < 0.9, labels, (labels + 1) % 30).astype(np.int32)
    firsts[np.isin(labels, (3, 7))] = 0
    target = line_up(Truth(TestSet("drawn", np.array([f"i{one}" for one in range(300)]), labels)))
    objects = ImageObjects.from_lists(
        "drawn", target.image_ids, objects=[[[int(one)], [0]] if one == 3 else [[int(one)]] for one in labels]
    )
    material = ContextMaterial(target, None, ("model",), firsts[np.newaxis], objects=objects)
    material = replace(material, counts=simulate_counts(material, truth, rng=rng))
    found = analyse(material, ContextSettings(n_bootstrap=200, n_listed=4))
    table = found.tables["missed"]
    first = table.row(0, named=True)
    assert (first["class"], first["n_right"], first["beside"], first["n_beside"]) == (3, 0, 0, 10)
    assert (table.height, 7 in table["class"].to_list()) == (4, False)
    assert first["stays"] > 0.98
    assert (table["frequency"] >= 0.75).all()


def test_without_answers_or_votes_the_rest_is_done_and_named():
    found = analyse(make_material(LABELS, FIRSTS), FEW)
    assert {name: (table.height, dict(table.schema)) for name, table in found.tables.items()} == {
        name: (0, dict(table.columns)) for name, table in DISAGREEMENT.tables.items()
    }
    assert [note.split(":")[0].removeprefix("Left out for want of ") for note in found.notes] == [
        "answers to CLASSIFY",
        "selection frequencies",
        "objects",
    ]
    without = analyse(make_material(LABELS, votes=VOTES, answers=ANSWERS), FEW)
    assert without.tables["participants"].height == 0
    assert without.tables["classes"].height == 2
