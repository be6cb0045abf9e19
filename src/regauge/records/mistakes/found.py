"""Found mistakes: which answers of a participant a label set does not accept, and what is known about each; and how many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, ScoreArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Share, check_level

NO_LEVEL = -1
"""Nothing in the hierarchy joins the two classes, or there is no hierarchy or no label to measure from."""


@dataclass(frozen=True, slots=True)
class FindSettings:
    """How to find mistakes.

    Attributes:
        is_strict: unclear answers are mistakes too.
        n_sample: so many of the mistakes are drawn at random; None takes all.
        seed: start of the draw; equal seeds draw equal mistakes.
        level: nominal coverage of every interval.
    """

    is_strict: bool = False
    n_sample: int | None = None
    seed: int = 0
    level: float = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.n_sample is not None and self.n_sample < 1:
            raise InputError(f"A sample has at least 1 mistake, not {self.n_sample}.")
        if self.seed < 0:
            raise InputError(f"A seed is a whole number from 0 up, not {self.seed}.")


@dataclass(frozen=True, slots=True)
class SampledShare:
    """A share among all mistakes, known from all of them or from a random sample.

    Attributes:
        share: the share among those that were looked at. Its interval is Clopper–Pearson's where all were; else it is for
            all mistakes (hypergeometric).
        n_whole: how many mistakes there are in all.
        n_low: how many of them have the property at least.
        n_high: how many of them have it at most.
    """

    share: Share[float | None]
    n_whole: int
    n_low: int
    n_high: int


@dataclass(frozen=True, slots=True, eq=False)
class ClassRows:
    """Some classes for each of several images.

    Attributes:
        starts: where the classes of each image start [n + 1].
        classes: the class indices, image after image.
    """

    starts: CountArray
    classes: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", freeze(self.starts, np.int64))
        object.__setattr__(self, "classes", freeze(self.classes, np.int32))
        if not len(self.starts) or self.starts[0] != 0 or self.starts[-1] != len(self.classes):
            raise InputError("The classes of images start at 0 and end where the column ends.")

    def __len__(self) -> int:
        return len(self.starts) - 1

    def list_classes(self, row: int) -> list[int]:
        """The classes of one image."""
        found: list[int] = self.classes[self.starts[row] : self.starts[row + 1]].tolist()
        return found

    def choose(self, rows: NDArray[np.intp]) -> ClassRows:
        """The classes of some images, in the order of the rows."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        places = np.arange(starts[-1]) + np.repeat(self.starts[:-1][rows] - starts[:-1], lengths)
        return ClassRows(starts, self.classes[places])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoundMistakes:
    """A participant's first answers that a label set does not accept, one per image, in the order of the test set.

    Attributes:
        participant: who answered.
        test_set: what outputs call the images.
        labels: the label set, with its version where it has one.
        image_ids: the image of each mistake.
        predictions: the answered class.
        scores: the participant's own confidence in it; NaN where there is none.
        is_novel: nobody has judged the answer for this image, and the label set does not take what it leaves out for wrong.
        accepted: the classes that the label set accepts for each image.
        rejected: the classes that it holds for wrong, the answer among them where it was judged.
        dataset_labels: the dataset label of each image; `NO_CLASS` where it is not known.
        levels: levels up to the nearest common ancestor of the answer and the nearest accepted class; `NO_LEVEL` where there is
            none.
        others: the other participants who were looked at.
        agrees: which of them give the same answer [n, len(others)].
        n_images: how many images were judged, mistaken or not.
        n_mistakes: how many mistakes there are in all; more than there are rows where these are a sample.
        n_problematic: how many answered images were left out because they are problematic.
        is_strict: unclear answers are mistakes too.
        n_unanswered: how many images of the test set have no answer.
        n_unknown: how many answered images the label set does not judge although they are not problematic.
        seed: start of the draw, where these are a sample.
        wrong: the share of mistakes among the judged images; None where nobody asked for it.
        novel: the share of novel answers among the mistakes, for all of them where these are a sample; None likewise, and where
            the label set takes what it leaves out for wrong.
        notes: what the reader should know, a sentence each.
    """

    participant: str
    test_set: str
    labels: str
    image_ids: IdArray
    predictions: IntArray
    scores: ScoreArray
    is_novel: BoolArray
    accepted: ClassRows
    rejected: ClassRows
    dataset_labels: IntArray
    levels: IntArray
    others: tuple[str, ...]
    agrees: BoolArray
    n_images: int
    n_mistakes: int
    n_problematic: int = 0
    is_strict: bool = False
    n_unanswered: int = 0
    n_unknown: int = 0
    seed: int = 0
    wrong: Share[float | None] | None = None
    novel: SampledShare | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"The mistakes of {self.participant}"))
        for name, kind in (
            ("predictions", np.int32),
            ("scores", np.float32),
            ("is_novel", np.bool_),
            ("dataset_labels", np.int32),
            ("levels", np.int32),
        ):
            object.__setattr__(self, name, freeze(getattr(self, name), kind))
            if getattr(self, name).shape != self.image_ids.shape:
                raise InputError(
                    f"The mistakes of {self.participant} are {len(self):,}, but {name} has another length."
                )
        object.__setattr__(self, "agrees", freeze(self.agrees, np.bool_))
        if not len(self.accepted) == len(self.rejected) == len(self):
            raise InputError(
                f"The mistakes of {self.participant} are {len(self):,}, but their labels are of other images."
            )
        if self.agrees.shape != (len(self), len(self.others)):
            raise InputError(
                f"The mistakes of {self.participant} are {len(self):,} and the others {len(self.others):,}, but who agrees has "
                f"the shape {list(self.agrees.shape)}."
            )
        if not len(self) <= self.n_mistakes <= self.n_images:
            raise InputError(
                f"{self.participant} cannot have {len(self):,} mistakes of {self.n_mistakes:,} on {self.n_images:,} images."
            )

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return (
            f"<FoundMistakes of {self.participant} under {self.labels}: {len(self):,} of {self.n_mistakes:,}, "
            f"{self.n_novel:,} novel>"
        )

    @property
    def n_novel(self) -> int:
        """How many of these mistakes nobody has judged."""
        return int(np.count_nonzero(self.is_novel))

    @property
    def n_others(self) -> CountArray:
        """How many of the other participants give the same answer as each mistake."""
        return np.asarray(self.agrees.sum(axis=1), np.int64)

    @property
    def is_sample(self) -> bool:
        """Whether these are some of the mistakes only."""
        return len(self) < self.n_mistakes

    def choose(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> FoundMistakes:
        """Some of the mistakes, in the order of the rows; what is known of all images stays, and no share of novel ones."""
        places = np.flatnonzero(rows) if np.asarray(rows).dtype == np.bool_ else np.asarray(rows, np.intp)
        names = ("image_ids", "predictions", "scores", "is_novel", "dataset_labels", "levels", "agrees")
        kept: dict[str, Any] = {name: getattr(self, name)[places] for name in names}
        accepted, rejected = self.accepted.choose(places), self.rejected.choose(places)
        return replace(self, **kept, accepted=accepted, rejected=rejected, novel=None)


@dataclass(frozen=True, slots=True)
class ParticipantMistakes:
    """The mistakes of one participant in numbers.

    Attributes:
        participant: who answered.
        wrong: the share of mistakes among the judged images.
        novel: the share of them that nobody has judged; None where the label set takes what it leaves out for wrong.
        n_problematic: how many answered images were left out because they are problematic.
        n_unanswered: how many images have no answer.
        n_unknown: how many answered images the label set does not judge although they are not problematic.
    """

    participant: str
    wrong: Share[float | None]
    novel: Share[float | None] | None
    n_problematic: int
    n_unanswered: int
    n_unknown: int = 0


@dataclass(frozen=True, slots=True)
class MistakeCounts:
    """The mistakes of several participants in numbers.

    Attributes:
        test_set: what outputs call the images.
        labels: the label set, with its version where it has one.
        participants: one entry each, in their order.
        n_novel_pairs: how many different answers, each on its image, nobody has judged: what a panel would have to look at.
        is_strict: unclear answers are mistakes too.
        notes: what the reader should know, a sentence each.
    """

    test_set: str
    labels: str
    participants: tuple[ParticipantMistakes, ...]
    n_novel_pairs: int
    is_strict: bool = False
    notes: tuple[str, ...] = ()
