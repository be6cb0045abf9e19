"""Find a participant's mistakes under a label set: which answers it does not accept, and what is known about each.

An answer is a mistake where the label set does not accept it: lenient, as Vasudevan et al. (2022) count, unclear is accepted;
strict, only what was judged correct. A mistake that nobody has judged is novel, and a panel looks at it first; where the label
set takes what it leaves out for wrong, as reassessed labels do, nothing is novel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IntArray, ScoreArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Share, count_things, make_share
from regauge.evaluation.judging import make_verdict_judge
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.evaluation.metrics.multilabel import LENIENT, STRICT
from regauge.evaluation.outcomes import Judge, Outcome, OutcomeArray
from regauge.evaluation.targets import Target, line_up_answers
from regauge.mistakes.sampling import share_of_sample
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.found import (
    NO_LEVEL,
    ClassRows,
    FindSettings,
    FoundMistakes,
    MistakeCounts,
    ParticipantMistakes,
)
from regauge.records.predictions import Predictions
from regauge.records.taxonomy import Taxonomy
from regauge.stats.intervals import clopper_pearson
from regauge.taxonomy.hierarchy import count_ancestor_levels

MAX_PILED = 64
"""So many participants' novel answers are kept before those that several give are taken together."""
DATASET_LABELS = "dataset labels"
"""What the dataset labels are called where they stand in for a label set."""


@dataclass(frozen=True, slots=True, eq=False)
class AppliedLabels:
    """A label set over the images of a target, and what it makes of answers.

    Attributes:
        target: the images, row by row.
        label_set: what was judged, in the same rows.
        is_counted: the images that it judges answers on: those it knows, unless they are problematic.
        judge: from answers to outcomes.
        is_accepted: which verdicts accept a class, one entry per verdict of the label set.
        is_strict: unclear answers are mistakes too.
    """

    target: Target
    label_set: LabelSet
    is_counted: BoolArray
    judge: Judge
    is_accepted: BoolArray
    is_strict: bool

    @property
    def knows_novel(self) -> bool:
        """Whether a mistake can be novel: a label set that takes what it leaves out for wrong has judged everything."""
        return self.label_set.unlisted is Unlisted.UNJUDGED

    @property
    def is_unknown(self) -> BoolArray:
        """The images on which it judges no answer although they are not problematic."""
        return ~self.is_counted & ~self.label_set.is_problematic

    def rate(self, predictions: Predictions) -> RatedAnswers:
        """What the first answers of a participant are worth; images without an answer do not count.

        Raises:
            InputError: not one image of the target has an answer.
        """
        answers = line_up_answers(predictions, self.target, allow_missing=True)
        return RatedAnswers(answers[:, 0], self.judge.judge(answers))


@dataclass(frozen=True, slots=True, eq=False)
class RatedAnswers:
    """A participant's first answers in the rows of a target, and what each is worth."""

    answers: IntArray
    outcomes: OutcomeArray

    @property
    def is_judged(self) -> BoolArray:
        """The images that count."""
        return np.asarray(self.outcomes != Outcome.NOT_COUNTED)

    @property
    def is_mistake(self) -> BoolArray:
        """The answers that are not accepted."""
        return np.asarray((self.outcomes == Outcome.WRONG) | (self.outcomes == Outcome.UNJUDGED))

    @property
    def is_novel(self) -> BoolArray:
        """Those that nobody has judged."""
        return np.asarray(self.outcomes == Outcome.UNJUDGED)


def take_dataset_labels(target: Target) -> Target:
    """The same images with their dataset labels as the one label set: these are correct, and nobody has judged other classes."""
    is_labelled = target.dataset_labels != NO_CLASS
    n = len(is_labelled)
    labels = LabelSet(
        name=DATASET_LABELS,
        image_ids=target.image_ids,
        starts=np.concatenate(([0], np.cumsum(is_labelled))),
        classes=target.dataset_labels[is_labelled],
        verdicts=np.full(int(is_labelled.sum()), Verdict.CORRECT, np.int8),
        kind=LabelKind.MULTILABEL,
        unlisted=Unlisted.UNJUDGED,
        is_problematic=np.zeros(n, np.bool_),
        main_labels=np.full(n, NO_CLASS, np.int32),
    )
    return replace(target, label_sets=(labels,), is_known=(is_labelled,))


