"""Labels that people accept one by one, and when they choose among several."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.evaluation.context.frequency_material import make_material

from regauge.errors import InputError
from regauge.evaluation.context.validation import VALIDATION, analyse
from regauge.records.evaluation.context.report import ContextSettings

FEW = ContextSettings(n_bootstrap=200)
# Image a: label 0 by 8 of 9, another by 8 and one by 4. Image b: label 1 by 6 of 9, another by 3, one by 2. Image c: label 2 was
# never shown. Image d: nobody selects the label 3, and one of nine another one.
VOTES = [
    *((0, 0, 9, 8), (0, 1, 9, 8), (0, 2, 9, 4), (0, 3, 9, 0)),
    *((1, 1, 9, 6), (1, 0, 9, 3), (1, 2, 9, 2)),
    (2, 0, 9, 9),
    *((3, 3, 9, 0), (3, 0, 9, 1), (3, 1, 9, 0)),
]
ANSWERS = {
    0: [([0, 1], 0), ([0], 0), ([1], 1), ([0], 0), ([0], 0)],
    1: [([1], 1), ([0], 0), ([1], 1), ([0], 0), ([0], 0)],
}


def test_other_labels_are_counted_by_their_frequency_relative_to_the_dataset_label():
    found = analyse(make_material([0, 1, 2, 3], votes=VOTES), FEW)
    rows = found.tables["rivals"].filter(found.tables["rivals"]["annotators"] == "all")
    # At half: a has two (8/9 and 4/9 of 8/9), b one (3/9 of 6/9), d one; image c is left out.
    assert rows["n"].to_list() == [3] * 6
    assert rows["threshold"].to_list() == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    assert rows["share"].to_list() == pytest.approx([1, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3])
    assert rows["labels"].to_list() == pytest.approx([4 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3])
    numbers = found.tables["numbers"].filter(found.tables["numbers"]["annotators"] == "all")
    assert numbers["share"].to_list()[:6] == pytest.approx([0, 2 / 3, 1 / 3, 0, 0, 0])
    assert "Left out, as nobody was asked about their dataset label: 1 image." in found.notes


def test_every_share_of_counts_has_limits_around_it_and_numbers_add_up_to_one():
    tables = analyse(make_material([0, 1, 2, 3], votes=VOTES), FEW).tables
    for name in ("rivals", "numbers"):
        table = tables[name]
        assert (table["share_low"] <= table["share"] + 1e-6).all()
        assert (table["share_high"] >= table["share"] - 1e-6).all()
    totals = tables["numbers"].group_by("annotators", "threshold").agg(pl.col("share").sum())["share"]
    assert totals.to_list() == pytest.approx([1.0] * 12)


def test_with_fewer_annotators_the_noise_of_their_votes_makes_more_rivals():
    # Labels that nobody confuses: the label by 8 of 9, and another one by 1 of 9 by mistake.
    votes = [row for image in range(26) for row in ((image, 0, 9, 8), (image, 1, 9, 1))]
    tables = analyse(make_material([0] * 26, votes=votes), FEW).tables
    rows = {(one["annotators"], one["threshold"]): one for one in tables["rivals"].to_dicts()}
    assert rows["all", 0.5]["share"] == 0
    # Of five of nine: 1/5 is never half of 4/5 or more.
    assert rows["5 drawn", 0.5]["share"] == 0
    few = analyse(make_material([0] * 26, votes=votes), ContextSettings(n_bootstrap=200, n_fewer=1)).tables["rivals"]
    # One annotator each: the other's is drawn in 1 of 9 cases, and is a rival whatever the dataset label's says.
    drawn = few.filter(few["annotators"] == "1 drawn")
    assert drawn["share"].to_list() == pytest.approx([1 / 9] * 6)
    assert (drawn["draws_low"] < 1 / 9).all()
    assert (drawn["draws_high"] > 1 / 9).all()


def test_labels_that_two_accept_stand_against_objects_that_annotators_see():
    material = make_material([0, 1, 2, 3], votes=VOTES, answers=ANSWERS)
    found = analyse(material, ContextSettings(n_bootstrap=200, n_fewer=9))
    # Annotators of CLASSIFY select 6/5 labels on image a, and one each on image b: both are in the first bin. Two or more
    # select three labels of image a in CONTAINS, and three of image b.
    first = found.tables["by_objects"].row(0, named=True)
    assert (first["annotators"], first["least"], first["objects_from"], first["n"]) == ("all", 2, 1.0, 2)
    assert first["labels"] == 3
    grid = found.tables["grid"].filter(found.tables["grid"]["annotators"] == "all")
    assert grid.select("n_labels", "n_images").rows() == [(3, 2.0)]
    # All nine being drawn, nothing changes; and one of nine suffices for as many.
    drawn = found.tables["by_objects"].filter(found.tables["by_objects"]["annotators"] == "9 drawn")
    assert drawn.select("least", "labels").rows() == [(2, pytest.approx(3)), (1, pytest.approx(3))]


def test_labels_chosen_for_the_main_object_stand_against_those_offered():
    found = analyse(make_material([0, 1, 2, 3], answers=ANSWERS), FEW)
    table = found.tables["by_offered"]
    # Image a: label 0 by four, 1 by one. Image b: label 1 by two, 0 by three. Anybody selected two labels of either.
    assert table.select("annotators", "n_offered", "n", "chosen").rows() == [
        ("all", None, 2, 1.5),
        ("all", 2, 2, 1.5),
        ("5 drawn", None, 2, 1.5),
        ("5 drawn", 2, 2, 1.5),
    ]
    assert any("is not known of 2 images" in note for note in found.notes)
    assert any(note.startswith("Left out for want of selection frequencies") for note in found.notes)


def test_more_annotators_than_there_are_cannot_be_drawn():
    material = make_material([0, 1, 2, 3], votes=VOTES)
    with pytest.raises(InputError, match=r"At most 9 annotators .* so 12 cannot be drawn from them; draw 1 to 9\."):
        analyse(material, ContextSettings(n_bootstrap=200, n_fewer=12))
    # Nobody has asked for five of three: it is left out, and said.
    small = make_material([0], votes=[(0, 0, 3, 3), (0, 1, 3, 1)])
    found = analyse(small, FEW)
    assert set(found.tables["rivals"]["annotators"]) == {"all"}
    assert any(note.startswith("Not repeated with 5 annotators") for note in found.notes)


def test_without_votes_every_table_is_empty_and_says_why():
    found = analyse(make_material([0, 1]), FEW)
    assert {name: table.height for name, table in found.tables.items()} == dict.fromkeys(VALIDATION.tables, 0)
    assert (len(found.answers), len(found.notes)) == (0, 2)


def test_limits_cover_the_share_of_images_with_rivals(rng: np.random.Generator):
    # Of 26 images per round 40% have a rival; Clopper–Pearson covers that at least as often as it says.
    covered = 0
    for _ in range(60):
        votes = []
        for image in range(26):
            votes += [(image, 0, 9, 8), (image, 1, 9, 8 if rng.random() < 0.4 else 0)]
        row = analyse(make_material([0] * 26, votes=votes), ContextSettings(n_bootstrap=100)).tables["rivals"].row(0)
        covered += row[4] <= 0.4 <= row[5]
    assert covered >= 53
