"""How campaigns go while people work, from ledgers that are kept in memory and brought up to date when somebody looks.

    live = LiveCampaigns()
    with study.read() as reading:
        pulse = live.pulse(reading, campaign)

A ledger is read whole once; after that only answers that came since are. Every method may be called from several threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator

from regauge.errors import InputError
from regauge.kinds.contract import TaskKind
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.responses.figures import AnnotatorFigures, ImageCounts
from regauge.records.responses.items import ItemTable
from regauge.records.responses.quality import (
    MAX_PAGE,
    AnnotatorFilter,
    AnnotatorList,
    AnnotatorOrder,
    AnnotatorQuality,
    CampaignPulse,
    ImageAnswers,
    ImageList,
    ImageOrder,
    ListPage,
)
from regauge.responses.ledger import Ledger
from regauge.responses.live.figures import Tally
from regauge.responses.live.images import ImageIndex
from regauge.storage.campaigns.campaign import MAX_ID
from regauge.storage.campaigns.ledgers import (
    LedgerState,
    count_decisions,
    find_decided,
    find_images_called,
    find_standing,
    load_answers_to,
)
from regauge.storage.study import Study
from regauge.workflows.campaigns.responses import learn_answers, learn_tasks
from regauge.workflows.live.annotators import FlagMemory, list_annotators
from regauge.workflows.live.images import ImageReader, describe_image, list_images
from regauge.workflows.live.pulse import measure_pulse

MAX_CAMPAIGNS = 16
"""Campaigns whose ledgers are kept at a time; one of a million answers takes up to a hundred megabytes."""
NO_ITEMS = "The images of this campaign are not judged item by item."
ALL = ListPage(limit=MAX_PAGE)


class LiveCampaigns:
    """The ledgers of the campaigns that somebody looked at last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._campaigns: OrderedDict[int, LiveCampaign] = OrderedDict()

    def pulse(self, study: Study, campaign: CampaignEntry) -> CampaignPulse:
        """How the campaign stands at this moment."""
        return self._get(study, campaign).pulse(study, campaign)

    def annotators(
        self,
        study: Study,
        campaign: CampaignEntry,
        *,
        order: AnnotatorOrder = AnnotatorOrder.NAME,
        shown: AnnotatorFilter = AnnotatorFilter.ALL,
        page: ListPage = ALL,
    ) -> AnnotatorList:
        """A part of those who have answered, with all that is known of their work."""
        return self._get(study, campaign).annotators(study, campaign, order=order, shown=shown, page=page)

    def list_everybody(self, study: Study, campaign: CampaignEntry) -> Iterator[AnnotatorQuality]:
        """All of them by name, for a file."""
        offset = 0
        while rows := self.annotators(study, campaign, page=ListPage(offset, MAX_PAGE)).rows:
            yield from rows
            offset += len(rows)

    def image(self, study: Study, campaign: CampaignEntry, *, number: int) -> ImageAnswers:
        """All that was answered about an image.

        Raises:
            InputError: the campaign has no image of that number.
        """
        return self._get(study, campaign).image(study, campaign, number=number)

    def images(
        self, study: Study, campaign: CampaignEntry, *, order: ImageOrder = ImageOrder.NUMBER, page: ListPage = ALL
    ) -> ImageList:
        """A part of the images, with how often a class was selected."""
        return self._get(study, campaign).images(study, campaign, order=order, page=page)

    def image_counts(self, study: Study, campaign: CampaignEntry) -> ImageCounts:
        """How often classes were selected for images, of all images at once."""
        return self._get(study, campaign).image_counts(study, campaign)

    def items(self, study: Study, campaign: CampaignEntry) -> ItemTable:
        """All items of a campaign, with what was said of them.

        Raises:
            InputError: the campaign has none.
        """
        return self._get(study, campaign).items(study, campaign)

    def _get(self, study: Study, campaign: CampaignEntry) -> LiveCampaign:
        with self._lock:
            if campaign.id not in self._campaigns:
                self._campaigns[campaign.id] = LiveCampaign(find_kind(study.around.kinds, campaign.kind))
            self._campaigns.move_to_end(campaign.id)
            if len(self._campaigns) > MAX_CAMPAIGNS:
                self._campaigns.popitem(last=False)
            return self._campaigns[campaign.id]


def find_image(study: Study, live: LiveCampaigns, campaign: CampaignEntry, *, image_id: str) -> ImageAnswers:
    """All that was answered about an image that is named by its id; of several, that of the test set under study.

    Raises:
        InputError: the campaign has no such image.
    """
    found = find_images_called(study, campaign, image_id)
    if not found:
        raise InputError(f"Campaign {campaign.name} has no image {image_id!r}.")
    first = min(found, key=lambda one: one.test_set != campaign.plan.settings.get("test_set"))
    return live.image(study, campaign, number=first.number)