def apply_labels(target: Target, place: int = 0, *, is_strict: bool = False) -> AppliedLabels:
    """One of a target's label sets, ready to judge answers.

    Raises:
        InputError: it has no verdict, or all its images are problematic.
    """
    label_set, is_known = target.label_sets[place], target.is_known[place]
    is_counted = is_known & ~label_set.is_problematic
    if label_set.kind is LabelKind.REAL:
        is_counted &= np.diff(label_set.starts) > 0
    if not label_set.has_verdicts or not is_counted.any():
        raise InputError(
            f"Label set {label_set.name} has no verdict on an image of {target.name} that is not problematic, so no answer is a "
            "mistake or none; choose another one."
        )
    accepted = STRICT if is_strict else LENIENT
    worth = np.array([verdict in accepted for verdict in Verdict])
    judge = make_verdict_judge(label_set, accepted=accepted, is_counted=is_counted)
    return AppliedLabels(target, label_set, is_counted, judge, worth[label_set.verdicts], is_strict)


def find_mistakes(
    predictions: Predictions,
    applied: AppliedLabels,
    *,
    others: Iterable[Predictions] = (),
    taxonomy: Taxonomy | None = None,
    settings: FindSettings | None = None,
) -> FoundMistakes:
    """A participant's mistakes under a label set, all of them or a random sample.

    Args:
        predictions: what the participant answered.
        applied: the label set.
        others: the other participants, to see who answers the same; those who answered none of the images are left out.
        taxonomy: the hierarchy, for ancestor levels.
        settings: size and seed of a sample, and level.

    Raises:
        InputError: the participant has not answered an image of the test set, or the sample is larger than the mistakes.
    """
    chosen = settings or FindSettings()
    rated = applied.rate(predictions)
    rows, n_mistakes = draw_rows(np.flatnonzero(rated.is_mistake), predictions.participant, settings=chosen)
    accepted = list_classes(applied.label_set, applied.is_accepted).choose(rows)
    names, agrees = _find_agreement(others, applied.target, rows=rows, answers=rated.answers[rows])
    is_answered = rated.answers != NO_CLASS
    found = FoundMistakes(
        participant=predictions.participant,
        test_set=applied.target.name,
        labels=applied.label_set.name,
        image_ids=applied.target.image_ids[rows],
        predictions=rated.answers[rows],
        scores=_find_scores(predictions, applied.target)[rows],
        is_novel=rated.is_novel[rows],
        accepted=accepted,
        rejected=list_classes(applied.label_set, ~applied.is_accepted).choose(rows),
        dataset_labels=applied.target.dataset_labels[rows],
        levels=count_levels_to(accepted, rated.answers[rows], taxonomy=taxonomy),
        others=names,
        agrees=agrees,
        n_images=int(rated.is_judged.sum()),
        n_mistakes=n_mistakes,
        n_problematic=int((is_answered & applied.label_set.is_problematic).sum()),
        is_strict=applied.is_strict,
        n_unanswered=int(np.count_nonzero(~is_answered)),
        n_unknown=int((is_answered & applied.is_unknown).sum()),
        seed=chosen.seed,
    )
    return _add_shares(found, applied, chosen.level)


def count_mistakes(
    participants: Iterable[Predictions], applied: AppliedLabels, *, level: float = DEFAULT_LEVEL
) -> MistakeCounts:
    """How many mistakes each participant makes, and how many different answers nobody has judged.

    Participants are taken one at a time and none is kept.
    """
    counted: list[ParticipantMistakes] = []
    novel: list[CountArray] = [np.array([], np.int64)]
    for predictions in participants:
        rated = applied.rate(predictions)
        rows = np.flatnonzero(rated.is_novel)
        novel.append((rows.astype(np.int64) << 32) | rated.answers[rows])
        counted.append(_count_one(predictions.participant, rated, applied, level))
        if len(novel) > MAX_PILED:
            novel = [_unite(novel)]
    n_pairs = len(_unite(novel))
    target = applied.target.name
    return MistakeCounts(target, applied.label_set.name, tuple(counted), n_pairs, applied.is_strict)


def share_of(n_mistakes: int, n_images: int, *, level: float) -> Share[float | None]:
    """The share of mistakes among judged images, by Clopper and Pearson."""
    low, high = clopper_pearson(n_mistakes, n_images, level=level)
    return make_share(n_mistakes, n_images, limits=(float(low), float(high)), method="clopper-pearson")


def list_classes(label_set: LabelSet, is_listed: BoolArray) -> ClassRows:
    """The classes of some of the verdicts, image by image."""
    n_by_image = np.bincount(label_set.rows[is_listed], minlength=len(label_set))
    return ClassRows(np.concatenate(([0], np.cumsum(n_by_image))), label_set.classes[is_listed])


