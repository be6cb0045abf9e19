"""The audit of right answers: who is drawn, worked numbers, and coverage where the truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.evaluation.reviews.audits import draw_audit, report_audit
from regauge.records.evaluation.audits import AuditReport, AuditSample
from regauge.records.evaluation.reviews import ReviewField, ReviewMetric
from regauge.records.labels.label_set import LabelSet
from regauge.records.testsets.test_set import TestSet

N = 1_000
"""Images, of which the last 100 are answered differently by a and b."""


def make_field() -> ReviewField:
    labels = np.zeros(N, np.int32)
    answers = np.zeros((2, N), np.int32)
    answers[1, 900:] = 1
    return ReviewField(TestSet("t", [f"i{one}" for one in range(N)], labels), ("a", "b"), answers)


def judge(
    sample: AuditSample, *, wrong: set[str], problematic: set[str], unclear: frozenset[str] = frozenset()
) -> LabelSet:
    """Verdicts on the dataset labels of the audit."""
    ids = sample.image_ids.tolist()
    return LabelSet.from_lists(
        "L",
        ids,
        correct=[[] if one in wrong | unclear else [0] for one in ids],
        unclear=[[0] if one in unclear else [] for one in ids],
        wrong=[[0] if one in wrong else [] for one in ids],
        is_problematic=[one in problematic for one in ids],
    )


def limit(report: AuditReport) -> tuple[float, float]:
    """The limits of the first participant's corrected accuracy."""
    corrected = report.accuracies[0].corrected
    assert corrected.low is not None
    assert corrected.high is not None
    return corrected.low, corrected.high


def test_images_on_which_everybody_agrees_are_drawn_by_seed():
    field = make_field()
    sample = draw_audit(field, n=300)
    assert (len(sample), len(sample.agreed_ids)) == (300, 900)
    assert set(sample.image_ids.tolist()) <= set(field.test_set.image_ids[:900].tolist())
    assert draw_audit(field, n=300).image_ids.tolist() == sample.image_ids.tolist()
    assert draw_audit(field, n=300, seed=1).image_ids.tolist() != sample.image_ids.tolist()
    assert len(draw_audit(field, n=5_000)) == 900


def test_what_is_judged_already_is_not_drawn():
    field = make_field()
    ids = field.test_set.image_ids[:890].tolist()
    judged = LabelSet.from_lists("L", ids, correct=[[0]] * 890, wrong=[[]] * 890)
    assert len(draw_audit(replace(field, label_set=judged)).agreed_ids) == 10
    with pytest.raises(InputError, match="there is nothing to audit"):
        draw_audit(replace(field, answers=np.ones((2, N), np.int32)))
    with pytest.raises(InputError, match="at least 1 image"):
        draw_audit(field, n=0)


def test_accuracies_are_corrected_by_what_the_audit_finds():
    # Of 300 audited images 6 are wrong and 3 problematic. Of all 900 that is 18 and 9; 12 and 6 are not found yet. By now a has
    # 1000 − 3 images of which 991 are right: (991 − 12 − 6) / (997 − 6).
    field = make_field()
    sample = draw_audit(field, n=300)
    ids = sample.image_ids.tolist()
    labels = judge(sample, wrong=set(ids[:6]), problematic=set(ids[6:9]))
    report = report_audit(sample, replace(field, label_set=labels))
    first, second = report.accuracies
    assert (report.errors.k, report.errors.n, report.problematic.k) == (6, 300, 3)
    assert first.n == 997
    assert first.raw == pytest.approx(991 / 997)
    assert first.corrected.value == pytest.approx(973 / 991)
    low, high = limit(report)
    assert low < 973 / 991 < high <= 991 / 997
    assert second.corrected.value == pytest.approx((891 - 18) / 991)
    assert report.to_frame().columns == ["participant", "n", "raw", "corrected", "corrected_low", "corrected_high"]


def test_an_audit_of_all_such_images_leaves_no_doubt():
    field = make_field()
    sample = draw_audit(field, n=900)
    labels = judge(sample, wrong=set(sample.image_ids[:9].tolist()), problematic=set())
    (first, _) = report_audit(sample, replace(field, label_set=labels)).accuracies
    assert first.raw == first.corrected.value == first.corrected.low == first.corrected.high == 0.991


def test_agreed_images_that_were_judged_otherwise_are_not_corrected_twice():
    field = make_field()
    sample = draw_audit(field, n=300)
    ids = sample.agreed_ids.tolist()
    wrong = set(sample.image_ids[:3].tolist()) | set(sorted(set(ids) - set(sample.image_ids.tolist()))[:6])
    every = AuditSample(sample.agreed_ids, sample.agreed_ids)
    report = cover(sample, field, wrong=wrong, problematic=set(), judged=every)
    assert report.accuracies[0].raw == report.accuracies[0].corrected.value == 0.991
    assert limit(report) == (0.991, 0.991)


