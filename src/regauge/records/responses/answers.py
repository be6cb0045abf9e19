"""What came back from people: answers to CONTAINS grids, to CLASSIFY tasks, and single votes, as columns.

An answer to a grid is kept as one bit mask, whatever the number of its cells: five million votes take four megabytes
instead of eighty, and screening and counting read them as they lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.ranges import Range

MaskArray: TypeAlias = NDArray[np.uint64]
ControlArray: TypeAlias = NDArray[np.uint8]

MAX_CELLS = 64
"""Cells of a grid at most: one bit each in a mask."""
N_CELLS = Range(1, MAX_CELLS, is_whole=True)


class Control(IntEnum):
    """Whether the answer to a cell of a grid is known beforehand."""

    NONE = 0
    POSITIVE = 1
    """The class is in the image."""
    NEGATIVE = 2
    """The class is not in the image."""


@dataclass(frozen=True, slots=True)
class GridShape:
    """How large a grid is, and how many of its cells are controls at least."""

    n_cells: int = 48
    n_positive: int = 3
    n_negative: int = 3

    def __post_init__(self) -> None:
        if self.n_cells not in N_CELLS:
            raise InputError(f"A grid has {N_CELLS} cells, not {self.n_cells}.")
        if min(self.n_positive, self.n_negative) < 0 or self.n_pairs < 1:
            raise InputError(
                f"A grid of {self.n_cells} cells with {self.n_positive} positive and {self.n_negative} negative controls has no "
                "room for a pair; take fewer controls or more cells."
            )

    @property
    def n_pairs(self) -> int:
        """Cells that are not controls, at most."""
        return self.n_cells - self.n_positive - self.n_negative

    @property
    def least(self) -> dict[Control, int]:
        """The kinds of control that a grid has, and how many of each at least."""
        both = {Control.POSITIVE: self.n_positive, Control.NEGATIVE: self.n_negative}
        return {control: n for control, n in both.items() if n}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContainsVotes:
    """Answers to CONTAINS grids as files have them: one row per task, annotator and image, in any order.

    Attributes:
        task_ids: the distinct tasks.
        annotator_ids: the distinct annotators.
        image_ids: the distinct images.
        tasks: per row, the position of its task.
        annotators: per row, the position of its annotator.
        images: per row, the position of its image.
        classes: per row, the class that was asked for.
        controls: per row, a `Control`.
        is_selected: per row, whether the annotator selected the image.
        seconds: per row, the time of the response or of the image, NaN where unknown; None where unknown throughout.
        notes: what the reader found, a sentence each.
    """

    task_ids: IdArray
    annotator_ids: IdArray
    image_ids: IdArray
    tasks: IntArray
    annotators: IntArray
    images: IntArray
    classes: IntArray
    controls: ControlArray
    is_selected: BoolArray
    seconds: FloatArray | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("task_ids", "annotator_ids", "image_ids"):
            object.__setattr__(self, name, freeze_ids(getattr(self, name), owner="The table of answers"))
        for name in ("tasks", "annotators", "images", "classes"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int32))
        object.__setattr__(self, "controls", freeze(self.controls, np.uint8))
        object.__setattr__(self, "is_selected", freeze(self.is_selected, np.bool_))
        if self.seconds is not None:
            object.__setattr__(self, "seconds", freeze(self.seconds, np.float64))
        self._check()

    def __len__(self) -> int:
        return len(self.tasks)

    def __repr__(self) -> str:
        return (
            f"<ContainsVotes: {len(self):,} by {len(self.annotator_ids):,} annotators on {len(self.task_ids):,} tasks, "
            f"{len(self.image_ids):,} images>"
        )

    def _check(self) -> None:
        columns = (self.annotators, self.images, self.classes, self.controls, self.is_selected)
        shapes = {column.shape for column in columns} | ({self.seconds.shape} if self.seconds is not None else set())
        if shapes != {self.tasks.shape} or self.tasks.ndim != 1:
            raise InputError(
                "Every row of answers needs a task, an annotator, a class, an image, a control and an answer."
            )
        _check_places(self.tasks, len(self.task_ids), "task")
        _check_places(self.annotators, len(self.annotator_ids), "annotator")
        _check_places(self.images, len(self.image_ids), "image")
        _check_controls(self.controls)
        if self.classes.min(initial=0) < 0:
            raise InputError(f"A class is an index from 0 up, not {self.classes.min()}.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grids:
    """What CONTAINS tasks showed: per grid one class and a row of images, some of them controls.

    The cells of grid i are `cell_images[starts[i]:starts[i + 1]]`; cell c of a grid is bit c of every answer to it. Annotators
    who were shown different cells under one task id have grids of their own with that id.

    Attributes:
        task_ids: one per grid.
        classes: the class that each grid asks for.
        starts: where the cells of each grid start [n + 1].
        image_ids: the distinct images.
        cell_images: per cell, the position of its image in `image_ids`.
        cell_controls: per cell, a `Control`.
    """

    task_ids: IdArray
    classes: IntArray
    starts: CountArray
    image_ids: IdArray
    cell_images: IntArray
    cell_controls: ControlArray

    if TYPE_CHECKING:
        # Columns are given as anything like an array, and kept as arrays.
        def __init__(  # noqa: PLR0913, PLR0917 - the columns of the record, in their order
            self,
            task_ids: ArrayLike,
            classes: ArrayLike,
            starts: ArrayLike,
            image_ids: ArrayLike,
            cell_images: ArrayLike,
            cell_controls: ArrayLike,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_ids", np.asarray(self.task_ids, np.str_))
        object.__setattr__(self, "classes", freeze(self.classes, np.int32))
        object.__setattr__(self, "starts", freeze(self.starts, np.int64))
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner="The grids"))
        object.__setattr__(self, "cell_images", freeze(self.cell_images, np.int32))
        object.__setattr__(self, "cell_controls", freeze(self.cell_controls, np.uint8))
        self._check()

    def __len__(self) -> int:
        return len(self.task_ids)

    def __repr__(self) -> str:
        return f"<Grids: {len(self):,} with {len(self.cell_images):,} cells, {len(self.image_ids):,} images>"

    def _check(self) -> None:
        n, sizes = len(self.task_ids), np.diff(self.starts)
        if self.classes.shape != (n,) or self.starts.shape != (n + 1,) or self.starts[0] != 0:
            raise InputError(f"{n:,} grids need {n:,} classes and {n + 1:,} places where their cells start.")
        if self.starts[-1] != len(self.cell_images) or self.cell_controls.shape != self.cell_images.shape:
            raise InputError("Every cell of a grid needs one image and one control mark.")
        if (sizes < 1).any():
            raise InputError(
                f"Grid {str(self.task_ids[int(np.argmin(sizes))])!r} is empty; a grid shows at least one image."
            )
        if (sizes > MAX_CELLS).any():
            first = int(np.argmax(sizes))
            raise InputError(
                f"Grid {str(self.task_ids[first])!r} has {sizes[first]} cells; a grid shows at most {MAX_CELLS} images."
            )
        _check_places(self.cell_images, len(self.image_ids), "image")
        _check_controls(self.cell_controls)
        if self.classes.min(initial=0) < 0:
            raise InputError(f"A grid asks for a class, an index from 0 up, not {self.classes.min()}.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContainsResponses:
    """Answers to CONTAINS grids, in the order in which they were accepted.

    Attributes:
        grids: what was shown.
        annotator_ids: the distinct annotators.
        response_grids: per response, the position of its grid.
        response_annotators: per response, the position of its annotator in `annotator_ids`.
        masks: per response, bit c is set where cell c was selected.
        seconds: per response, how long it took; NaN where unknown.
    """

    grids: Grids
    annotator_ids: IdArray
    response_grids: IntArray
    response_annotators: IntArray
    masks: MaskArray
    seconds: FloatArray

    if TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the columns of the record, in their order
            self,
            grids: Grids,
            annotator_ids: ArrayLike,
            response_grids: ArrayLike,
            response_annotators: ArrayLike,
            masks: ArrayLike,
            seconds: ArrayLike,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "annotator_ids", freeze_ids(self.annotator_ids, owner="The responses"))
        object.__setattr__(self, "response_grids", freeze(self.response_grids, np.int32))
        object.__setattr__(self, "response_annotators", freeze(self.response_annotators, np.int32))
        object.__setattr__(self, "masks", freeze(self.masks, np.uint64))
        object.__setattr__(self, "seconds", freeze(self.seconds, np.float64))
        columns = (self.response_grids, self.response_annotators, self.masks, self.seconds)
        if len({column.shape for column in columns}) != 1 or self.masks.ndim != 1:
            raise InputError("Every response needs one grid, one annotator, one mask and one time (NaN where unknown).")
        _check_places(self.response_grids, len(self.grids), "grid")
        _check_places(self.response_annotators, len(self.annotator_ids), "annotator")
        self._check_answers()

    def _check_answers(self) -> None:
        sizes = np.diff(self.grids.starts)[self.response_grids].astype(np.uint64)
        # A shift by all 64 bits is undefined, so it is made in two steps.
        beyond = (self.masks >> (sizes - np.uint64(1))) >> np.uint64(1)
        if beyond.any():
            task = str(self.grids.task_ids[self.response_grids[int(np.argmax(beyond))]])
            raise InputError(f"An answer to task {task!r} selects a cell that its grid does not have.")
        keys = self.response_grids.astype(np.int64) * max(1, len(self.annotator_ids)) + self.response_annotators
        # Answers often come grid by grid; a stable sort makes use of order that is there.
        in_order = np.sort(keys, kind="stable")
        twice = np.flatnonzero(np.diff(in_order) == 0)
        if twice.size:
            grid, annotator = divmod(int(in_order[twice[0]]), max(1, len(self.annotator_ids)))
            raise InputError(
                f"Annotator {str(self.annotator_ids[annotator])!r} answers task {str(self.grids.task_ids[grid])!r} twice; "
                "an annotator gets a grid once, so keep one of the answers."
            )

    def __len__(self) -> int:
        return len(self.masks)

    def __repr__(self) -> str:
        return (
            f"<ContainsResponses: {len(self):,} by {len(self.annotator_ids):,} annotators on {len(self.grids):,} grids>"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassifyResponses:
    """Answers to CLASSIFY tasks, in the order in which they were accepted.

    The labels that response i selected are `selected[starts[i]:starts[i + 1]]`.

    Attributes:
        image_ids: the distinct images.
        annotator_ids: the distinct annotators.
        response_images: per response, the position of its image.
        response_annotators: per response, the position of its annotator.
        starts: where the selected labels of each response start [n + 1].
        selected: class indices, response after response.
        main: per response, the class of the main object; `NO_CLASS` where none was named.
        candidate_starts: where the candidates of each image start [n_images + 1]; None where they are not known.
        candidates: class indices, image after image; None where they are not known.
        seconds: per response, how long it took; None where unknown throughout.
    """

    image_ids: IdArray
    annotator_ids: IdArray
    response_images: IntArray
    response_annotators: IntArray
    starts: CountArray
    selected: IntArray
    main: IntArray
    candidate_starts: CountArray | None = None
    candidates: IntArray | None = None
    seconds: FloatArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner="The responses"))
        object.__setattr__(self, "annotator_ids", freeze_ids(self.annotator_ids, owner="The responses"))
        for name, kind in (
            ("response_images", np.int32),
            ("response_annotators", np.int32),
            ("starts", np.int64),
            ("selected", np.int32),
            ("main", np.int32),
        ):
            object.__setattr__(self, name, freeze(getattr(self, name), kind))
        n = len(self.response_images)
        if self.response_annotators.shape != (n,) or self.main.shape != (n,) or self.starts.shape != (n + 1,):
            raise InputError(f"{n:,} responses need {n:,} annotators, {n:,} main labels and {n + 1:,} starts.")
        if self.starts[0] != 0 or self.starts[-1] != len(self.selected) or (np.diff(self.starts) < 0).any():
            raise InputError("The selected labels must be one column, response after response.")
        if self.main.min(initial=NO_CLASS) < NO_CLASS or self.selected.min(initial=0) < 0:
            raise InputError("A label is a class index from 0 up.")
        self._check_codes()
        self._check_candidates()
        if self.seconds is not None:
            object.__setattr__(self, "seconds", freeze(self.seconds, np.float64))
            if self.seconds.shape != (n,):
                raise InputError(f"{n:,} responses need {n:,} times (NaN where unknown), not {self.seconds.shape}.")

    def _check_codes(self) -> None:
        for name, codes in (("image_ids", self.response_images), ("annotator_ids", self.response_annotators)):
            if codes.size and not (codes.min() >= 0 and codes.max() < len(getattr(self, name))):
                raise InputError(f"A response refers to a place outside {name}.")

    def _check_candidates(self) -> None:
        if self.candidates is None or self.candidate_starts is None:
            if self.candidates is not None or self.candidate_starts is not None:
                raise InputError("Candidates need the places where those of each image start, and the other way round.")
            return
        object.__setattr__(self, "candidates", freeze(self.candidates, np.int32))
        object.__setattr__(self, "candidate_starts", freeze(self.candidate_starts, np.int64))
        starts = self.candidate_starts
        is_column = starts.shape == (len(self.image_ids) + 1,) and starts[0] == 0
        if not is_column or starts[-1] != len(self.candidates) or (np.diff(starts) < 0).any():
            raise InputError("The candidates must be one column, image after image.")

    def __len__(self) -> int:
        return len(self.response_images)

    def __repr__(self) -> str:
        return f"<ClassifyResponses: {len(self):,} by {len(self.annotator_ids):,} annotators on {len(self.image_ids):,} images>"


def _check_places(places: IntArray, n: int, what: str) -> None:
    """Refuse a position at which there is nothing."""
    if places.size and not (places.min() >= 0 and places.max() < n):
        raise InputError(
            f"A row refers to {what} {places[(places < 0) | (places >= n)][0]}; there are {n:,}, from 0 up."
        )


def _check_controls(controls: ControlArray) -> None:
    if controls.max(initial=0) > max(Control):
        known = ", ".join(f"{control} ({control.name.lower()})" for control in Control)
        raise InputError(f"A control is one of {known}, not {controls.max()}.")
