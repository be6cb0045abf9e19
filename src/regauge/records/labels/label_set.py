"""Label sets: what people found in the images, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.records.labels.evidence import LabelEvidence
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.objects import ImageObjects
from regauge.records.labels.verdicts import Verdict
from regauge.records.testsets.test_set import TestSet

VerdictArray: TypeAlias = NDArray[np.int8]
ClassLists: TypeAlias = Sequence[Sequence[int]]


class LabelKind(StrEnum):
    """Which accuracy a label set is for."""

    MULTILABEL = "multilabel"
    """Reviewed verdicts (Shankar et al. 2020; Vasudevan et al. 2022): strict and lenient multi-label accuracy."""
    REAL = "real"
    """Reassessed labels (Beyer et al. 2020): one list per image; an image with an empty list is left out."""


class Unlisted(StrEnum):
    """What it means when a label set does not list a class for an image."""

    WRONG = "wrong"
    """The lists are complete: what they do not name is not in the image."""
    UNJUDGED = "unjudged"
    """Nobody has looked: the class may be in the image or not."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelSet:
    """A truth: per (image, class) a verdict; per image whether it is problematic, and its main label.

    The verdicts of image i are `verdicts[starts[i]:starts[i + 1]]`, on the classes at the same places of `classes`.
    Build one with `LabelSet.from_lists`.

    Attributes:
        name: what outputs call the label set.
        image_ids: one distinct id per image.
        starts: where the verdicts of each image start [n + 1].
        classes: the judged class indices, image after image.
        verdicts: one `Verdict` per judged class.
        kind: which accuracy it is for.
        unlisted: what a class without a verdict means.
        is_problematic: images that are left out of multi-label, ReaL and main-label accuracy for every participant.
        main_labels: the class of each image's main object; `NO_CLASS` where it is not known.
        is_follow_up_only: whether main labels and objects come from CLASSIFY without the easy images, on which figures about
            them would be higher.
    """

    name: str
    image_ids: IdArray
    starts: CountArray
    classes: IntArray
    verdicts: VerdictArray
    kind: LabelKind
    unlisted: Unlisted
    is_problematic: BoolArray
    main_labels: IntArray
    is_follow_up_only: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"Label set {self.name}"))
        object.__setattr__(self, "starts", freeze(self.starts, np.int64))
        object.__setattr__(self, "classes", freeze(self.classes, np.int32))
        object.__setattr__(self, "verdicts", freeze(self.verdicts, np.int8))
        object.__setattr__(self, "is_problematic", freeze(self.is_problematic, np.bool_))
        object.__setattr__(self, "main_labels", freeze(self.main_labels, np.int32))
        self._check_shapes()
        self._check_classes()

    @classmethod
    def from_lists(  # noqa: PLR0913 - one argument per column of the file format, all by name
        cls,
        name: str,
        image_ids: ArrayLike,
        *,
        correct: ClassLists | None = None,
        unclear: ClassLists | None = None,
        wrong: ClassLists | None = None,
        is_problematic: Sequence[bool] | None = None,
        main_labels: Sequence[int] | None = None,
        kind: LabelKind = LabelKind.MULTILABEL,
        unlisted: Unlisted | None = None,
    ) -> LabelSet:
        """A label set from one list of class indices per image and verdict.

        Args:
            name: what outputs call the label set.
            image_ids: one distinct id per image; the lists below are in this order.
            correct: classes that are in each image.
            unclear: classes about which people could not decide.
            wrong: classes that people looked for and did not find.
            is_problematic: images to leave out; none by default.
            main_labels: the class of each image's main object; `NO_CLASS` where unknown.
            kind: which accuracy the labels are for.
            unlisted: what a class in none of the lists means: by default, `UNJUDGED` when `wrong` is given (a
                review records what it rejects), else `WRONG` (the lists are complete).
        """
        n = len(np.asarray(image_ids))
        blank: ClassLists = [()] * n
        columns = [(Verdict.CORRECT, correct), (Verdict.UNCLEAR, unclear), (Verdict.WRONG, wrong)]
        starts, classes, verdicts = _flatten(
            name, n, [(verdict, blank if lists is None else lists) for verdict, lists in columns]
        )
        default = Unlisted.WRONG if wrong is None else Unlisted.UNJUDGED
        return cls(
            name=name,
            image_ids=np.asarray(image_ids, dtype=np.str_),
            starts=starts,
            classes=classes,
            verdicts=verdicts,
            kind=kind,
            unlisted=unlisted or default,
            is_problematic=np.zeros(n, np.bool_) if is_problematic is None else np.asarray(is_problematic, np.bool_),
            main_labels=np.full(n, NO_CLASS, np.int32) if main_labels is None else np.asarray(main_labels, np.int32),
        )

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return (
            f"<LabelSet {self.name}: {len(self):,} images, {len(self.classes):,} verdicts, "
            f"{int(self.is_problematic.sum()):,} problematic>"
        )

    @property
    def rows(self) -> CountArray:
        """The position of the image that each verdict belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    @property
    def positions(self) -> CountArray:
        """The position of each verdict among those of its image."""
        return np.arange(len(self.classes), dtype=np.int64) - np.repeat(self.starts[:-1], np.diff(self.starts))

    @property
    def has_verdicts(self) -> bool:
        """Whether any class of any image was judged."""
        return len(self.classes) > 0

    @property
    def has_main_labels(self) -> bool:
        """Whether the main object of any image is known."""
        return bool((self.main_labels != NO_CLASS).any())

    def _check_shapes(self) -> None:
        n = len(self.image_ids)
        for column in ("is_problematic", "main_labels"):
            shape = getattr(self, column).shape
            if shape != (n,):
                raise InputError(f"Label set {self.name} has {n:,} images, but {column} has the shape {list(shape)}.")
        if self.starts.shape != (n + 1,) or self.starts[0] != 0 or self.starts[-1] != len(self.classes):
            raise InputError(
                f"Label set {self.name}: starts must hold {n + 1} places, from 0 to the number of verdicts."
            )
        is_column = self.classes.ndim == 1 and self.verdicts.shape == self.classes.shape
        if not is_column or (np.diff(self.starts) < 0).any():
            raise InputError(
                f"Label set {self.name}: verdicts and classes must be columns of one length in image order."
            )

    def _check_classes(self) -> None:
        if not np.isin(self.verdicts, list(Verdict)).all():
            known = ", ".join(f"{verdict} ({verdict.name.lower()})" for verdict in Verdict)
            bad = self.verdicts[~np.isin(self.verdicts, list(Verdict))][0]
            raise InputError(f"Label set {self.name}: a verdict is one of {known}, not {bad}.")
        if self.main_labels.min(initial=NO_CLASS) < NO_CLASS:
            first = str(self.image_ids[int(np.argmin(self.main_labels))])
            raise InputError(
                f"Label set {self.name}: image {first!r} has the main label {self.main_labels.min()}; indices start at 0, "
                f"and {NO_CLASS} stands for none."
            )
        if self.classes.size and self.classes.min() < 0:
            first = str(self.image_ids[self.rows[int(np.argmin(self.classes))]])
            raise InputError(
                f"Label set {self.name}: image {first!r} has the class {self.classes.min()}; indices start at 0."
            )
        pairs = self.rows * (int(self.classes.max(initial=0)) + 1) + self.classes
        order = np.argsort(pairs, kind="stable")
        twice = np.flatnonzero(np.diff(pairs[order]) == 0)
        if twice.size:
            at = int(order[twice[0] + 1])
            raise InputError(
                f"Label set {self.name}: image {str(self.image_ids[self.rows[at]])!r} lists class {self.classes[at]} twice; "
                "a class has one verdict per image."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What predictions are scored against: dataset labels, label sets, or both; joined by image id.

    Attributes:
        test_set: the dataset labels, where they are known.
        label_sets: what people found, each with its own images.
        notes: what the reader found, a sentence each.
        objects: the objects of a label set's images, under its name, where they are known.
        frequencies: how often classes were selected for images, where that is known.
        evidence: what the verdicts of a label set rest on, under its name, where that is known.
    """

    test_set: TestSet | None = None
    label_sets: tuple[LabelSet, ...] = ()
    notes: tuple[str, ...] = ()
    objects: tuple[ImageObjects, ...] = ()
    frequencies: tuple[SelectionCounts, ...] = ()
    evidence: tuple[LabelEvidence, ...] = ()

    def __post_init__(self) -> None:
        if self.test_set is None and not self.label_sets:
            raise InputError("A truth needs dataset labels or at least one label set.")

    @property
    def name(self) -> str:
        """What outputs call the images: the test set, else the first label set."""
        return self.test_set.name if self.test_set is not None else self.label_sets[0].name


def _flatten(
    name: str, n: int, columns: Sequence[tuple[Verdict, ClassLists]]
) -> tuple[CountArray, IntArray, VerdictArray]:
    """One column of classes and one of verdicts, image after image, from one list of lists per verdict."""
    lengths = np.zeros(n, dtype=np.int64)
    for verdict, lists in columns:
        if len(lists) != n:
            raise InputError(
                f"Label set {name} has {n:,} images, but {len(lists):,} lists of {verdict.name.lower()} classes."
            )
        lengths += np.fromiter(map(len, lists), dtype=np.int64, count=n)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    classes = [index for image in zip(*(lists for _, lists in columns), strict=True) for one in image for index in one]
    verdicts = [
        verdict
        for image in zip(*(lists for _, lists in columns), strict=True)
        for (verdict, _), one in zip(columns, image, strict=True)
        for _ in one
    ]
    return starts, np.asarray(classes, dtype=np.int32), np.asarray(verdicts, dtype=np.int8)
