"""The findings: every number with its n and its interval, bounds where nobody judged, and nothing said that is not so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from tests.report.small_reports import make_content, make_ids, make_reviewed, make_scores, make_shift

from regauge.evaluation.conclusions import conclude
from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.evaluation.shifts import Resample
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.report.sentences import describe_fit, describe_score, describe_shift, list_findings, list_measures, rank
from regauge.workflows.evaluation.scoring import score

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}


def find(scores: Scores) -> tuple[str, ...]:
    return list_findings(make_content([scores]))


def test_the_best_and_the_last_are_named_with_n_and_interval() -> None:
    scores = make_scores({"weak": 10, "strong": 30, "middle": 20})
    strong, weak = scores.get("strong", "top1"), scores.get("weak", "top1")
    ends = [f"{100 * end:.1f}" for one in (strong, weak) for end in (one.low or 0, one.high or 0)]
    (sentence,) = find(scores)
    assert sentence == (
        f"On drawn, strong is right most often of 3 participants: 75.0% [{ends[0]}, {ends[1]}] (n = 40), Top-1 by the dataset "
        f"labels; weak least often: 25.0% [{ends[2]}, {ends[3]}] (n = 40)."
    )


def test_one_participant_is_not_compared_with_anybody() -> None:
    (sentence,) = find(make_scores({"only": 10}))
    assert sentence.startswith("On drawn, only reaches 25.0% [")
    assert sentence.endswith("(n = 40): Top-1 by the dataset labels.")


def test_nobody_is_called_the_best_where_all_or_some_are_equal() -> None:
    (sentence,) = find(make_scores({"a": 10, "b": 10}))
    assert sentence.startswith("On drawn, all 2 participants reach 25.0% [")
    (sentence,) = find(make_scores({"a": 10, "b": 30, "c": 30}))
    assert sentence.startswith("On drawn, b, as often as 1 more, is right most often of 3 participants: 75.0% [")


def test_the_version_of_the_labels_is_named() -> None:
    found = find(make_scores({"weak": 10, "strong": 30}, label_sets=[make_reviewed("people@2")]))
    assert [sentence for sentence in found if "people@2" in sentence] == [
        "On drawn by the labels people@2, strong reaches 75.0% [58.8, 87.3] (n = 40), Multi-label, lenient; nobody more."
    ]


def test_another_best_under_other_labels_is_named_beside_the_first() -> None:
    # By these labels class 1 is right everywhere, so that whoever erred most is best.
    turned = LabelSet.from_lists("turned@1", make_ids(), correct=[[1]] * 40)
    found = find(make_scores({"weak": 10, "strong": 30}, label_sets=[turned]))
    assert found[-1].startswith("On drawn by the labels turned@1, strong reaches 25.0% [")
    assert "; the most has weak: 75.0% [" in found[-1]
    (_, alone) = find(make_scores({"only": 10}, label_sets=[turned]))
    assert alone.endswith("(n = 40), Multi-label, lenient.")


def test_unjudged_predictions_give_bounds() -> None:
    scores = make_scores({"model": 10}, label_sets=[make_reviewed(n_unjudged=8)])
    (_, sentence) = find(scores)
    # 10 of 40 are right, and 8 more may be.
    assert "(n = 40; 8 predictions unjudged, so between 25.0% and 45.0%)" in sentence
    one = make_scores({"model": 10}, label_sets=[make_reviewed(n_unjudged=1)]).get("model", "multilabel_strict")
    assert describe_score(one).endswith("(n = 40; 1 prediction unjudged, so between 25.0% and 27.5%)")


def test_the_easiest_and_the_hardest_part_are_those_of_the_best(tmp_path_factory: pytest.TempPathFactory) -> None:
    lists = tmp_path_factory.mktemp("lists") / "lists.json"
    lists.write_text('{"first": ["image 0", "image 1"], "last": ["image 38", "image 39"], "none": []}')
    found = find(make_scores({"weak": 0, "strong": 30}, by=lists))
    assert found[1].startswith("For strong the easiest of 2 parts of drawn is first: 100.0% [")
    assert "; the hardest is last: 0.0% [0.0, " in found[1]
    assert found[1].count("(n = 2)") == 2


def test_equal_parts_have_no_easiest_and_shared_places_are_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    lists = tmp_path_factory.mktemp("lists") / "lists.json"
    lists.write_text('{"first": ["image 0", "image 1"], "second": ["image 2", "image 3"]}')
    assert len(find(make_scores({"only": 30}, by=lists))) == 1
    lists.write_text('{"first": ["image 0"], "second": ["image 2"], "last": ["image 39"]}')
    (_, told) = find(make_scores({"only": 30}, by=lists))
    assert "is first, as 1 more: 100.0% [" in told
    assert "the hardest is last: 0.0% [" in told


def test_equal_shares_of_different_images_are_not_one_number() -> None:
    ids = make_ids(40)
    truth = Truth(TestSet("drawn", ids, np.zeros(40, np.int32)))
    models = [Predictions(name, ids[:n], np.arange(n, dtype=np.int32) % 2) for name, n in (("a", 40), ("b", 20))]
    (sentence,) = find(score(models, truth, settings=ScoreSettings(allow_missing=True, n_bootstrap=100)))
    assert sentence.startswith(
        "On drawn, all 2 participants are right equally often, though not on equally many judged images"
    )
    assert "a: 50.0% [" in sentence


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
    assert change.endswith(" points on average over 4 models from old to fresh (limits with images drawn anew).")
    models = next(describe_shift(make_shift(OLD, FRESH, resample=Resample.MODELS)))
    assert models.endswith(" from old to fresh (limits with models drawn anew).")
    alpha = found.get_model("alpha")
    assert (
        f"alpha, the best on old by Top-1 with {alpha.original} (n = 200), reaches {alpha.new} (n = 80) on fresh" in gap
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
        f"Top-1 accuracy changes by −15.0 {ends} points on average over one model from old to fresh (limits with images drawn "
        "anew)."
    )
    assert sentences[1].startswith("alpha, the only one on old by Top-1 with 90.0% [")
    assert re.search(r"a gap of 15\.0 \[[^]]*\] points\.$", sentences[1])
    assert len(sentences) == 2
    alone = next(describe_shift(make_shift({"alpha": 180}, {"alpha": 60}, resample=Resample.MODELS)))
    assert alone == "Top-1 accuracy changes by −15.0 points on average over one model from old to fresh."


def test_nobody_is_called_the_best_of_equals_in_a_comparison() -> None:
    def tell(old: Mapping[str, int], fresh: Mapping[str, int]) -> str:
        return next(one for one in describe_shift(make_shift(old, fresh)) if "a gap of" in one)

    tied = tell({"a": 180, "b": 180, "c": 20}, {"a": 60, "b": 64, "c": 8})
    assert tied.startswith("a, one of the 2 best on old by ")
    assert tied.endswith("; it is number 2 there.")
    assert tell({"a": 180, "b": 90}, {"a": 60, "b": 20}).endswith("; it is first there too.")
    assert tell({"a": 180, "b": 90}, {"a": 60, "b": 60}).endswith("; it is first there too, with 1 more.")


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


# All of them


def test_every_number_of_the_findings_has_n_and_interval() -> None:
    reviewed = [make_reviewed(n_unjudged=8), make_reviewed("others@3")]
    scores = make_scores({"a": 10, "b": 30, "c": 20}, label_sets=reviewed)
    found = list_findings(make_content([scores], [make_shift(OLD, FRESH, scales=tuple(Scale))]))
    for sentence in found:
        percentages = re.sub(r"so between [\d.]+% and [\d.]+%", "", sentence)
        for text in re.findall(r"[\d.]+%.{0,40}", percentages):
            assert re.match(r"[\d.]+% \[[\d.]+, [\d.]+\] \(n = [\d,]+[);]", text), sentence
        for text in re.findall(r"(?:by|gap of|slope|offset) (?=[−+\d])(.{0,30})", sentence):
            assert re.match(r"[−+]?[\d.]+ \[[−+]?[\d.]+, [−+]?[\d.]+\]", text), sentence
            assert re.search(r"\d+ models|n = \d+", sentence)
    assert len(found) >= 8
