"""Three simulated experts in the demo look for what is missing in the images of the slice, so that its labels are complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from regauge.arrays import IdArray
from regauge.campaigns.fields import COMPLETE as COMPLETE_MODE
from regauge.campaigns.fields import LABELS, MODE
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignImage, CampaignPlan, Kind, Payload
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.rounds import extend_campaign
from regauge.workflows.demo.crowd import CrowdSize, DemoCollections, let_work
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.people.invitations import invite
from regauge.workflows.slices.covering import ask_about
from regauge.world.annotators import Annotator, Profile, answer_review, hire

LOOKING = "simulated-complete"
"""The campaign of complete labelling."""
EXPERTS = CrowdSize(quota=3, n_hired=3, shares={Profile.EXPERT: 1.0})
MAX_ROUNDS = 5
MAX_NAMED = 20
"""Classes that one answer names at most."""


@dataclass(frozen=True, slots=True, eq=False)
class _LookingScene(DemoCollections):
    """What experts see who are told what was judged before.

    Attributes:
        judged: the classes with a verdict, by test set and row.
    """

    judged: Mapping[tuple[int, int], frozenset[int]] = field(default_factory=dict)

    def answer(self, annotator: Annotator, task: Payload, *, images: Sequence[CampaignImage]) -> tuple[Payload, float]:
        """Verdicts on the classes of the task, and what else the expert sees in the image; or that there is nothing more."""
        image = images[task["images"][0]]
        collection = self.collections[image.test_set_id]
        classes = np.arange(collection.degrees.shape[1])
        rows = np.full(len(classes), image.row, np.int64)
        found, seconds = answer_review(annotator, collection, rows=rows, classes=classes)
        known = {
            *self.judged.get((image.test_set_id, image.row), ()),
            *task["classes"],
            *map(int, task.get("said", {})),
        }
        more = [index for index in np.flatnonzero(found == Verdict.CORRECT).tolist() if index not in known][:MAX_NAMED]
        verdicts = {str(index): Verdict(int(found[index])).name.lower() for index in task["classes"]}
        told = {"more": more} if more else {"nothing_more": True}
        return {"verdicts": verdicts, **told}, float(seconds[task["classes"]].sum() + seconds.mean())


def look_for_more(study: Study, scene: DemoCollections, image_ids: IdArray, *, test_set: str, labels: str) -> int:
    """Let experts label images completely, round after round, and add what they find to the labels; gives how many classes.

    Args:
        study: the study, inside a transaction.
        scene: what experts see.
        image_ids: the images.
        test_set: where they are.
        labels: the label set, by name; its next version has what they find.
    """
    images, before = get_test_set(study, test_set), load_label_set(study, get_label_set(study, labels))
    seen = _LookingScene(scene.collections, scene.known, _list_judged(scene, images.id, before, image_ids))
    pairs = list(ask_about(study, image_ids.tolist(), before, images=images))
    kind = Kind("review")
    settings = find_kind(study.around.kinds, kind).fields.settle({LABELS.name: labels, MODE.name: COMPLETE_MODE})
    plan = CampaignPlan(LOOKING, kind, EXPERTS.quota, settings={"simulated": True})
    create_campaign(study, plan, Questions(test_set, pairs, settings=settings, seed=0))
    # They come by a seed of their own, as panelists and coders do.
    hired = hire(EXPERTS.n_hired, rng=np.random.default_rng(3), shares=EXPERTS.shares)
    invited = invite(study, [f"{LOOKING}-{one.annotator_id}" for one in hired])
    people = dict(zip((one.annotator.id for one in invited), hired, strict=True))
    campaign = open_campaign(study, LOOKING)
    for place in range(MAX_ROUNDS):
        let_work(study, campaign, seen, hiring=people)
        if not extend_campaign(study, LOOKING, seed=place).n_tasks:
            break
    after = load_label_set(study, build_labels(study, LOOKING, name=labels))
    return _count_correct(after) - _count_correct(before)


def _list_judged(
    scene: DemoCollections, test_set_id: int, label_set: LabelSet, image_ids: IdArray
) -> dict[tuple[int, int], frozenset[int]]:
    row_of = {one: row for row, one in enumerate(scene.collections[test_set_id].image_ids.tolist())}
    wanted, found = set(image_ids.tolist()), dict[tuple[int, int], set[int]]()
    for image_id, index in zip(label_set.image_ids[label_set.rows].tolist(), label_set.classes.tolist(), strict=True):
        if image_id in wanted:
            found.setdefault((test_set_id, row_of[image_id]), set()).add(index)
    return {key: frozenset(classes) for key, classes in found.items()}


def _count_correct(label_set: LabelSet) -> int:
    return int(np.count_nonzero(label_set.verdicts == Verdict.CORRECT))
