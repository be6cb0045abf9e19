"""Look at the slices of a study: list them, show one, its card, and a folder that others score."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.errors import InputError
from regauge.formats.slices.folders import SliceFolder, write_slice
from regauge.labels.selection import keep_images
from regauge.records.labels.label_set import LabelSet
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.slices.slice import Slice, SliceEntry
from regauge.records.testsets.test_set import TestSet
from regauge.slices.cards import CardContent, describe_choice, format_card
from regauge.storage.files import write_whole_folder
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.mistakes.codings import get_coding, load_coding
from regauge.storage.predictions import list_predictions
from regauge.storage.slices.slices import get_slice, list_slices, load_slice
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set

__all__ = ["ShownSlice", "export_slice", "list_slices", "make_card", "open_slice", "refuse_void"]


@dataclass(frozen=True, slots=True, eq=False)
class ShownSlice:
    """A slice with all that it rests on.

    Attributes:
        entry: the slice without its images.
        chosen: with them.
        label_set: what is right on its images.
        codings: the codings that it was made with, those that are left.
        choice: its rule in words, without a full stop.
        notes: what the reader should know.
    """

    entry: SliceEntry
    chosen: Slice
    label_set: LabelSet
    codings: tuple[MistakeCoding, ...]
    choice: str
    notes: tuple[str, ...]


def open_slice(study: Study, name: str) -> ShownSlice:
    """A slice of a study with its labels and codings.

    Raises:
        InputError: there is no such slice.
    """
    entry = get_slice(study, name)
    chosen = load_slice(study, entry)
    label_set = keep_images(load_label_set(study, get_label_set(study, entry.labels)), set(chosen.image_ids.tolist()))
    codings = tuple(load_coding(study, get_coding(study, one)) for one in chosen.inputs.codings)
    notes = (*_describe_void(entry), *_describe_changed(study, chosen))
    return ShownSlice(entry, chosen, label_set, codings, describe_choice(chosen.rule), notes)


def make_card(study: Study, name: str) -> str:
    """The card of a slice in Markdown; of a void one, too, which says so.

    Raises:
        InputError: there is no such slice.
    """
    found = open_slice(study, name)
    return format_card(CardContent(found.chosen, found.label_set, found.codings, found.entry.void))


def export_slice(study: Study, name: str, *, path: Path) -> SliceEntry:
    """Write a slice to a folder that `score` takes for a truth and `slice score` for a slice.

    Raises:
        InputError: there is no such slice, it is void, or the folder holds something.
    """
    found = open_slice(study, name)
    refuse_void(found.entry)
    images = load_test_set(study, get_test_set(study, found.entry.test_set))
    rows = np.flatnonzero(np.isin(images.image_ids, found.chosen.image_ids))
    own = TestSet(images.name, images.image_ids[rows], images.labels[rows])
    card = format_card(CardContent(found.chosen, found.label_set, found.codings))
    with write_whole_folder(path) as partial:
        held = SliceFolder(found.chosen, found.label_set, own, found.codings)
        write_slice(partial, held, card=card, taxonomy=study.taxonomy)
    return found.entry


def refuse_void(entry: SliceEntry) -> None:
    """Refuse a slice that an erasure has made void.

    Raises:
        InputError: it has.
    """
    if entry.void:
        raise InputError(f"Slice {entry.name} is void: {entry.void}. Create it again under another name.")


def _describe_void(entry: SliceEntry) -> tuple[str, ...]:
    return (f"Slice {entry.name} is void: {entry.void}.",) if entry.void else ()


def _describe_changed(study: Study, chosen: Slice) -> tuple[str, ...]:
    """Who has other predictions now than those that helped to choose."""
    stored = {one.participant: one.sha256 for one in list_predictions(study, get_test_set(study, chosen.test_set))}
    changed = [
        one.participant
        for one in chosen.inputs.participants
        if one.sha256 and stored.get(one.participant) != one.sha256
    ]
    return (f"Other predictions than now helped to choose the images: {', '.join(changed)}.",) if changed else ()
