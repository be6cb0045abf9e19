"""Everybody judged on one test set: who is right where, and how long people took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IdArray, IntArray, ScoreArray
from regauge.errors import InputError, MissingImagesError
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import Measure, Outcome, OutcomeArray
from regauge.evaluation.targets import NO_ROW, Target, line_up_answers
from regauge.predictions.order import find_order_warning
from regauge.records.evaluation.humans.report import LENIENT, STRICT, TOP1, HumanSettings
from regauge.records.predictions import ParticipantKind, Predictions


@dataclass(frozen=True, slots=True)
class Who:
    """A participant by name and by what it is."""

    name: str
    kind: ParticipantKind
    family: str | None = None

    @property
    def is_person(self) -> bool:
        """Whether it is a person."""
        return self.kind is ParticipantKind.PERSON


@dataclass(frozen=True, slots=True, eq=False)
class AnsweredSet:
    """Everybody on the images of one test set that take part.

    Attributes:
        name: the test set.
        image_ids: the images.
        labels: their dataset labels; `NO_CLASS` where there is none.
        rows: their rows in the target that they were judged on.
        who: everybody, in the order of the rows of all arrays below.
        measures: per metric, by which labels it judges.
        outcomes: per metric [participants, images]; an image that somebody did not answer is not counted.
        answers: the first answer [participants, images].
        seconds: from image shown to answer [participants, images]; not a number where nobody knows.
        active_seconds: likewise without pauses.
        n_left_out: images of the target that no person answered, and that do not take part for that reason.
        warnings: what is probably wrong with somebody's answers.
    """

    name: str
    image_ids: IdArray
    labels: IntArray
    rows: CountArray
    who: tuple[Who, ...]
    measures: Mapping[str, str]
    outcomes: Mapping[str, OutcomeArray]
    answers: IntArray
    seconds: ScoreArray
    active_seconds: ScoreArray
    n_left_out: int = 0
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.image_ids)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of everybody."""
        return tuple(one.name for one in self.who)

    @property
    def is_person(self) -> BoolArray:
        """[participants], who is a person."""
        return np.array([one.is_person for one in self.who], np.bool_)

    def is_counted(self, metric: str) -> BoolArray:
        """[participants, images], whose answer to which image counts."""
        counted: BoolArray = self.outcomes[metric] != Outcome.NOT_COUNTED
        return counted

    def is_right(self, metric: str) -> BoolArray:
        """[participants, images], who is right where; an unjudged prediction is not."""
        right: BoolArray = self.outcomes[metric] == Outcome.RIGHT
        return right

    def keep(self, images: BoolArray) -> AnsweredSet:
        """The same with some of the images."""
        return replace(
            self,
            image_ids=self.image_ids[images],
            labels=self.labels[images],
            rows=self.rows[images],
            outcomes={name: one[:, images] for name, one in self.outcomes.items()},
            answers=self.answers[:, images],
            seconds=self.seconds[:, images],
            active_seconds=self.active_seconds[:, images],
        )

    def sort(self, names: Sequence[str]) -> AnsweredSet:
        """The same with those of everybody who are named, in that order."""
        places = {name: place for place, name in enumerate(self.names)}
        order = [places[name] for name in names if name in places]
        return replace(
            self,
            who=tuple(self.who[place] for place in order),
            outcomes={name: one[order] for name, one in self.outcomes.items()},
            answers=self.answers[order],
            seconds=self.seconds[order],
            active_seconds=self.active_seconds[order],
        )


def choose_metrics(targets: Sequence[Target], settings: HumanSettings) -> tuple[str, ...]:
    """The metrics that were asked for, or else strict and lenient multi-label accuracy where all truths allow both, or top1.

    Raises:
        InputError: a truth does not allow a metric, or two of its label sets do.
    """
    known = [[measure.metric for measure in find_measures(target)] for target in targets]
    both = (STRICT, LENIENT)
    wanted = settings.metric or (both if all(one.count(name) == 1 for one in known for name in both) else (TOP1,))
    for target, names in zip(targets, known, strict=True):
        for metric in wanted:
            if names.count(metric) != 1:
                there = ", ".join(dict.fromkeys(names)) or "none"
                found = f"are {names.count(metric)} label sets" if metric in names else "is nothing"
                raise InputError(f"For {metric} there {found} in the truth of {target.name}; it allows: {there}.")
    return tuple(dict.fromkeys(wanted))


