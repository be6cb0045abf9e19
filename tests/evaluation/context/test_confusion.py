"""The analysis of confusions: its tables beside plain counts, what is left out with what is missing, and released data."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.evaluation.context.confusions.small import make_counts, make_material, make_taxonomy, split_rows

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.evaluation.context.confusion import CONFUSION, TABLES
from regauge.evaluation.context.contract import ContextFindings
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.intervals import clopper_pearson

FEW = ContextSettings(n_bootstrap=100, n_listed=3)


def find(*args: Any, **material: Any) -> ContextFindings:
    settings = material.pop("settings", FEW)
    return CONFUSION.analyse(make_material(*args, **material), settings)


@pytest.fixture(scope="module")
def whole() -> ContextFindings:
    """Eighty images, six participants, people's votes of both kinds, and some ties."""
    rng = np.random.default_rng(12)
    labels = np.repeat(np.arange(8), 10)
    wrong = rng.integers(0, 8, (6, 80))
    firsts = {f"p{place}": np.where(rng.random(80) < 0.3 + 0.1 * place, labels, wrong[place]) for place in range(6)}
    mains = {row: rng.choice([labels[row], wrong[0, row]], 5).tolist() for row in range(60)}
    counts = [(row, int(one), 6, int(rng.integers(1, 7))) for row in range(80) for one in {labels[row], wrong[1, row]}]
    parts = split_rows(80, follow_up=range(60))
    return find(labels, firsts, mains=mains, counts=counts, parts=parts)


def test_every_table_has_its_columns_whatever_is_known(whole: ContextFindings) -> None:
    bare = find([0, 1])
    for found in (whole, bare):
        assert set(found.tables) == set(TABLES)
        for name, table in TABLES.items():
            assert dict(found.tables[name].schema) == dict(table.columns)
    assert not any(table.is_empty() for table in whole.tables.values())


def test_numbers_that_are_shares_have_limits_around_them(whole: ContextFindings) -> None:
    for name, share in (("confused", "confused"), ("groups", "predicted"), ("inside", "left"), ("cells", "confused")):
        table = whole.tables[name].filter(pl.col("n") > 0)
        assert (table[f"{share}_low"] <= table[share] + 1e-9).all()
        assert (table[f"{share}_high"] >= table[share] - 1e-9).all()
    table = whole.tables["alignment"]
    assert (table["correlation_low"] <= table["correlation"]).all()
    assert (table["correlation_high"] >= table["correlation"]).all()
    assert set(table["reference"]) == {"people (main label)", "people (highest frequency)", "objects"}


def test_shares_confused_are_one_minus_top1_and_rows_of_groups_add_up(whole: ContextFindings) -> None:
    rows = whole.tables["groups"].filter(pl.col("grouping") == "four")
    sums = rows.group_by("predictor", "label_group").agg(pl.col("n_predicted").sum(), pl.col("n").first())
    assert sums["n_predicted"].to_list() == pytest.approx(sums["n"].to_list())
    aligned = whole.tables["alignment"].filter(pl.col("reference") == "people (highest frequency)", scope="classes")
    confused = whole.tables["confused"].filter(scope="classes")
    for one in aligned.rows(named=True):
        own = confused.filter(predictor=one["predictor"]).row(0, named=True)
        assert own["n"] == one["n"] == 80
        assert own["confused"] == pytest.approx(1 - one["top1"])
    inside = whole.tables["inside"].filter(predictor="p5").rows(named=True)
    n_left = confused.filter(predictor="p5")["n_confused"][0]
    assert sum(one["n_inside"] + one["n_left"] for one in inside) == n_left
    groups = whole.tables["confused"].filter(predictor="p5", scope="groups")
    assert groups["n_confused"].to_list() == [sum(one["n_left"] for one in inside)]


def test_ties_are_counted_split_and_widen_the_limits(whole: ContextFindings) -> None:
    found = find([0, 0, 0, 0], counts=[(0, 1, 4, 2), (0, 2, 4, 2), (1, 1, 4, 1), (2, 0, 4, 4), (3, 0, 2, 0)])
    cell = found.tables["cells"].row(0, named=True)
    # One whole image and half of another of three: from 1 of 3 to 2 of 3.
    assert (cell["label"], cell["predicted"], cell["n_confused"], cell["n_tied"], cell["n"]) == (0, 1, 1.5, 1, 3)
    low, high = (float(clopper_pearson(k, 3)[side]) for k, side in ((1, 0), (2, 1)))
    assert (cell["confused"], cell["confused_low"], cell["confused_high"]) == pytest.approx((0.5, low, high))
    assert (
        "people (highest frequency): on 1 image several labels share the first place; each counts for a part."
        in found.notes
    )
    assert whole.tables["confused"].filter(predictor="people (highest frequency)")["n_tied"][0] > 0


