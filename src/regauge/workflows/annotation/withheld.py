"""Which images are on no card of somebody who reviews: those that a campaign asks about and that they have not finished.

The card of a class shows the images that the dataset gives to it. One that is still to be judged would tell its dataset label.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np

from regauge.arrays import IntArray
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.guide.images import HiddenImages
from regauge.storage.campaigns.assignments import list_finished
from regauge.storage.campaigns.ledgers import load_image_keys
from regauge.storage.campaigns.payloads import load_work
from regauge.storage.study import Study

MAX_KEPT = 16
"""How many people's images are kept at hand: a card asks once for each of its pictures."""


@dataclass(frozen=True, slots=True, eq=False)
class AskedImages:
    """What the tasks of a campaign ask about.

    Attributes:
        positions: for every image of every task, the position of the task.
        numbers: beside it the number of the image in the campaign.
        keys: per number its id and its checksum, empty where that is not known.
    """

    positions: IntArray
    numbers: IntArray
    keys: tuple[tuple[str, str], ...]

    def find_unfinished(self, finished: frozenset[int]) -> HiddenImages:
        """The images of tasks that are not at one of these positions."""
        is_open = ~np.isin(self.positions, np.fromiter(finished, np.int64, len(finished)))
        keys = [self.keys[number] for number in np.unique(self.numbers[is_open]).tolist()]
        digests = frozenset(sha256 for _, sha256 in keys if sha256)
        return HiddenImages(frozenset(image_id for image_id, _ in keys), digests, all(sha256 for _, sha256 in keys))


@dataclass(slots=True)
class UnfinishedMemory:
    """What campaigns ask about and what the last ones who asked have left of it, kept while cards are shown."""

    asked: dict[int, tuple[tuple[int, int], AskedImages]] = field(default_factory=dict)
    kept: OrderedDict[tuple[int, tuple[int, int], frozenset[int]], HiddenImages] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, study: Study, campaign: CampaignEntry, *, annotator_id: int) -> HiddenImages:
        """The images of a campaign that somebody has not finished.

        The task that they answered last is not finished: the page lets them change it. Where tasks are asked again to see
        whether people answer alike, none ever is.
        """
        # A round adds tasks, and nothing else changes which images they show but for taking some out.
        version = (campaign.n_tasks, campaign.generation)
        has_repeats = bool(campaign.plan.terms.repeats)
        finished = frozenset[int]() if has_repeats else list_finished(study, campaign, annotator_id=annotator_id)
        key = (campaign.id, version, finished)
        # Several threads look at cards at a time: none relies on what another may take out meanwhile.
        found = self.kept.get(key)
        if found is None:
            known, asked = self.asked.get(campaign.id, (None, None))
            if asked is None or known != version:
                asked = load_asked(study, campaign)
                self.asked[campaign.id] = (version, asked)
            found = asked.find_unfinished(finished)
            with self.lock:
                self.kept[key] = found
                while len(self.kept) > MAX_KEPT:
                    self.kept.popitem(last=False)
        return found


def load_asked(study: Study, campaign: CampaignEntry) -> AskedImages:
    """What the tasks of a campaign ask about; for a campaign of many tasks that takes a while."""
    list_images = find_kind(study.around.kinds, campaign.kind).task.list_images
    found = {position: list_images(task) for position, task in load_work(study, campaign).items()}
    sizes = [len(numbers) for numbers in found.values()]
    return AskedImages(
        positions=np.repeat(np.fromiter(found, np.int64, len(found)), sizes),
        numbers=np.array([number for numbers in found.values() for number in numbers], np.int64),
        keys=load_image_keys(study, campaign),
    )