def judge_set(
    participants: Iterable[Predictions], target: Target, *, metrics: Sequence[str], settings: HumanSettings
) -> AnsweredSet:
    """Judge everybody on one test set. With people among them, on the images that at least one person answered.

    Raises:
        InputError: a participant gives too few answers for a metric.
        MissingImagesError: a model lacks images that take part, and the settings do not allow it.
    """
    measures = {one.metric: one for one in find_measures(target) if one.metric in metrics}
    who: list[Who] = []
    outcomes: dict[str, list[OutcomeArray]] = {metric: [] for metric in metrics}
    columns: dict[str, list[ScoreArray]] = {"seconds": [], "active_seconds": []}
    firsts: list[IntArray] = []
    warnings: list[str] = []
    for predictions in participants:
        answers = line_up_answers(predictions, target, allow_missing=True)
        who.append(_describe(predictions, settings))
        for metric in metrics:
            outcomes[metric].append(_judge(measures[metric], answers, who[-1].name, target))
        firsts.append(answers[:, 0])
        warnings += find_order_warning(who[-1].name, answers, labels=target.dataset_labels)
        for name, column in columns.items():
            column.append(_line_up_seconds(predictions, getattr(predictions, name), target))
    found = AnsweredSet(
        name=target.name,
        image_ids=target.image_ids,
        labels=target.dataset_labels,
        rows=np.arange(len(target.image_ids)),
        who=tuple(who),
        measures={metric: measures[metric].labels for metric in metrics},
        outcomes={metric: np.stack(rows) for metric, rows in outcomes.items()},
        answers=np.stack(firsts),
        seconds=np.stack(columns["seconds"]),
        active_seconds=np.stack(columns["active_seconds"]),
        warnings=tuple(warnings),
    )
    return _leave_out(found, settings)


def check_people(names: Iterable[str], settings: HumanSettings) -> None:
    """Refuse a glob for people that matches nobody."""
    known = list(dict.fromkeys(names))
    for glob in settings.person:
        if not any(fnmatchcase(name, glob) for name in known):
            raise InputError(f"No participant matches {glob!r}, so it names no person; there are: {list_first(known)}.")


def list_first(names: Sequence[str]) -> str:
    """The first of many names."""
    return ", ".join(names[:10]) + (", …" if len(names) > 10 else "")


def _describe(predictions: Predictions, settings: HumanSettings) -> Who:
    name = predictions.participant
    is_person = predictions.is_person or any(fnmatchcase(name, glob) for glob in settings.person)
    return Who(name, ParticipantKind.PERSON if is_person else ParticipantKind.MODEL, predictions.family)


def _judge(measure: Measure, answers: IntArray, name: str, target: Target) -> OutcomeArray:
    given = answers[answers[:, 0] != NO_CLASS]
    if int((given != NO_CLASS).sum(axis=1).min()) < measure.n_answers:
        raise InputError(f"{name} gives too few answers for {measure.metric} on {target.name}.")
    return measure.judge(answers)


def _line_up_seconds(predictions: Predictions, seconds: ScoreArray | None, target: Target) -> ScoreArray:
    found = np.full(len(target.image_ids), np.nan, np.float32)
    if seconds is None:
        return found
    if np.array_equal(predictions.image_ids, target.image_ids):
        return seconds
    rows = np.array([target.row_by_id.get(image_id, NO_ROW) for image_id in predictions.image_ids.tolist()], np.int64)
    found[rows[rows != NO_ROW]] = seconds[rows != NO_ROW]
    return found


def _leave_out(found: AnsweredSet, settings: HumanSettings) -> AnsweredSet:
    """Without the images that no person answered, where there are people; then nobody but people may lack any."""
    answered = found.answers != NO_CLASS
    if found.is_person.any() and not settings.all_images:
        images = answered[found.is_person].any(axis=0)
        n_left_out = int((~images).sum())
        found, answered = replace(found.keep(images), n_left_out=n_left_out), answered[:, images]
    for one, row in zip(found.who, answered, strict=True):
        if not row.all() and not one.is_person and not settings.allow_missing:
            first = str(found.image_ids[int(np.argmin(row))])
            raise MissingImagesError(one.name, first=first, n_missing=int((~row).sum()), n_images=len(row))
    return found
