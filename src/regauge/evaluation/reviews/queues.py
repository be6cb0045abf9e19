"""What a review campaign asks, and in which order: everything that is open, or the images of a plan, with an audit among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.errors import InputError
from regauge.evaluation.reviews.outcomes import find_field_items
from regauge.evaluation.reviews.plans import read_outcomes
from regauge.records.evaluation.audits import AuditSample
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.evaluation.sampled_reviews import PlannedReview


@dataclass(frozen=True, slots=True, eq=False)
class ReviewQueue:
    """Images with the classes that are asked about.

    Attributes:
        classes: image id → its classes, by number; images come in the order of work where there is one.
        n_mixed: how many images of the beginning an audit is mixed into; all of them where the order does not matter.
    """

    classes: Mapping[str, Sequence[int]]
    n_mixed: int

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """Every image with each of its classes."""
        return [(image_id, index) for image_id, own in self.classes.items() for index in own]


def list_open_queue(field: ReviewField) -> ReviewQueue:
    """Every class that somebody answers first, and every dataset label unless it is trusted, without a verdict."""
    items = find_field_items(field)
    images, starts = np.unique(items.images, return_index=True)
    ends, classes = [*starts.tolist(), len(items)][1:], items.classes.tolist()
    ids = items.image_ids[images].tolist()
    found = {one: classes[start:end] for one, start, end in zip(ids, starts.tolist(), ends, strict=True)}
    return ReviewQueue(found, len(found))


def list_planned_queue(planned: PlannedReview, field: ReviewField) -> ReviewQueue:
    """The images of a plan in its order, each with all classes of the compared participants that were open when it was made.

    Args:
        planned: the plan.
        field: the answers on its test set, with the verdicts that it took as known.

    Raises:
        InputError: answers or verdicts on which the plan rests have changed.
    """
    plan = planned.plan
    read_outcomes(plan, field)
    chosen = replace(
        field,
        participants=plan.participants,
        answers=field.answers[field.find_rows(plan.participants)],
        trust_dataset_labels=plan.trust_dataset_labels,
    )
    known = list_open_queue(chosen).classes
    ordered = {one: known.get(one, ()) for one in plan.image_ids.tolist()}
    if [len(own) for own in ordered.values()] != plan.n_items.tolist():
        raise InputError("What is open on the images of the plan has changed since it was made; make a new plan.")
    n_items = max(one.high for one in planned.expected)
    n_reached = 1 + int(np.searchsorted(np.cumsum(plan.n_items), n_items))
    return ReviewQueue(ordered, min(n_reached, len(plan)))


def mix_audit(queue: ReviewQueue, audit: AuditSample, *, field: ReviewField, seed: int) -> ReviewQueue:
    """The queue with the images of an audit at random places among its first ones, and nothing that tells them apart.

    An image of an audit has one open class, its dataset label, and others have several. So it is asked about with as many classes
    as one of the images that it stands among: with those that images of its dataset label are asked about, for classes that
    nobody would mistake for it would give it away, and with others only where there are too few. Images that are in the queue
    anyway are asked about as they are. They are mixed into the part that the plan is expected to need, and at least into as many
    images as the audit has, so that they are judged by the time when the review ends; into all where that is half of them, for
    people would come to the end, where there were none of the audit.

    Args:
        queue: what is asked anyway.
        audit: the images that everybody gets right.
        field: the images with their dataset labels.
        seed: decides places and classes.

    Raises:
        InputError: the audit is of other images.
    """
    labels = dict(zip(field.test_set.image_ids.tolist(), field.test_set.labels.tolist(), strict=True))
    missing = next((one for one in audit.image_ids.tolist() if one not in labels), None)
    if missing is not None:
        raise InputError(
            f"Image {missing!r} of the audit is not in {field.test_set.name}; draw an audit of its images."
        )
    rng = np.random.default_rng(seed)
    added = [one for one in rng.permutation(audit.image_ids).tolist() if one not in queue.classes]
    asked = list(queue.classes)
    n_mixed = _find_reach(queue, len(added))
    near = _group_classes(queue, labels)
    models = [queue.classes[one] for one in asked[:n_mixed]]
    disguised = {one: _disguise(labels[one], near=near.get(labels[one], ()), models=models, rng=rng) for one in added}
    first = [*asked[:n_mixed], *added]
    # Places are drawn, and what was in the queue keeps its order among those that are left.
    is_added = rng.permutation(np.arange(len(first)) >= n_mixed)
    order = np.empty(len(first), np.int64)
    order[~is_added], order[is_added] = np.arange(n_mixed), np.arange(n_mixed, len(first))
    ids = [*(first[place] for place in order.tolist()), *asked[n_mixed:]]
    return ReviewQueue({one: disguised.get(one) or queue.classes[one] for one in ids}, len(first))


def _find_reach(queue: ReviewQueue, n_added: int) -> int:
    """How many images of the beginning an audit is mixed into."""
    n, n_asked = max(queue.n_mixed, n_added), len(queue.classes)
    return n_asked if 2 * n >= n_asked else n


def _group_classes(queue: ReviewQueue, labels: Mapping[str, int]) -> dict[int, list[int]]:
    """Per dataset label the classes that its images are asked about, each as often as it is."""
    groups: dict[int, list[int]] = {}
    for image_id, own in queue.classes.items():
        groups.setdefault(labels[image_id], []).extend(own)
    return groups


def _disguise(
    label: int, *, near: Sequence[int], models: Sequence[Sequence[int]], rng: np.random.Generator
) -> list[int]:
    """A dataset label among as many classes as one of some images has; alone where there is no image to look like."""
    if not models:
        return [label]
    model = models[int(rng.integers(len(models)))]
    drawn = [*rng.permutation(np.array(near, np.int64)).tolist(), *rng.permutation(np.array(model, np.int64)).tolist()]
    others = [one for one in dict.fromkeys(drawn) if one != label]
    return sorted([label, *others[: len(model) - 1]])
