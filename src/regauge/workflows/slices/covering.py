"""Which images of a slice complete labelling has covered, and what to ask about the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regauge.arrays import IdArray
from regauge.kinds.registry import find_kind, has_kind
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.results import CompleteImages
from regauge.records.labels.verdicts import Verdict
from regauge.records.studies import TestSetEntry
from regauge.slices.completeness import SliceCoverage, find_coverage
from regauge.storage.campaigns.campaign import list_campaigns
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_test_set
from regauge.workflows.campaigns.responses import load_answers, make_responses


def cover_images(study: Study, image_ids: IdArray, label_set: LabelSet, *, images: TestSetEntry) -> SliceCoverage:
    """Which images complete labelling covered, by all campaigns on the test set."""
    return find_coverage(image_ids, label_set, campaigns=_list_complete(study, images))


def ask_about(
    study: Study, missing: Sequence[str], label_set: LabelSet, *, images: TestSetEntry
) -> Iterator[tuple[str, int]]:
    """The pairs by which a campaign of complete labelling asks about images: each with a class that is correct, or its label."""
    test_set = load_test_set(study, images)
    label_of = dict(zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True))
    is_correct = label_set.verdicts == Verdict.CORRECT
    correct = zip(
        label_set.image_ids[label_set.rows[is_correct]].tolist(), label_set.classes[is_correct].tolist(), strict=True
    )
    first = dict(reversed(list(correct)))
    for image_id in missing:
        yield image_id, first.get(image_id, max(label_of[image_id], 0))


def _list_complete(study: Study, images: TestSetEntry) -> Iterator[tuple[str, CompleteImages]]:
    """What campaigns of complete labelling on a test set found."""
    for campaign in list_campaigns(study):
        if not has_kind(study.around.kinds, campaign.kind):
            continue
        kind = find_kind(study.around.kinds, campaign.kind)
        settings = campaign.plan.settings
        if kind.completeness is None or images.name not in {settings.get("test_set"), *settings.get("also", ())}:
            continue
        found = load_answers(study, campaign.name)
        if len(found):
            yield campaign.name, kind.completeness.find_complete(make_responses(found))