def count_levels_to(accepted: ClassRows, answers: IntArray, *, taxonomy: Taxonomy | None) -> IntArray:
    """Levels up to the common ancestor of each answer and the nearest accepted class; `NO_LEVEL` where there is none."""
    levels = np.full(len(answers), NO_LEVEL, np.int32)
    if taxonomy is None or not taxonomy.has_hierarchy:
        return levels
    rows = np.repeat(np.arange(len(accepted)), np.diff(accepted.starts))
    is_known = (answers[rows] < len(taxonomy)) & (accepted.classes < len(taxonomy))
    rows, classes = rows[is_known], accepted.classes[is_known]
    pairs, places = np.unique(np.stack([answers[rows], classes], axis=1), axis=0, return_inverse=True)
    found = count_ancestor_levels(taxonomy, pairs[:, 0].tolist(), pairs[:, 1].tolist())
    far = np.iinfo(np.int32).max
    heights = np.array([far if one is None else one for one in found], np.int32)
    nearest = np.full(len(answers), far, np.int32)
    np.minimum.at(nearest, rows, heights[places.ravel()])
    return np.where(nearest == far, levels, nearest)


def draw_rows(rows: CountArray, participant: str, *, settings: FindSettings) -> tuple[CountArray, int]:
    """The rows of a simple random sample in their order, and how many there are in all."""
    n = settings.n_sample
    if n is None:
        return rows, len(rows)
    if n > len(rows):
        raise InputError(
            f"{participant} has {count_things(len(rows), 'mistake')}, and a sample of {n:,} is asked for; ask for fewer, or "
            "leave the sample out."
        )
    drawn = np.random.default_rng(settings.seed).choice(len(rows), n, replace=False)
    return rows[np.sort(drawn)], len(rows)


def _place(predictions: Predictions, target: Target) -> tuple[CountArray, BoolArray]:
    """The row of the target for each answer, and for which answers there is one."""
    rows = find_target_rows(target, predictions.image_ids)
    return rows, np.asarray(rows != NO_PAIR)


def _unite(parts: Sequence[CountArray]) -> CountArray:
    """Every number once. NumPy's `unique` takes ten times as long, for it hashes whole numbers."""
    ordered: CountArray = np.sort(np.concatenate(parts))
    return np.asarray(ordered[np.append(np.ones(min(1, len(ordered)), np.bool_), np.diff(ordered) != 0)])


def _find_scores(predictions: Predictions, target: Target) -> ScoreArray:
    """The score of each first answer in the rows of the target; NaN where there is none."""
    scores = np.full(len(target.image_ids), np.nan, np.float32)
    if predictions.scores is not None:
        rows, is_here = _place(predictions, target)
        scores[rows[is_here]] = predictions.scores[is_here, 0]
    return scores


def _find_agreement(
    others: Iterable[Predictions], target: Target, *, rows: CountArray, answers: IntArray
) -> tuple[tuple[str, ...], BoolArray]:
    """Who of the others answered any image of the target, and who of them gives the same answer on each of these rows."""
    names, columns = [], []
    for other in others:
        places, is_here = _place(other, target)
        if is_here.any():
            theirs = np.full(len(target.image_ids), NO_CLASS, np.int32)
            theirs[places[is_here]] = other.classes[is_here, 0]
            names.append(other.participant)
            columns.append(theirs[rows] == answers)
    agrees = np.stack(columns, axis=1) if columns else np.zeros((len(answers), 0), np.bool_)
    return tuple(names), agrees


def _add_shares(found: FoundMistakes, applied: AppliedLabels, level: float) -> FoundMistakes:
    """The same with its shares: no share is novel where nothing can be."""
    novel = None
    if applied.knows_novel:
        novel = share_of_sample(found.n_novel, len(found), n_whole=found.n_mistakes, level=level)
    return replace(found, wrong=share_of(found.n_mistakes, found.n_images, level=level), novel=novel)


def _count_one(participant: str, rated: RatedAnswers, applied: AppliedLabels, level: float) -> ParticipantMistakes:
    n_mistakes, is_answered = int(rated.is_mistake.sum()), rated.answers != NO_CLASS
    return ParticipantMistakes(
        participant,
        wrong=share_of(n_mistakes, int(rated.is_judged.sum()), level=level),
        novel=share_of(int(rated.is_novel.sum()), n_mistakes, level=level) if applied.knows_novel else None,
        n_problematic=int((is_answered & applied.label_set.is_problematic).sum()),
        n_unanswered=int(np.count_nonzero(~is_answered)),
        n_unknown=int((is_answered & applied.is_unknown).sum()),
    )
