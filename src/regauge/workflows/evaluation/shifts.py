"""Compare an original test set with one or several new ones, on the same models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from regauge.evaluation.class_changes import find_class_changes
from regauge.evaluation.shared_images import number_images
from regauge.evaluation.shifts import compare_sides, tell_apart
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.strategies import ComparedSet, compare_strategies, find_mean_frequency
from regauge.evaluation.targets import Target
from regauge.records.evaluation.class_changes import ClassChanges
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.evaluation.strategies import StrategyComparison
from regauge.records.keywords import ShiftKeywords, choose_settings
from regauge.records.progress import Track, track_silently
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.shared_images import SharedBy
from regauge.workflows.evaluation.beside import AccuraciesLike, BesideLike, open_side, shift_beside
from regauge.workflows.inputs import TaxonomyLike, TestSetAnswers, open_answers, open_taxonomy

APART = "Changes class by class take the images of both sets for different ones; their limits are too wide rather than too short."
"""Where sets share images."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedAnswers:
    """All models on one test set, what it holds, and what its reader found; nothing is known to be in it by accuracies alone."""

    side: Side
    target: Target | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ShiftByClass:
    """How accuracies move, on the whole and class by class."""

    shift: Shift
    classes: ClassChanges


def shift(  # noqa: PLR0913 - what is compared, how, beside what, and who watches; all but the first two by name
    original: TestSetAnswers | AccuraciesLike,
    new: TestSetAnswers | AccuraciesLike,
    *,
    taxonomy: TaxonomyLike = None,
    settings: ShiftSettings | None = None,
    beside: BesideLike | None = None,
    track: Track = track_silently,
    **keywords: Unpack[ShiftKeywords],
) -> Shift:
    """How accuracies move from the original test set to the new one: gaps, ranks, mean changes and linear fits.

    Models are matched by name.

    Args:
        original: what models answered on the original test set, and its truth; or their accuracies (`load_accuracies`), without
            anything that needs single images.
        new: likewise on the new one.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        settings: metric, scales, bootstrap and level; or each of them by its keyword, as in `level=0.9`.
        beside: published models to see these beside: a packaged table (recht2019), a file of accuracies or a `Beside`.
        track: who is told how many models are judged.
        keywords: fields of `ShiftSettings`, words for choices: `scales="logit"`, `resample="images"`.

    >>> import regauge
    >>> old = regauge.TestSet("old", ["a", "b", "c", "d"], [0, 1, 1, 0])
    >>> fresh = regauge.TestSet("fresh", ["e", "f"], [0, 1])
    >>> model = regauge.Predictions("model", ["a", "b", "c", "d"], [0, 1, 1, 1])
    >>> again = regauge.Predictions("model", ["e", "f"], [0, 0])
    >>> moved = regauge.shift(regauge.TestSetAnswers(model, old), regauge.TestSetAnswers(again, fresh))
    >>> moved.get_model("model").gap.value
    0.25
    """
    settings = choose_settings(ShiftSettings, settings, keywords=keywords)
    classes = open_taxonomy(taxonomy)
    judged = [_judge(one, taxonomy=classes, settings=settings, track=track) for one in (original, new)]
    result = _compare(_tell_apart(judged), settings)
    return result if beside is None else shift_beside(result, beside)


def shift_by_class(
    sets: tuple[TestSetAnswers, TestSetAnswers],
    *,
    each: Sequence[str] = (),
    taxonomy: TaxonomyLike = None,
    settings: ShiftSettings | None = None,
    track: Track = track_silently,
    **keywords: Unpack[ShiftKeywords],
) -> ShiftByClass:
    """As `shift`, and the change of every class: its mean over the models, and for each model that one of the globs matches.

    Args:
        sets: what models answered on the original test set and on the new one, and their truths.
        each: globs on the names of models.
        taxonomy: the classes.
        settings: metric, scales, bootstrap and level; or each of them by its keyword, as in `level=0.9`.
        track: who is told how many models are judged.
        keywords: fields of `ShiftSettings`, words for choices: `scales="logit"`, `resample="images"`.
    """
    settings = choose_settings(ShiftSettings, settings, keywords=keywords)
    classes = open_taxonomy(taxonomy)
    judged = _tell_apart([judge_answers(one, taxonomy=classes, settings=settings, track=track) for one in sets])
    found = find_class_changes(judged[0].side, judged[1].side, settings=settings, each=each, taxonomy=classes)
    whole = _compare(judged, settings)
    if whole.n_shared:
        found = replace(found, notes=(*found.notes, APART))
    return ShiftByClass(whole, found)


