"""Where models stand among published ones: ranks, distances from their line, and which set is which."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.evaluation.sides import compare

from regauge.errors import InputError
from regauge.estimates import Share
from regauge.evaluation.published_standings import find_rank, stand_beside, stand_scores_beside
from regauge.evaluation.standing_sentences import describe_published
from regauge.records.evaluation.accuracies import ACCURACY_COLUMNS, AccuracyTable, Beside
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import PublishedShift, Shift
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.scoring import score

N_OLD, N_FRESH = 2_000, 1_000
PLACES = range(20)


def make_table(*, n_models: int = 20, **renamed: str) -> AccuracyTable:
    """Published models on the line new = original − 0.1."""
    names = {"old": "old", "fresh": "fresh"} | renamed
    rows = [
        (f"p{place:02}", names[name], "top1", n, k, k / n)
        for place in range(n_models)
        for name, n, k in (("old", N_OLD, 1_000 + 40 * place), ("fresh", N_FRESH, 400 + 20 * place))
    ]
    return AccuracyTable("papers", pl.DataFrame(rows, schema=dict(ACCURACY_COLUMNS), orient="row"))


def make_shift(k_old: int = 1_410, k_fresh: int = 605) -> Shift:
    return compare({"mine": k_old}, {"mine": k_fresh}, (N_OLD, N_FRESH))


def stand(shift: Shift | None = None, table: AccuracyTable | None = None, **request: object) -> Shift:
    beside = replace(Beside("papers"), **request)  # type: ignore[arg-type]
    return stand_beside(shift or make_shift(), table or make_table(), beside)


def get_published(shift: Shift) -> PublishedShift:
    assert shift.published is not None
    return shift.published


def test_a_rank_counts_better_models_and_its_limits_those_that_are_better_or_worse_for_certain() -> None:
    # 75 of 100 against 90, 76, 75, 60: two are better, of which 76 cannot be told apart, and neither can 75. By Newcombe at
    # 1 − 0.05/4 the difference from 90 is [0.01, 0.28], that from 60 [−0.31, 0.02].
    own, published = Share(0.75, 0.6, 0.9, n=100, k=75), np.array([[90, 100], [76, 100], [75, 100], [60, 100]])
    assert find_rank(own, published, level=0.95) == (3, 2, 5)
    many = published * 100
    assert find_rank(Share(0.75, 0.7, 0.8, n=10_000, k=7_500), many, level=0.95) == (3, 2, 4)
    assert find_rank(Share(0.75, 0.7, 0.8, n=10_000, k=7_500), many[[0, 3]], level=0.95) == (2, 2, 2)


def test_the_rank_is_told_on_both_sets() -> None:
    first, second = get_published(stand()).standings
    assert (first.test_set, first.rank, first.n_published) == ("old", 10, 20)
    assert (second.test_set, second.rank) == ("fresh", 10)
    assert first.rank_low < 10 < first.rank_high
    assert first.n_unclear == first.rank_high - first.rank_low


def test_the_distance_from_the_line_is_what_arithmetic_gives() -> None:
    # The published models lie on new = original − 0.1; 0.705 − 0.1 = 0.605, which is on the line.
    on_line = get_published(stand()).residuals[0].distance
    assert on_line.value == pytest.approx(0)
    assert on_line.low < 0 < on_line.high
    above = get_published(stand(make_shift(k_fresh=705))).residuals[0].distance
    assert above.value == pytest.approx(0.1)
    assert above.low > 0


def test_the_limits_hold_the_chance_of_both_sets() -> None:
    distance = get_published(stand()).residuals[0].distance
    # The variances of both accuracies alone: 0.605 · 0.395 / 1,000 + 0.705 · 0.295 / 2,000 = 0.000343, twice 1.96 of its root.
    assert distance.high - distance.low == pytest.approx(2 * 1.96 * np.sqrt(0.000343), rel=0.15)


def test_sentences_say_what_the_limits_allow_and_no_more() -> None:
    said = "\n".join(describe_published(get_published(stand()), level=0.95))
    assert (
        "mine ranks 10 of 21 by top1 on old, among the 20 models of papers and itself; 95% limits put it between"
        in said
    )
    assert "cannot be told apart from the line" in said
    high = "\n".join(describe_published(get_published(stand(make_shift(k_fresh=705))), level=0.95))
    assert "more accurate on the new set than the line predicts" in high
    low = "\n".join(describe_published(get_published(stand(make_shift(k_fresh=505))), level=0.95))
    assert "less accurate on the new set than the line predicts" in low


def test_sets_are_known_by_name_by_request_or_by_their_number_of_images() -> None:
    by_n = stand(table=make_table(old="val", fresh="v2"))
    assert (get_published(by_n).shift.original, get_published(by_n).shift.new) == ("val", "v2")
    asked = stand(table=make_table(old="val", fresh="v2"), original_set="val", new_set="v2")
    assert get_published(asked).standings == get_published(by_n).standings
    spelled = stand(table=make_table(old="OLD", fresh="Fresh"))
    assert get_published(spelled).shift.original == "OLD"
    assert any("old and fresh are taken to be val and v2 of papers" in note for note in by_n.notes)


def test_a_set_that_may_be_several_is_asked_for() -> None:
    table = make_table(old="val", fresh="v2")
    more = table.frame.filter(pl.col("set") == "v2").with_columns(set=pl.lit("v3"))
    both = replace(table, frame=pl.concat([table.frame, more]))
    with pytest.raises(
        InputError, match=r"not clear which set of papers fresh is: .* v2, v3 have as many images \(1,000\)"
    ):
        stand(table=both)
    with pytest.raises(InputError, match="papers has no set 'v4'"):
        stand(table=both, new_set="v4")


def test_another_number_of_images_is_refused() -> None:
    with pytest.raises(
        InputError, match="old of papers has 2,000 images under top1, and old has 1,999: these are different"
    ):
        stand(compare({"mine": 5}, {"mine": 5}, (1_999, N_FRESH)))
    with pytest.raises(InputError, match=r"none has as many images \(1,999\)"):
        stand(compare({"mine": 5}, {"mine": 5}, (1_999, N_FRESH)), make_table(old="val"))


def test_a_table_without_n_takes_that_of_the_test_set() -> None:
    table = make_table()
    alone = table.frame.with_columns(n=pl.lit(None, pl.Int64), n_correct=pl.lit(None, pl.Int64))
    found = stand(table=replace(table, frame=alone))
    assert get_published(found).shift.models == get_published(stand()).shift.models


def test_models_are_left_out_by_globs_and_where_one_set_lacks_them() -> None:
    assert len(get_published(stand(without=("p0*",))).shift.models) == 10
    table = make_table()
    found = stand(table=replace(table, frame=table.frame[:-1]))
    assert len(get_published(found).shift.models) == 19
    assert "1 published model is on one of old and fresh only, and left out." in found.notes
    with pytest.raises(InputError, match="No model of papers matches 'q\\*'"):
        stand(without=("q*",))
    with pytest.raises(InputError, match="No model of papers is left"):
        stand(without=("*",))


def test_few_published_models_are_warned_of_and_one_has_no_line() -> None:
    few = stand(table=make_table(n_models=4))
    assert any("resampling the 4 models of papers, which are too few" in note for note in few.notes)
    one = stand(table=make_table(n_models=1))
    assert get_published(one).residuals == ()
    assert any(note.startswith("There is no line through 1 model of papers, so nobody has a") for note in one.notes)


def test_two_published_models_have_no_line_for_any_two_lie_on_one() -> None:
    two = stand(table=make_table(n_models=2))
    assert (get_published(two).residuals, get_published(two).shift.fits) == ((), ())
    assert any("a line takes at least 3 models that are not all equally accurate" in note for note in two.notes)
    assert get_published(stand(table=make_table(n_models=3))).residuals


def test_a_name_that_both_have_is_told() -> None:
    found = stand(compare({"p03": 1_410}, {"p03": 605}, (N_OLD, N_FRESH)))
    assert any(note.startswith("p03 is also the name of a model of papers") for note in found.notes)
    assert not any("is also the name" in note for note in stand().notes)


def test_balanced_means_have_no_published_models() -> None:
    shift = make_shift()
    with pytest.raises(InputError, match="top1_balanced is a mean over classes"):
        stand(replace(shift, settings=replace(shift.settings, metric="top1_balanced")))


def test_a_comparison_has_the_ranks_and_the_distance_in_its_rows() -> None:
    row = stand().to_frame().row(0, named=True)
    assert (row["beside_rank_original"], row["beside_rank_new"]) == (10, 10)
    assert row["beside_residual_low"] < row["beside_residual"] < row["beside_residual_high"]
    assert "beside_residual" not in make_shift().to_frame().columns


# Scores


def make_scores() -> Scores:
    ids = np.array([str(place) for place in range(N_OLD)])
    answers = (np.arange(N_OLD) >= 1_410).astype(np.int32)
    return score(Predictions("mine", ids, answers), TestSet("old", ids, np.zeros(N_OLD, np.int32)))


def test_scores_have_a_rank_under_the_metrics_that_both_have() -> None:
    found = stand_scores_beside(make_scores(), make_table(), Beside("papers"))
    assert found.published is not None
    assert [(one.metric, one.rank) for one in found.published.standings] == [("top1", 10)]
    ranks = dict(found.to_frame().select("metric", "beside_rank").rows())
    assert ranks == {"top1": 10, "top1_balanced": None}
    assert any("old is taken to be old of papers" in note for note in found.notes)


def test_scores_on_another_set_are_refused() -> None:
    with pytest.raises(InputError, match="fresh of papers has 1,000 images under top1, and old has 2,000"):
        stand_scores_beside(make_scores(), make_table(), Beside("papers", original_set="fresh"))
    table = make_table()
    other = replace(table, frame=table.frame.with_columns(metric=pl.lit("real")))
    with pytest.raises(InputError, match="On old papers has real, and nothing under top1"):
        stand_scores_beside(make_scores(), other, Beside("papers", original_set="old"))


@pytest.mark.parametrize(
    ("released", "known"),
    [
        ("imagenetv2-b-33", "matched-frequency"),
        ("imagenetv2-a-44", "threshold-0.7"),
        ("ImageNetV2_matched_frequency", "matched-frequency"),
    ],
)
def test_sets_of_imagenetv2_are_known_by_the_names_of_their_files(released: str, known: str) -> None:
    shift = replace(make_shift(), new=released)
    table = make_table(old="old", fresh=known)
    assert stand_beside(shift, table, Beside(table)).published.shift.new == known  # type: ignore[union-attr]
    doubled = AccuracyTable("papers", pl.concat([table.frame, make_table(old="other", fresh="second").frame]))
    assert stand_beside(shift, doubled, Beside(doubled)).published.shift.new == known  # type: ignore[union-attr]


def test_a_set_that_is_not_clear_is_asked_for_by_the_field_of_beside() -> None:
    doubled = AccuracyTable("papers", pl.concat([make_table().frame, make_table(old="other", fresh="second").frame]))
    with pytest.raises(
        InputError,
        match=r"It is not clear which set of papers mine is: .* Say which by `Beside\(new_set=…\)`: old, fresh",
    ):
        stand_beside(replace(make_shift(), new="mine"), doubled, Beside(doubled))