class LiveCampaign:
    """The ledger of one campaign, with what is made of it. A lock lets one thread in at a time."""

    def __init__(self, kind: TaskKind) -> None:
        self._lock = threading.Lock()
        self._kind = kind
        self._memory = _Memory(kind)

    def pulse(self, study: Study, campaign: CampaignEntry) -> CampaignPulse:
        """See `LiveCampaigns`; the other methods too."""
        with self._lock:
            standing = self._refresh(study, campaign)
            return measure_pulse(study, campaign, ledger=self._memory.ledger, standing=standing)

    def annotators(
        self, study: Study, campaign: CampaignEntry, *, order: AnnotatorOrder, shown: AnnotatorFilter, page: ListPage
    ) -> AnnotatorList:
        """A part of the annotators."""
        with self._lock:
            self._refresh(study, campaign)
            figures = self._memory.measure()
            roster = self._memory.flags.look(study, campaign, ledger=self._memory.ledger, figures=figures)
        return list_annotators(roster, order=order, shown=shown, page=page)

    def image(self, study: Study, campaign: CampaignEntry, *, number: int) -> ImageAnswers:
        """One image."""
        if not 0 <= number <= MAX_ID:
            raise InputError(f"Campaign {campaign.name} has no image {number}.")
        with self._lock:
            self._refresh(study, campaign)
            tasks = self._memory.get_index().find_tasks(number)
            reader = ImageReader(self._kind.figures, self._memory.ledger, number)
            return describe_image(study, campaign, reader=reader, tasks=tasks)

    def images(self, study: Study, campaign: CampaignEntry, *, order: ImageOrder, page: ListPage) -> ImageList:
        """A part of the images."""
        with self._lock:
            self._refresh(study, campaign)
            counts = self._memory.count_images()
        return list_images(study, campaign, counts=counts, order=order, page=page)

    def image_counts(self, study: Study, campaign: CampaignEntry) -> ImageCounts:
        """The counts of all images."""
        with self._lock:
            self._refresh(study, campaign)
            return self._memory.count_images()

    def items(self, study: Study, campaign: CampaignEntry) -> ItemTable:
        """All items."""
        with self._lock:
            self._refresh(study, campaign)
            return self._memory.count_items(campaign.plan.n_annotators)

    def _refresh(self, study: Study, campaign: CampaignEntry) -> LedgerState:
        """Learn what has changed since the last time. Who looks at an older moment than is known changes nothing."""
        standing = find_standing(study, campaign)
        try:
            self._learn(study, campaign, standing)
        except BaseException:
            # What was read in part is of no use to anybody.
            self._memory = _Memory(self._kind)
            raise
        return standing

    def _learn(self, study: Study, campaign: CampaignEntry, standing: LedgerState) -> None:
        if standing.generation > self._memory.generation and len(self._memory.ledger):
            self._recount(study, campaign, standing)
        memory = self._memory
        if standing.last_task > memory.last_task:
            learn_tasks(study, campaign, ledger=memory.ledger, after=memory.last_task)
        # Numbers of answers that were erased, in this campaign or another, may have been given to new ones.
        last = memory.last_response if standing.epoch <= memory.epoch else memory.ledger.last_id
        if standing.last_response > last:
            learn_answers(study, campaign, ledger=memory.ledger, after=last)
        memory.learn(standing)

    def _recount(self, study: Study, campaign: CampaignEntry, standing: LedgerState) -> None:
        """Read answers anew whose status may have changed.

        A decision about somebody changes the status of answers to the tasks that they answered, and the generation by one. Any
        other change of the generation says that answers are gone: then everything is read anew.
        """
        memory = self._memory
        if standing.generation - memory.generation != count_decisions(study, campaign, after=memory.last_decision):
            self._memory = _Memory(self._kind)
            return
        tasks = memory.ledger.find_tasks_of(find_decided(study, campaign, after=memory.last_decision))
        for answers in load_answers_to(study, campaign, tasks.tolist()):
            memory.ledger.add_answers(answers)


class _Memory:
    """A ledger with what was made of it, and up to where it knows the tables."""

    def __init__(self, kind: TaskKind) -> None:
        self.ledger = Ledger(kind.answers)
        self.generation = self.last_response = self.last_task = self.last_decision = self.epoch = 0
        self.flags = FlagMemory(kind.figures)
        self._kind = kind.figures
        self._tally = Tally(self.ledger, kind.figures)
        self._figures: tuple[int, AnnotatorFigures] | None = None
        self._counter = kind.results.make_counter()
        self._counts: tuple[int, ImageCounts] | None = None
        self._index = ImageIndex(self.ledger.tasks, kind.figures)
        self._items = kind.items
        self._table: tuple[int, ItemTable] | None = None

    def learn(self, standing: LedgerState) -> None:
        """The ledger has all that was there then; what it knows only grows."""
        self.generation = max(self.generation, standing.generation)
        self.last_response = max(self.last_response, standing.last_response)
        self.last_task = max(self.last_task, standing.last_task)
        self.last_decision = max(self.last_decision, standing.last_decision)
        self.epoch = max(self.epoch, standing.epoch)

    def measure(self) -> AnnotatorFigures:
        """The figures of all annotators."""
        if self._figures is None or self._figures[0] != self.ledger.version:
            self._figures = (self.ledger.version, self._tally.update())
        return self._figures[1]

    def count_images(self) -> ImageCounts:
        """The counts of all images."""
        if self._counts is None or self._counts[0] != self.ledger.version:
            self._counts = (self.ledger.version, self._counter.count(self.ledger))
        return self._counts[1]

    def count_items(self, n_annotators: int) -> ItemTable:
        """All items, of a kind that has some."""
        if self._items is None:
            raise InputError(NO_ITEMS)
        if self._table is None or self._table[0] != self.ledger.version:
            self._table = (self.ledger.version, self._items.count_items(self.ledger, n_annotators=n_annotators))
        return self._table[1]

    def get_index(self) -> ImageIndex:
        """Which tasks show which image."""
        if self._index.n_tasks != len(self.ledger.tasks):
            self._index = ImageIndex(self.ledger.tasks, self._kind)
        return self._index
