"""The tasks of a campaign and the answers to them as columns, whatever the kind: what pages, files and label sets are made of.

A task has a subject and items: a CONTAINS task is about a class and shows images, a CLASSIFY task is about an image and shows
candidates. An answer is a mask: bit i is set where item i was selected. Images go by their number in the campaign.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, FloatArray, IdArray, IntArray, freeze
from regauge.errors import InputError
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.responses.answers import ControlArray, MaskArray

StatusArray: TypeAlias = NDArray[np.uint8]
"""Per answer, the place of its status in `STATUSES`."""

FlagArray: TypeAlias = NDArray[np.uint8]
"""Per answer, what is odd about its time, as bits."""

STATUSES: tuple[ResponseStatus, ...] = tuple(ResponseStatus)
CODE_OF: dict[ResponseStatus, int] = {status: code for code, status in enumerate(STATUSES)}
COUNTED, REPEAT = CODE_OF[ResponseStatus.COUNTED], CODE_OF[ResponseStatus.REPEAT]

NO_ITEM = -1
"""Stands for the main object's label where none was named."""
NO_SOURCE = 0
"""Stands for the task that a hidden repeat repeats where a task is none."""
AS_PLANNED = 0
"""Stands for the number of people that a task needs where it needs as many as its campaign plans for each."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskColumns:
    """What tasks show. The items of task i are `items[starts[i]:starts[i + 1]]`.

    Attributes:
        ids: their numbers, rising.
        sources: the number of the task that each repeats; `NO_SOURCE` where it is not a repeat.
        subjects: the class (CONTAINS) or the image (CLASSIFY) that each is about.
        starts: where the items of each start [n + 1].
        items: images (CONTAINS) or classes (CLASSIFY), task after task.
        controls: per item, a `Control`.
        is_alone: whether what is answered to each stands alone, whatever other tasks say of the same; none does by default.
        wanted: how many people answer each; `AS_PLANNED`, as by default, where as many do as the campaign plans.
    """

    ids: CountArray
    sources: CountArray
    subjects: IntArray
    starts: CountArray
    items: IntArray
    controls: ControlArray
    is_alone: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))
    wanted: CountArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        for name, dtype in (("is_alone", np.bool_), ("wanted", np.int64)):
            given = getattr(self, name)
            object.__setattr__(self, name, freeze(given if len(given) else np.zeros(len(self.ids), dtype), dtype))
        for name in ("ids", "sources", "starts"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int64))
        for name in ("subjects", "items"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int32))
        object.__setattr__(self, "controls", freeze(self.controls, np.uint8))
        if self.starts.shape != (len(self.ids) + 1,) or self.starts[-1] != len(self.items):
            raise InputError(f"{len(self.ids):,} tasks need {len(self.ids) + 1:,} places where their items start.")
        if (np.diff(self.ids) <= 0).any():
            raise InputError("Tasks come in the order of their numbers, each once.")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> CountArray:
        """How many items each shows."""
        return np.diff(self.starts)

    @property
    def is_work(self) -> BoolArray:
        """Whether each is one of those that the campaign is there for, and no hidden repeat."""
        return np.asarray(self.sources == NO_SOURCE, np.bool_)

    def count_wanted(self, n_planned: int) -> CountArray:
        """How many people answer each, where the campaign plans so many for a task."""
        return np.where(self.wanted == AS_PLANNED, n_planned, self.wanted)

    def extend(self, more: TaskColumns) -> TaskColumns:
        """These tasks and those after them."""
        names = [one.name for one in fields(self) if one.name != "starts"]
        columns = {name: np.concatenate((getattr(self, name), getattr(more, name))) for name in names}
        return TaskColumns(**columns, starts=np.concatenate((self.starts, more.starts[1:] + self.starts[-1])))


NO_TASKS = TaskColumns(
    ids=np.zeros(0, np.int64),
    sources=np.zeros(0, np.int64),
    subjects=np.zeros(0, np.int32),
    starts=np.zeros(1, np.int64),
    items=np.zeros(0, np.int32),
    controls=np.zeros(0, np.uint8),
)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerColumns:
    """Stored answers in the order in which they came, revisions among them.

    Attributes:
        ids: their numbers, rising.
        tasks: the number of the task of each.
        annotators: the number of the annotator of each.
        statuses: what each is good for, as a place in `STATUSES`.
        revisions: 0 for a first answer, then counted up.
        received: when each came, in milliseconds since 1970.
        seconds: how long each took, as it was credited; NaN where unknown.
        claimed: how long the page said that it took; NaN where unknown.
        texts: what was answered, as it is stored.
        shown_seconds: how long it was from the image being shown to the answer; NaN where unknown, as by default.
        time_flags: what is odd about these, as bits; see `regauge.records.campaigns.times`.
    """

    ids: CountArray
    tasks: CountArray
    annotators: CountArray
    statuses: StatusArray
    revisions: IntArray
    received: CountArray
    seconds: FloatArray
    claimed: FloatArray
    texts: tuple[str, ...]
    shown_seconds: FloatArray = field(default_factory=lambda: np.zeros(0))
    time_flags: FlagArray = field(default_factory=lambda: np.zeros(0, np.uint8))

    def __post_init__(self) -> None:
        _fill_times(self, len(self.ids))

    def __len__(self) -> int:
        return len(self.ids)

    def keep(self, is_kept: BoolArray) -> AnswerColumns:
        """The answers for which the mask is true."""
        names = [one.name for one in fields(self) if one.name != "texts"]
        columns = {name: getattr(self, name)[is_kept] for name in names}
        texts = tuple(text for text, is_one in zip(self.texts, is_kept.tolist(), strict=True) if is_one)
        return AnswerColumns(**columns, texts=texts)


class AnswerMasks(NamedTuple):
    """What answers say of the items of their tasks; see `LedgerColumns`."""

    masks: MaskArray
    not_shown: MaskArray
    mains: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class LedgerColumns:
    """The answers that hold, one row per task and annotator: what the figures about a campaign are made of.

    Attributes:
        firsts: the number of the first answer, which tells who came first.
        ids: the number of the one that holds.
        tasks: the place of the task in its `TaskColumns`.
        annotators: the place of the annotator in `annotator_ids`.
        masks: the items that were selected.
        not_shown: the items that could not be shown, so that nothing was said of them.
        mains: the item that is the main object's label; `NO_ITEM` where none was named or that is not asked.
        statuses: what the answer is good for.
        revisions: how often it was changed, or more.
        received: when the first came, in milliseconds since 1970.
        seconds: how long the one that holds took; NaN where unknown.
        is_impossible: whether more time was claimed for it than there can have been.
        annotator_ids: the numbers of the annotators, in the order in which they came.
        shown_seconds: how long it was from the image being shown to the answer that holds; NaN where unknown.
        time_flags: what is odd about these, as bits; see `regauge.records.campaigns.times`.
    """

    firsts: CountArray
    ids: CountArray
    tasks: IntArray
    annotators: IntArray
    masks: MaskArray
    not_shown: MaskArray
    mains: NDArray[np.int8]
    statuses: StatusArray
    revisions: IntArray
    received: CountArray
    seconds: FloatArray
    is_impossible: BoolArray
    annotator_ids: CountArray
    shown_seconds: FloatArray = field(default_factory=lambda: np.zeros(0))
    time_flags: FlagArray = field(default_factory=lambda: np.zeros(0, np.uint8))

    def __post_init__(self) -> None:
        _fill_times(self, len(self.firsts))

    def __len__(self) -> int:
        return len(self.firsts)

    def find_rows(self, statuses: Collection[ResponseStatus]) -> CountArray:
        """The rows that have one of these statuses, in the order in which first answers came."""
        is_wanted = np.zeros(len(STATUSES), np.bool_)
        is_wanted[[CODE_OF[status] for status in statuses]] = True
        rows = np.flatnonzero(is_wanted[self.statuses])
        # Rows that were added late, as a status had changed, are the only ones that stand elsewhere.
        is_in_order = (self.firsts[1:] >= self.firsts[:-1]).all()
        return rows if is_in_order else rows[np.argsort(self.firsts[rows], kind="stable")]

    def keep(self, rows: CountArray) -> LedgerColumns:
        """Some rows, in the order given; annotators keep their places."""
        names = [one.name for one in fields(self) if one.name != "annotator_ids"]
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def leave_out_idle(self) -> LedgerColumns:
        """The same rows with places for those annotators alone who have any, in the order in which they come."""
        places, first, codes = np.unique(self.annotators, return_index=True, return_inverse=True)
        order = np.argsort(first)
        ranks = np.empty(len(order), np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        return replace(self, annotators=ranks[codes], annotator_ids=self.annotator_ids[places[order]])


def _fill_times(columns: AnswerColumns | LedgerColumns, n: int) -> None:
    """Where nothing is said of the time since the image was shown, it is not known."""
    if len(columns.shown_seconds) != n:
        object.__setattr__(columns, "shown_seconds", np.full(n, np.nan))
    if len(columns.time_flags) != n:
        object.__setattr__(columns, "time_flags", np.zeros(n, np.uint8))


@dataclass(frozen=True, slots=True, eq=False)
class HeldAnswers:
    """Answers that hold, with what the images and people of their campaign are called.

    Attributes:
        tasks: all tasks of the campaign, hidden repeats among them.
        columns: the answers in the order in which first ones came, and those annotators who gave any.
        image_ids: per number of an image, its id.
        annotators: per annotator of the columns, the name.
        texts: per answer, what was said, as it is stored; nothing unless the kind of task needs it.
    """

    tasks: TaskColumns
    columns: LedgerColumns
    image_ids: IdArray
    annotators: IdArray
    texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.columns)
