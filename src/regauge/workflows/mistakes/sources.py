"""What is asked about mistakes: images with label sets, and who answered them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from regauge.errors import InputError
from regauge.evaluation.targets import Target
from regauge.formats.predictions.participants import Participant
from regauge.mistakes.finding import AppliedLabels, apply_labels, take_dataset_labels
from regauge.records.labels.label_set import LabelSet
from regauge.records.mistakes.found import FindSettings
from regauge.records.predictions import Predictions
from regauge.records.progress import Track, track_silently
from regauge.records.taxonomy import Taxonomy


@dataclass(frozen=True, slots=True, eq=False)
class MistakeSource:
    """Images with label sets, who answered them, and who of these is meant.

    Attributes:
        target: the images and their label sets.
        participants: everybody who answered.
        chosen: those whose mistakes are asked for.
        taxonomy: the classes, where they are known.
        notes: what the reader should know, a sentence each.
        track: who is told how far it has come.
    """

    target: Target
    participants: tuple[Participant, ...]
    chosen: tuple[Participant, ...]
    taxonomy: Taxonomy | None
    notes: tuple[str, ...] = ()
    track: Track = track_silently


def apply_one(target: Target, settings: FindSettings) -> AppliedLabels:
    """The one label set of a target, or its dataset labels."""
    if not target.label_sets and target.has_dataset_labels:
        target = take_dataset_labels(target)
    if len(target.label_sets) != 1:
        raise InputError(
            f"Mistakes are found under one label set, and there are {list_names(target.label_sets)} for {target.name}; choose "
            "one with `labels=…`."
        )
    return apply_labels(target, is_strict=settings.is_strict)


def get_one(source: MistakeSource) -> Participant:
    """The participant who is meant.

    Raises:
        InputError: several are, or nobody.
    """
    if len(source.chosen) == 1:
        return source.chosen[0]
    raise InputError(
        f"One participant's mistakes are found, and {len(source.chosen):,} are meant; name one with `participant=…`."
    )


def list_names(label_sets: Sequence[LabelSet]) -> str:
    """The names of label sets as a sentence has them."""
    return " and ".join(one.name for one in label_sets) or "none"


def load_each(
    participants: Sequence[Participant] | Iterator[Participant], *, track: Track, words: str
) -> Iterator[Predictions]:
    """The answers of each, read one after the other, which the track is told."""
    return (one.load() for one in track(list(participants), words))