def compare_sets(
    original: TestSetAnswers,
    new: Sequence[TestSetAnswers],
    *,
    taxonomy: TaxonomyLike = None,
    settings: ShiftSettings | None = None,
    track: Track = track_silently,
    **keywords: Unpack[ShiftKeywords],
) -> StrategyComparison:
    """How accuracies move from the original test set to each of the new ones, and whether sets or models differ more.

    Mean selection frequencies are told where a truth holds frequencies.

    Args:
        original: what models answered on the original test set, and its truth.
        new: likewise on two new ones or more.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        settings: metric, scales, bootstrap and level; or each of them by its keyword, as in `level=0.9`.
        track: who is told how many models are judged.
        keywords: fields of `ShiftSettings`, words for choices: `scales="logit"`, `resample="images"`.
    """
    settings = choose_settings(ShiftSettings, settings, keywords=keywords)
    classes = open_taxonomy(taxonomy)
    judged = [judge_answers(one, taxonomy=classes, settings=settings, track=track) for one in (original, *new)]
    sides, common = find_common_images(judged, by=settings.shared)
    sets = [
        ComparedSet(side, None if one.target is None else find_mean_frequency(one.target, settings=settings))
        for side, one in zip(sides, judged, strict=True)
    ]
    found = compare_strategies(sets[0], sets[1:], settings=settings)
    notes = dict.fromkeys(note for one in judged for note in one.notes)
    return replace(found, notes=(*notes, *common, *found.notes))


def judge_answers(
    answers: TestSetAnswers, *, taxonomy: Taxonomy | None, settings: ShiftSettings, track: Track = track_silently
) -> JudgedAnswers:
    """Judge all models on one test set."""
    opened = open_answers(answers, taxonomy=taxonomy)
    loaded = opened.load(track, f"Judging on {opened.target.name}")
    return JudgedAnswers(judge_side(loaded, opened.target, settings=settings), opened.target, opened.notes)


def _judge(
    answers: TestSetAnswers | AccuraciesLike, *, taxonomy: Taxonomy | None, settings: ShiftSettings, track: Track
) -> JudgedAnswers:
    if isinstance(answers, TestSetAnswers):
        return judge_answers(answers, taxonomy=taxonomy, settings=settings, track=track)
    return JudgedAnswers(open_side(answers, settings=settings), None, answers.notes)


def find_common_images(judged: Sequence[JudgedAnswers], *, by: SharedBy) -> tuple[list[Side], list[str]]:
    """The sides with numbers for images that several sets have, and what the reader should know of these, a sentence each."""
    targets = [one.target for one in judged if one.target is not None]
    if len(targets) < len(judged):
        return [one.side for one in judged], []
    found = number_images(targets, by=by)
    sides = [replace(one.side, numbers=own) for one, own in zip(judged, found.numbers, strict=True)]
    names = [side.name for side in sides]
    notes = [note for (one, other), shared in found.pairs.items() for note in shared.describe(names[one], names[other])]
    return (sides if any(map(len, found.pairs.values())) else [one.side for one in judged]), notes


def _tell_apart(judged: Sequence[JudgedAnswers]) -> list[JudgedAnswers]:
    """The same two with names that differ, so that notes and tables can tell one from the other."""
    sides = tell_apart(judged[0].side, judged[1].side)
    return [replace(one, side=side) for one, side in zip(judged, sides, strict=True)]


def _compare(judged: Sequence[JudgedAnswers], settings: ShiftSettings) -> Shift:
    sides, notes = find_common_images(judged, by=settings.shared)
    result = compare_sides(sides[0], sides[1], settings=settings)
    return replace(result, notes=(*judged[0].notes, *judged[1].notes, *notes, *result.notes))