def test_no_accuracy_is_0_where_no_image_counts():
    field = make_field()
    sample = draw_audit(field, n=900)
    everything = AuditSample(field.test_set.image_ids, field.test_set.image_ids)
    labels = judge(everything, wrong=set(), problematic=set(field.test_set.image_ids.tolist()))
    (first, _) = report_audit(sample, replace(field, label_set=labels)).accuracies
    assert (first.n, first.raw, first.corrected.value) == (0, None, None)


def test_a_wrong_dataset_label_is_an_error_where_it_makes_its_image_problematic_too():
    field = make_field()
    sample = draw_audit(field, n=300)
    ids = sample.image_ids.tolist()
    wrong, drawn = set(ids[:6]), set(ids[6:10])
    labels = judge(sample, wrong=wrong, problematic=wrong | drawn)
    report = report_audit(sample, replace(field, label_set=labels))
    assert (report.errors.k, report.problematic.k, report.n_judged) == (6, 10, 300)
    # Accuracies take them away once: 10 problematic images of 300 stand for 30 of 900.
    kept = judge(sample, wrong=set(), problematic=wrong | drawn)
    assert report.accuracies == report_audit(sample, replace(field, label_set=kept)).accuracies


def test_unclear_is_an_error_by_the_strict_metric_alone():
    field = make_field()
    sample = draw_audit(field, n=300)
    labels = judge(sample, wrong=set(), problematic=set(), unclear=frozenset(sample.image_ids[:4].tolist()))
    found = {
        metric: report_audit(sample, replace(field, label_set=labels), metric=metric).errors.k
        for metric in ReviewMetric
    }
    assert found == {ReviewMetric.STRICT: 4, ReviewMetric.LENIENT: 0}


def test_images_without_verdict_open_the_limits_and_without_any_there_is_no_correction():
    field = make_field()
    sample = draw_audit(field, n=300)
    half = AuditSample(sample.image_ids[:150], sample.agreed_ids)
    labels = judge(half, wrong=set(), problematic=set())
    some = report_audit(sample, replace(field, label_set=labels))
    every = report_audit(sample, replace(field, label_set=judge(sample, wrong=set(), problematic=set())))
    assert some.n_judged == 150
    assert limit(some)[0] < limit(every)[0]
    nothing = report_audit(sample, field)
    assert (nothing.n_judged, nothing.errors.value, nothing.accuracies[0].corrected.value) == (0, None, None)


def test_a_sample_of_other_answers_is_refused():
    field = make_field()
    sample = draw_audit(field)
    with pytest.raises(InputError, match="Not everybody answers the dataset label on image"):
        report_audit(sample, replace(field, answers=np.ones((2, N), np.int32)))
    other = TestSet("u", [f"j{one}" for one in range(N)], field.test_set.labels)
    with pytest.raises(InputError, match="is not in u; name its own test set"):
        report_audit(sample, replace(field, test_set=other))


@pytest.mark.parametrize(("n_wrong", "n_problematic", "n"), [(0, 0, 300), (9, 0, 300), (45, 18, 300), (9, 4, 800)])
def test_the_limits_hold_what_the_review_of_all_images_would_give(n_wrong, n_problematic, n):
    field = make_field()
    rng = np.random.default_rng([n_wrong, n])
    truth = (1_000 - n_wrong - n_problematic) / (1_000 - n_problematic)
    n_covered = 0
    for seed in range(150):
        shuffled = rng.permutation(field.test_set.image_ids[:900]).tolist()
        wrong, problematic = set(shuffled[:n_wrong]), set(shuffled[n_wrong : n_wrong + n_problematic])
        sample = draw_audit(field, n=n, seed=seed)
        report = cover(sample, field, wrong=wrong, problematic=problematic)
        low, high = limit(report)
        n_covered += low - 1e-12 <= truth <= high + 1e-12
    # At 95%, 134 or fewer of 150 have a probability of 0.3%.
    assert n_covered > 134


def cover(
    sample: AuditSample,
    field: ReviewField,
    *,
    wrong: set[str],
    problematic: set[str],
    judged: AuditSample | None = None,
) -> AuditReport:
    """What is reported once the audit, or more, was judged."""
    labels = judge(judged or sample, wrong=wrong, problematic=problematic)
    return report_audit(sample, replace(field, label_set=labels))
