"""What participants answered, keyed by image id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import NO_CLASS, IdArray, IntArray, ScoreArray, freeze, freeze_ids, read_array
from regauge.errors import InputError


class ParticipantKind(StrEnum):
    """What a participant is."""

    MODEL = "model"
    PERSON = "person"

    @property
    def plural(self) -> str:
        """The word for several."""
        return "people" if self is ParticipantKind.PERSON else "models"


class Described(Protocol):
    """A participant of whom it is known what it is, and what it belongs with; None where nobody said so."""

    @property
    def participant(self) -> str:
        """The name."""

    @property
    def kind(self) -> ParticipantKind | None:
        """What it is; whoever is not said to be a person is a model."""

    @property
    def family(self) -> str | None:
        """What it belongs with."""


_Described = TypeVar("_Described", bound=Described)


@dataclass(frozen=True, slots=True)
class ParticipantChoice:
    """Whom of the participants is meant.

    Attributes:
        kind: models or people; None for both.
        families: globs on families; none for everybody.
    """

    kind: ParticipantKind | None = None
    families: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind is not None:
            object.__setattr__(self, "kind", ParticipantKind(self.kind))

    def has(self, one: Described) -> bool:
        """Whether somebody is meant."""
        is_kind = self.kind is None or (one.kind or ParticipantKind.MODEL) is self.kind
        return is_kind and (
            not self.families or any(fnmatchcase(one.family or "", glob) for glob in self.families if one.family)
        )

    def keep(self, found: Iterable[_Described], *, where: str = "") -> list[_Described]:
        """Those who are meant, in their order.

        Raises:
            InputError: there is nobody.
        """
        given = list(found)
        kept = [one for one in given if self.has(one)]
        if given and not kept:
            self.refuse(given, where=where)
        return kept

    def refuse(self, given: Iterable[Described], *, where: str = "") -> NoReturn:
        """Say that nobody of those who are there is meant, and how people and families are known.

        Raises:
            InputError: always.
        """
        whom = "participant" if self.kind is None else self.kind.value
        of = f" of the family {' or '.join(self.families)}" if self.families else ""
        known = sorted({one.family for one in given if one.family}) if self.families else []
        there = f" (families: {', '.join(known[:10])}{', …' if len(known) > 10 else ''})" if known else ""
        raise InputError(
            f"No {whom}{of}{f' {where}' if where else ''} is among the participants{there}. What a participant is, a column "
            "`kind` of its answers says, or `regauge predictions mark` in a study."
        )


EVERYBODY = ParticipantChoice()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predictions:
    """One participant's answers on a set of images, best first.

    Attributes:
        participant: the name of the model or person.
        image_ids: one distinct id per answered image.
        classes: class indices [n, k], best first; `NO_CLASS` fills a row that has fewer than k answers.
            A column [n] is taken as one answer per image.
        scores: the participant's own confidence in each answer [n, k], where it is known.
        seconds: how long each answer took [n], from the image being shown to the answer; NaN where nobody knows.
        active_seconds: likewise without pauses and the time in which the page was hidden.
        kind: whether the participant is a model or a person; None where nobody said so, and then it is taken for a model.
        family: what it belongs with: models of one architecture, people of one group.
    """

    participant: str
    image_ids: IdArray
    classes: IntArray
    scores: ScoreArray | None = None
    seconds: ScoreArray | None = None
    active_seconds: ScoreArray | None = None
    kind: ParticipantKind | None = None
    family: str | None = None

    if TYPE_CHECKING:
        # Columns are given as anything like an array, and kept as arrays.
        def __init__(  # noqa: PLR0913, PLR0917 - one for each column
            self,
            participant: str,
            image_ids: ArrayLike,
            classes: ArrayLike,
            scores: ArrayLike | None = None,
            seconds: ArrayLike | None = None,
            active_seconds: ArrayLike | None = None,
            kind: ParticipantKind | str | None = None,
            family: str | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=self.participant))
        object.__setattr__(self, "classes", freeze(_as_columns(self.classes), np.int32))
        self._check_classes()
        if self.scores is not None:
            object.__setattr__(self, "scores", freeze(_as_columns(self.scores), np.float32))
            self._check_scores(self.scores)
        for name in ("seconds", "active_seconds"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, freeze(getattr(self, name), np.float32))
                self._check_seconds(getattr(self, name))
        if self.kind is not None:
            object.__setattr__(self, "kind", ParticipantKind(self.kind))

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<Predictions of {self.participant}: {len(self):,} images, {self.n_answers} answers each>"

    @property
    def n_answers(self) -> int:
        """How many answers every image has at least."""
        return int((self.classes != NO_CLASS).sum(axis=1).min()) if len(self) else self.classes.shape[1]

    @property
    def is_person(self) -> bool:
        """Whether a person answered; whoever is not said to be one is a model."""
        return self.kind is ParticipantKind.PERSON

    def choose(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Predictions:
        """The answers of some rows, in their order."""
        names = ("image_ids", "classes", "scores", "seconds", "active_seconds")
        columns: dict[str, Any] = {name: getattr(self, name) for name in names}
        kept: dict[str, Any] = {name: None if one is None else one[rows] for name, one in columns.items()}
        return replace(self, **kept)

    def _check_classes(self) -> None:
        if self.classes.ndim != 2 or self.classes.shape[0] != len(self.image_ids) or self.classes.shape[1] == 0:
            raise InputError(
                f"{self.participant} has {len(self.image_ids):,} image ids, so its classes must have the shape "
                f"[{len(self.image_ids)}, k] with k at least 1, not {list(self.classes.shape)}."
            )
        bad = (self.classes < NO_CLASS).any(axis=1) | (self.classes[:, 0] == NO_CLASS)
        if bad.any():
            first = str(self.image_ids[int(np.argmax(bad))])
            raise InputError(f"{self.participant} gives image {first!r} a class below 0; indices start at 0.")
        self._check_answers()

    def _check_answers(self) -> None:
        gaps = ((self.classes[:, :-1] == NO_CLASS) & (self.classes[:, 1:] != NO_CLASS)).any(axis=1)
        ordered = np.sort(self.classes, axis=1)
        repeats = ((ordered[:, :-1] == ordered[:, 1:]) & (ordered[:, 1:] != NO_CLASS)).any(axis=1)
        for bad, what in ((gaps, "leaves out an answer before the last"), (repeats, "gives one class twice")):
            if bad.any():
                first = str(self.image_ids[int(np.argmax(bad))])
                raise InputError(
                    f"{self.participant} {what} for image {first!r}; answers are distinct and without a gap."
                )

    def _check_scores(self, scores: ScoreArray) -> None:
        if scores.shape != self.classes.shape:
            raise InputError(
                f"{self.participant} has scores of shape {list(scores.shape)} for classes of shape "
                f"{list(self.classes.shape)}; they must be the same."
            )
        bad = (np.isnan(scores) & (self.classes != NO_CLASS)).any(axis=1)
        if bad.any():
            first = str(self.image_ids[int(np.argmax(bad))])
            raise InputError(f"{self.participant} has a score that is not a number (NaN) for image {first!r}.")

    def _check_seconds(self, seconds: ScoreArray) -> None:
        if seconds.shape != self.image_ids.shape:
            raise InputError(
                f"{self.participant} has {len(self.image_ids):,} image ids and seconds of shape {list(seconds.shape)}; each "
                "answer has one number of seconds."
            )
        bad = (seconds < 0) | np.isinf(seconds)
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"{self.participant} took {seconds[row]:g} seconds for image {str(self.image_ids[row])!r}; seconds are 0 or more."
            )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Logits:
    """One model's outputs for every class, as they come from a file: usually memory-mapped and never copied whole.

    Attributes:
        participant: the name of the model.
        image_ids: one distinct id per row.
        values: outputs [n, classes]; larger means more likely.
    """

    participant: str
    image_ids: IdArray
    values: NDArray[np.floating]

    if TYPE_CHECKING:
        # Columns are given as anything like an array, and kept as arrays.
        def __init__(self, participant: str, image_ids: ArrayLike, values: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=self.participant))
        object.__setattr__(self, "values", read_array(self.values, what=f"the logits of {self.participant}"))
        if self.values.ndim != 2 or self.values.shape[0] != len(self.image_ids):
            raise InputError(
                f"{self.participant} has {len(self.image_ids):,} image ids, so its logits must have the shape "
                f"[{len(self.image_ids)}, classes], not {list(self.values.shape)}."
            )

    def __repr__(self) -> str:
        return f"<Logits of {self.participant}: {self.values.shape[0]:,} images, {self.values.shape[1]:,} classes>"


def _as_columns(values: ArrayLike) -> NDArray[np.generic]:
    array = read_array(values)
    return array[:, np.newaxis] if array.ndim == 1 else array