def test_a_row_without_images_has_no_share() -> None:
    found = find([0, 0, 1], {"one": [2, 0, 1]})
    rows = found.tables["groups"]
    empty = rows.filter(label_group="g3")
    assert empty["n"].to_list() == [0] * 4
    assert empty["predicted"].to_list() == empty["predicted_high"].to_list() == [None] * 4
    first = rows.filter(label_group="g0")
    assert first["n_predicted"].to_list() == [2, 1, 0, 0]
    assert found.tables["inside"].filter(group="g3")["left"].to_list() == [None]


def test_classes_that_no_group_holds_have_a_column_of_their_own() -> None:
    taxonomy = make_taxonomy()
    rules = taxonomy.groupings[0].groups[:2]
    fewer = type(taxonomy)(
        "small", taxonomy.classes, taxonomy.parents, groupings=(type(taxonomy.groupings[0])("two", rules),)
    )
    found = find([0, 1, 7], {"one": [7, 1, 0]}, taxonomy=fewer)
    first = found.tables["groups"].filter(label_group="g0")
    assert first["predicted_group"].to_list() == ["g0", "g1", "(no group)"]
    assert first["n_predicted"].to_list() == [1, 0, 1]
    # The image of class 7 has no row.
    assert found.tables["confused"].filter(scope="groups")["n"].to_list() == [2]


def test_what_is_missing_is_named_and_the_rest_is_done() -> None:
    bare = find([0, 1])
    assert bare.answers == ()
    assert [note.split(":")[0] for note in bare.notes] == [
        "People's confusions and alignment with them are left out",
        "Confusions of participants are left out",
    ]
    without = find([0, 1], {"one": [1, NO_CLASS]}, taxonomy=None)
    assert without.tables["cells"].row(0, named=True)["label_name"] is None
    assert without.tables["groups"].is_empty()
    assert any("no groups of classes" in note for note in without.notes)
    assert "one has no answer to 1 image, which are left out of its confusions." in without.notes
    assert "one: most often class 0 is taken for class 1, on 1 of 1 image" in without.answers[1]
    partial = find([0, 1, 2], mains={0: [1]}, parts=split_rows(3, follow_up=[0, 1]))
    assert any(note.startswith("1 image of the follow-up without an accepted answer") for note in partial.notes)
    unsplit = find([0, 1, 2], mains={0: [1]})
    assert any("of the 1 image of CLASSIFY alone" in note for note in unsplit.notes)


def test_one_class_only_gives_no_alignment() -> None:
    found = find([0, 0], {"one": [0, 0]}, mains={0: [0], 1: [0]}, taxonomy=make_taxonomy(1, n_groups=1))
    assert found.tables["alignment"].is_empty()
    assert found.tables["cells"].is_empty()
    assert any("fewer than 4 groups" in note for note in found.notes)


def test_a_participant_who_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="No participant is called 'x"):
        find([0], {"one": [0]}, settings=ContextSettings(n_bootstrap=100, participant=("x*",)))


def test_lists_are_of_those_who_are_asked_for_and_alignment_of_all() -> None:
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(8), 5)
    firsts = {name: rng.integers(0, 8, 40) for name in ("a", "b", "c", "d")}
    counts = [(row, int(one), 4, 4) for row, one in enumerate(rng.integers(0, 8, 40))]
    settings = ContextSettings(n_bootstrap=100, n_listed=2, participant=("b", "d"))
    found = find(labels, firsts, counts=counts, settings=settings)
    assert set(found.tables["cells"]["predictor"]) == {"b", "d", "people (highest frequency)"}
    assert found.tables["cells"]["rank"].max() == 2
    assert set(found.tables["alignment"]["predictor"]) == {"a", "b", "c", "d"}
    assert found.tables["trends"]["n"].unique().to_list() == [4]
    again = find(labels, firsts, counts=counts, settings=settings)
    for name, table in found.tables.items():
        assert table.equals(again.tables[name])
    assert make_counts(1, [(0, 0, 1, 1)]).frequencies.tolist() == [1]
