"""Which images are on no card of somebody who reviews: those that a campaign asks about and that they have not finished.

The card of a class shows the images that the dataset gives to it. One that is still to be judged would tell its dataset label.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from regauge.arrays import BoolArray, IntArray
from regauge.campaigns.eligibility import AFTER, EXPERTISE, NOT_FOR, ONLY_AFTER, PANEL, may_take
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.guide.images import HiddenImages
from regauge.storage.campaigns.assignments import list_finished
from regauge.storage.campaigns.ledgers import load_image_keys
from regauge.storage.campaigns.panels import load_for_some
from regauge.storage.campaigns.payloads import load_work
from regauge.storage.study import Study
from regauge.workflows.annotation.admission import find_taker

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

    def find_unfinished(self, finished: frozenset[int], others: frozenset[int]) -> HiddenImages:
        """The images of tasks that are not at one of these positions.

        Args:
            finished: positions of what somebody has answered.
            others: positions of tasks that go to other people alone. They do not keep back what was judged in another task.
        """
        is_open, was_judged = self._sort_out(finished)
        is_open &= ~(was_judged & np.isin(self.positions, _list(others)))
        keys = [self.keys[number] for number in np.unique(self.numbers[is_open]).tolist()]
        digests = frozenset(sha256 for _, sha256 in keys if sha256)
        return HiddenImages(frozenset(image_id for image_id, _ in keys), digests, all(sha256 for _, sha256 in keys))

    def list_doubtful(self, finished: frozenset[int]) -> list[int]:
        """The positions of open tasks that show an image which was judged in one that is finished."""
        is_open, was_judged = self._sort_out(finished)
        doubtful: list[int] = np.unique(self.positions[is_open & was_judged]).tolist()
        return doubtful

    def _sort_out(self, finished: frozenset[int]) -> tuple[BoolArray, BoolArray]:
        """Per image of a task, whether the task is open, and whether the image was judged in one that is not."""
        is_open = ~np.isin(self.positions, _list(finished))
        return is_open, np.isin(self.numbers, self.numbers[~is_open])


@dataclass(slots=True)
class _Left:
    """What is left of the tasks of a campaign to those who have finished the same of them.

    Attributes:
        asked: what the campaign asks about.
        finished: the positions of what is finished.
        doubtful: those of open tasks that show an image which was judged in a finished one.
        last: what was found last, with the positions of tasks for others.
    """

    asked: AskedImages
    finished: frozenset[int]
    doubtful: list[int]
    last: tuple[frozenset[int], HiddenImages] | None = None

    def find_unfinished(self, others: frozenset[int]) -> HiddenImages:
        """The images that are not finished, where tasks at some positions go to others alone."""
        last = self.last
        if last is None or last[0] != others:
            self.last = last = (others, self.asked.find_unfinished(self.finished, others))
        return last[1]


@dataclass(slots=True)
class UnfinishedMemory:
    """What campaigns ask about and what the last ones who asked have left of it, kept while cards are shown."""

    asked: dict[int, tuple[tuple[int, int], AskedImages]] = field(default_factory=dict)
    kept: OrderedDict[tuple[int, tuple[int, int], frozenset[int]], _Left] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, study: Study, campaign: CampaignEntry, *, annotator_id: int) -> HiddenImages:
        """The images of a campaign that somebody has not finished.

        The task that they answered last is not finished: the page lets them change it. Where tasks are asked again to see
        whether people answer alike, none ever is. Who gets a task can change at any time, so what somebody never judged is kept
        back also where it is not theirs now.
        """
        # A round adds tasks, and nothing else changes which images they show but for taking some out.
        version = (campaign.n_tasks, campaign.generation)
        has_repeats = bool(campaign.plan.terms.repeats)
        finished = frozenset[int]() if has_repeats else list_finished(study, campaign, annotator_id=annotator_id)
        # Several threads look at cards at a time: none relies on what another may take out meanwhile.
        key = (campaign.id, version, finished)
        left = self.kept.get(key)
        if left is None:
            known, asked = self.asked.get(campaign.id, (None, None))
            if asked is None or known != version:
                asked = load_asked(study, campaign)
                self.asked[campaign.id] = (version, asked)
            left = _Left(asked, finished, asked.list_doubtful(finished))
            with self.lock:
                self.kept[key] = left
                while len(self.kept) > MAX_KEPT:
                    self.kept.popitem(last=False)
        # Who gets a task can change without any other change, so that is looked up every time.
        return left.find_unfinished(find_others(study, campaign, positions=left.doubtful, annotator_id=annotator_id))


def find_others(
    study: Study, campaign: CampaignEntry, *, positions: Sequence[int], annotator_id: int
) -> frozenset[int]:
    """Which of some tasks somebody cannot be given: they go to named people or to experts, and this is none of them.

    Those that they were given once are not among them, for whoever has a task before them may answer it. Nor are those that they
    may get when they have answered another.
    """
    tasks = load_for_some(study, campaign, positions=positions, conditions=(PANEL, NOT_FOR, EXPERTISE, AFTER))
    if not tasks:
        return frozenset()
    taker = find_taker(study, campaign, annotator_id)
    return frozenset(
        position
        for position, task in tasks.items()
        if position not in taker.given
        and not may_take({name: value for name, value in task.items() if name != ONLY_AFTER}, taker)
    )


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


def _list(positions: frozenset[int]) -> IntArray:
    return np.fromiter(positions, np.int64, len(positions))
