"""Score participants on a slice: of a study, or on one that somebody else exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.formats.predictions.participants import Participant
from regauge.formats.slices.folders import SliceFolder, is_slice_folder, load_slice_folder
from regauge.records.keywords import SliceKeywords, choose_settings
from regauge.records.predictions import EVERYBODY, ParticipantChoice, Predictions
from regauge.records.progress import Track, track_silently
from regauge.records.slices.answers import OpenReason
from regauge.records.slices.scores import SlicePart, SliceScores, SliceSettings
from regauge.records.slices.slice import Slice
from regauge.slices import scoring
from regauge.slices.scoring import SliceTruth
from regauge.storage.labels.label_set import load_label_set
from regauge.storage.predictions import get_predictions, load_predictions
from regauge.storage.slices.slices import list_slices
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.inputs import (
    PredictionsLike,
    TaxonomyLike,
    TruthLike,
    find_participants,
    load_truth,
    open_taxonomy,
)
from regauge.workflows.slices.material import find_answered, find_codings, find_label_entry
from regauge.workflows.slices.reading import open_slice, refuse_void

__all__ = ["SliceSelection", "is_slice_folder", "score_all_slices", "score_slice", "score_study_slice"]


@dataclass(frozen=True, slots=True)
class SliceSelection:
    """Who is scored on a slice of a study, and under what.

    Attributes:
        predictions: files or records; by default those of the study.
        labels: another label set, or a later version of it; by default the one that was frozen with the slice.
        codings: more codings, for what was coded since; those that were frozen with the slice go before them.
        participants: globs on names; everybody by default.
        chosen: the kind and the families of those who are meant.
    """

    predictions: PredictionsLike = ()
    labels: str | None = None
    codings: Sequence[str] = ()
    participants: Sequence[str] = ()
    chosen: ParticipantChoice = field(default=EVERYBODY)


def score_study_slice(
    study: Study,
    name: str,
    selection: SliceSelection | None = None,
    *,
    settings: SliceSettings | None = None,
    **keywords: Unpack[SliceKeywords],
) -> SliceScores:
    """What participants get right on a slice of a study, and how severe their mistakes are.

    Args:
        study: the study, inside a transaction.
        name: the slice.
        selection: who, and under what.
        settings: whether unclear answers are mistakes, whether answers may be missing, and level; or each by its keyword.
        keywords: fields of `SliceSettings`.

    Raises:
        InputError: there is no such slice, it is void, or as in `slices.scoring.score_slice`.
    """
    chosen, selection = choose_settings(SliceSettings, settings, keywords=keywords), selection or SliceSelection()
    shown = open_slice(study, name)
    refuse_void(shown.entry)
    images = get_test_set(study, shown.entry.test_set)
    labels = find_label_entry(study, selection.labels or shown.entry.labels)
    more = find_codings(study, selection.codings, images=images)
    test_set = load_test_set(study, images)
    checksums = {}
    if selection.predictions:
        participants = _load(find_participants(selection.predictions, taxonomy=study.taxonomy), study.around.track)
    else:
        stored = get_predictions(study, images, participants=selection.participants, chosen=selection.chosen)
        checksums = {one.participant: one.sha256 for one in stored}
        participants = (load_predictions(study, one, test_set=test_set, digest=images.digest) for one in stored)
    truth = SliceTruth(
        load_label_set(study, labels),
        (*shown.codings, *more),
        dataset_labels=test_set,
        choosers=_find_choosers(shown.chosen),
        checksums=checksums,
    )
    scores = scoring.score_slice(shown.chosen, participants, truth=truth, settings=chosen)
    return replace(scores, notes=(*shown.notes, *scores.notes, *_describe(scores), *_describe_uncoded(scores)))


def score_all_slices(study: Study) -> tuple[SlicePart, ...]:
    """Every slice that is not void, in the order in which they were made, with the scores of all who answered any of its images.

    Slices on which nobody answered anything are left out.
    """
    settings = SliceSettings(allow_missing=True)
    found = []
    for entry in list_slices(study):
        if entry.void:
            continue
        shown = open_slice(study, entry.name)
        answered = find_answered(study, shown.chosen, images=get_test_set(study, entry.test_set))
        if answered:
            scores = score_study_slice(study, entry.name, SliceSelection(participants=answered), settings=settings)
            found.append(SlicePart(entry, shown.choice, scores))
    return tuple(found)


def score_slice(  # noqa: PLR0913 - what files cannot say of themselves, all by name
    folder: str | Path,
    predictions: PredictionsLike,
    *,
    truth: TruthLike | None = None,
    taxonomy: TaxonomyLike = None,
    track: Track = track_silently,
    settings: SliceSettings | None = None,
    **keywords: Unpack[SliceKeywords],
) -> SliceScores:
    """What participants get right on a slice that was exported, and how severe their mistakes are; no study is needed.

    Args:
        folder: what `regauge slice export` wrote.
        predictions: files, folders, globs or records; they may hold other images as well.
        truth: the dataset labels of the whole test set, for top-1 accuracy.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        track: who is told how far it has come.
        settings: whether unclear answers are mistakes, whether answers may be missing, and level; or each by its keyword.
        keywords: fields of `SliceSettings`.

    Raises:
        FormatError: the folder holds no slice.
        InputError: as in `slices.scoring.score_slice`.
    """
    chosen, classes = choose_settings(SliceSettings, settings, keywords=keywords), open_taxonomy(taxonomy)
    held = load_slice_folder(folder, taxonomy=classes)
    whole = None if truth is None else load_truth(truth, taxonomy=classes)
    if whole is not None and whole.test_set is None:
        raise InputError(f"Top-1 accuracy needs dataset labels, and {whole.name} has none.")
    participants = _load(find_participants(predictions, taxonomy=classes), track)
    found = SliceTruth(
        held.label_set,
        held.codings,
        dataset_labels=None if whole is None else whole.test_set,
        choosers=_find_choosers(held.chosen),
    )
    scores = scoring.score_slice(held.chosen, participants, truth=found, settings=chosen)
    return replace(scores, notes=(held.note, *scores.notes, *_describe(scores), *_describe_folder(held, scores)))


def _find_choosers(chosen: Slice) -> dict[str, str]:
    return {one.participant: one.sha256 for one in chosen.inputs.participants}


def _load(participants: Sequence[Participant], track: Track) -> Iterator[Predictions]:
    return (one.load() for one in track(list(participants), "Scoring"))


def _describe(scores: SliceScores) -> Iterator[str]:
    """What is left to do, and what the numbers cannot tell."""
    n_judge = scores.queue.count(OpenReason.VERDICT)
    if n_judge:
        yield (
            f"{count_things(n_judge, 'prediction')} still to be judged, each counted once however many give it; write them to a "
            "file with `queue=…`. They are neither right nor wrong: intervals reach as far as they may turn out."
        )
    choosers = [one.participant for one in scores.scores if not one.is_comparable]
    if choosers:
        yield f"Not comparable, for their answers helped to choose the images: {', '.join(choosers)}."


def _describe_uncoded(scores: SliceScores) -> Iterator[str]:
    n_code = scores.queue.count(OpenReason.SEVERITY)
    if n_code:
        yield (
            f"{count_things(n_code, 'prediction')} judged wrong, without a severity; name more codings with `codings=…`, or "
            "write them to a file with `queue=…` and have them coded."
        )


def _describe_folder(held: SliceFolder, scores: SliceScores) -> Iterator[str]:
    n_code = scores.queue.count(OpenReason.SEVERITY)
    if n_code and held.codings:
        yield f"{count_things(n_code, 'prediction')} judged wrong, and the folder does not say how severe they are."
    if not held.codings:
        yield f"{held.chosen.name} comes without coded mistakes, so nothing says how severe mistakes are."
