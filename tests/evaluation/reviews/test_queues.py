"""Where the images of an audit stand in the queue of a review."""

from __future__ import annotations

import numpy as np
from scipy.stats import mannwhitneyu

from regauge.arrays import BoolArray
from regauge.evaluation.reviews.queues import ReviewQueue, mix_audit
from regauge.records.evaluation.audits import AuditSample
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.testsets.test_set import TestSet

N_PLANNED, N_AUDITED = 65, 40
IDS = [f"i{one}" for one in range(N_PLANNED + N_AUDITED)]
FIELD = ReviewField(TestSet("t", IDS, np.arange(len(IDS)) % 10), ("a",), np.zeros((1, len(IDS)), np.int32))
AUDIT = AuditSample(np.array(IDS[N_PLANNED:]), np.array(IDS[N_PLANNED:]))


def find_places(n_mixed: int, n_planned: int, seed: int) -> BoolArray:
    """Where images of the audit stand among so many that are planned."""
    queue = ReviewQueue({one: [0, 1] for one in IDS[:n_planned]}, n_mixed)
    mixed = list(mix_audit(queue, AUDIT, field=FIELD, seed=seed).classes)
    assert [one for one in mixed if one in queue.classes] == IDS[:n_planned]
    return np.isin(mixed, AUDIT.image_ids)


def test_the_end_of_a_queue_is_not_without_an_audit_where_people_come_to_it() -> None:
    # A forecast of 54 of 65 images; were the audit among these alone, a third of all seeds would show by the place alone.
    chances = []
    for seed in range(200):
        is_audited = find_places(54, N_PLANNED, seed)
        places = np.arange(len(is_audited))
        chances.append(mannwhitneyu(places[is_audited], places[~is_audited]).pvalue)
    # Of 200 reviews 10 would be expected below 5% by chance, and 20 or more come with a probability of 0.3%.
    assert sum(chance < 0.05 for chance in chances) < 20


def test_an_audit_stands_where_a_long_plan_is_expected_to_reach() -> None:
    ids = [f"i{one}" for one in range(1_000 + N_AUDITED)]
    field = ReviewField(TestSet("t", ids, np.arange(len(ids)) % 10), ("a",), np.zeros((1, len(ids)), np.int32))
    audit = AuditSample(np.array(ids[1_000:]), np.array(ids[1_000:]))
    queue = ReviewQueue({one: [0, 1] for one in ids[:1_000]}, 100)
    mixed = list(mix_audit(queue, audit, field=field, seed=0).classes)
    is_audited = np.isin(mixed, audit.image_ids)
    assert is_audited[: 100 + N_AUDITED].sum() == N_AUDITED
    assert not is_audited[100 + N_AUDITED :].any()


def test_an_audited_image_is_asked_about_with_classes_that_are_asked_about_images_of_its_label() -> None:
    ids = [f"i{one}" for one in range(1_000 + N_AUDITED)]
    labels = np.arange(len(ids)) % 100
    field = ReviewField(TestSet("t", ids, labels), ("a",), np.zeros((1, len(ids)), np.int32))
    audit = AuditSample(np.array(ids[1_000:]), np.array(ids[1_000:]))
    # Two or three classes, by turns; whatever is answered for a label is its own number with hundreds before it.
    planned = {
        one: [row % 100, 500 + row % 100, 700 + row % 100][: 2 + (row + row // 100) % 2] for row, one in enumerate(ids)
    }
    # Of most labels no image is in the part that the audit is mixed into.
    queue = ReviewQueue({one: planned[one] for one in ids[:1_000]}, 30)
    asked = mix_audit(queue, audit, field=field, seed=0).classes
    assert all({index % 100 for index in asked[one]} == {labels[ids.index(one)]} for one in audit.image_ids.tolist())
    sizes = [len(asked[one]) for one in audit.image_ids.tolist()]
    assert sorted(set(sizes)) == [2, 3]
    assert 10 <= sizes.count(2) <= 30
