"""Sentences about scores and comparisons: every number with its n and its interval, and bounds where nobody judged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
from tests.report.small_reports import make_reviewed, make_scores, make_shift

from regauge.evaluation.conclusions import conclude
from regauge.records.evaluation.fits import Resample, Scale
from regauge.report.sentences import describe_fit, describe_score, describe_shift, list_measures, rank

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}


def test_unjudged_predictions_give_bounds() -> None:
    scores = make_scores({"model": 10}, label_sets=[make_reviewed(n_unjudged=8)])
    # 10 of 40 are right, and 8 more may be.
    told = describe_score(scores.get("model", "multilabel_lenient"))
    assert told.startswith("25.0% [")
    assert told.endswith("(n = 40; 8 predictions unjudged, so between 25.0% and 45.0%)")
    one = make_scores({"model": 10}, label_sets=[make_reviewed(n_unjudged=1)]).get("model", "multilabel_strict")
    assert describe_score(one).endswith("(n = 40; 1 prediction unjudged, so between 25.0% and 27.5%)")


def test_ranks_leave_out_whoever_has_no_value(tmp_path_factory: pytest.TempPathFactory) -> None:
    lists = tmp_path_factory.mktemp("lists") / "lists.json"
    lists.write_text('{"none": []}')
    scores = make_scores({"b": 5, "a": 5, "c": 7}, by=lists)
    assert [one.participant for one in rank(scores, "top1", labels="dataset")] == ["c", "a", "b"]
    assert rank(scores, "top1", labels="dataset", subset="none") == []
    assert list_measures(scores) == [("top1", "dataset"), ("top1_balanced", "dataset")]


# Comparisons


def test_a_comparison_tells_change_gap_rank_and_line() -> None:
    found = make_shift(OLD, FRESH)
    change, gap, line, meaning = describe_shift(found)
    mean = found.mean_changes["top1"]
    assert change.startswith(f"Top-1 accuracy changes by −{abs(100 * mean.value):.1f} [−")
    assert change.endswith(" points on average over 4 models from old to fresh (limits from resampling images).")
    models = next(describe_shift(make_shift(OLD, FRESH, resample=Resample.MODELS)))
    assert models.endswith(" from old to fresh (limits from resampling models).")
    alpha = found.get_model("alpha")
    assert (
        f"alpha, the best on old by top-1 accuracy with {alpha.original} (n = 200), reaches {alpha.new} (n = 80) on fresh"
        in gap
    )
    assert f"a gap of 15.0 [{100 * alpha.gap.low:.1f}, {100 * alpha.gap.high:.1f}] points; it is number 2 there." in gap
    assert line.startswith("On the linear scale the line through 4 models has slope ")
    assert line.endswith(f" points ({found.fits[0].n_bootstrap} bootstrap samples of models).")
    assert meaning == conclude(found)


def test_one_model_has_a_mean_with_the_limits_of_its_gap_and_no_line() -> None:
    found = make_shift({"alpha": 180}, {"alpha": 60})
    sentences = list(describe_shift(found))
    ends = f"[−{100 * found.models[0].gap.high:.1f}, −{100 * found.models[0].gap.low:.1f}]"
    assert sentences[0] == (
        f"Top-1 accuracy changes by −15.0 {ends} points on average over 1 model from old to fresh (limits from "
        "resampling images)."
    )
    assert sentences[1].startswith("alpha, the only one on old by top-1 accuracy with 90.0% [")
    assert re.search(r"a gap of 15\.0 \[[^]]*\] points\.$", sentences[1])
    assert len(sentences) == 2
    alone = next(describe_shift(make_shift({"alpha": 180}, {"alpha": 60}, resample=Resample.MODELS)))
    assert alone == "Top-1 accuracy changes by −15.0 points on average over 1 model from old to fresh."


def test_nobody_is_called_the_best_of_equals_in_a_comparison() -> None:
    def tell(old: Mapping[str, int], fresh: Mapping[str, int]) -> str:
        return next(one for one in describe_shift(make_shift(old, fresh)) if "a gap of" in one)

    tied = tell({"a": 180, "b": 180, "c": 20}, {"a": 60, "b": 64, "c": 8})
    assert tied.startswith("a, one of the 2 best on old by ")
    assert tied.endswith("; it is number 2 there.")
    assert tell({"a": 180, "b": 90}, {"a": 60, "b": 20}).endswith("; it is first there too.")
    assert tell({"a": 180, "b": 90}, {"a": 60, "b": 60}).endswith("; it is first there too, tied with 1 more.")


def test_each_scale_has_its_line_and_offsets_beyond_the_linear_one_have_two_decimals() -> None:
    found = make_shift(OLD, FRESH, scales=tuple(Scale))
    lines = [describe_fit(fit) for fit in found.fits]
    assert [line.split()[2] for line in lines] == ["linear", "probit", "logit"]
    assert re.search(r"offset [−]?\d+\.\d \[[^]]*\] points \(", lines[0])
    assert all(re.search(r"offset [−]?\d+\.\d\d \[[^]]*\] \(", line) for line in lines[1:])


@pytest.mark.parametrize(
    ("fresh", "said"),
    [
        # 180, 176, … 136 of 200 are 0.9, 0.88, … 0.68, and they become 0.8, 0.75, … 0.25: slope 2.5.
        (range(64, 16, -4), "The slope is above 1 on the linear scale: better models lose less there."),
        # They become 0.5, 0.4875, … 0.3625: slope 0.625.
        (range(40, 28, -1), "The slope is below 1 on the linear scale: better models lose more there."),
        ((64, 66, 30, 40, 60, 55, 45, 35, 62, 31, 50, 48), "The slope is not clearly on either side of 1"),
    ],
)
def test_what_a_slope_says_depends_on_its_interval(fresh: Sequence[int], said: str) -> None:
    names = [f"m{place}" for place in range(12)]
    found = make_shift(dict(zip(names, range(180, 132, -4), strict=True)), dict(zip(names, fresh, strict=True)))
    assert list(describe_shift(found))[-1].startswith(said)
