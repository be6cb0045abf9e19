"""Small copies of images for a report, with what is said of them; those that cannot be read are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from regauge.arrays import NO_CLASS, IdArray, IntArray
from regauge.errors import FormatError, InputError
from regauge.formats.images.contents import read_image
from regauge.formats.images.pictures import make_thumbnail
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.studies import ImagePlace
from regauge.records.taxonomy import Taxonomy
from regauge.report.content import SampleImage, ShownOutcome

SIDE = 192
"""Pixels of the longer side of a picture."""


@dataclass(frozen=True, slots=True, eq=False)
class PictureAlbum:
    """The images of a test set, one entry each, and what is known about them.

    Attributes:
        root: the folder that all places are below.
        places: where each image lies.
        image_ids: what each is called.
        labels: its dataset label.
        taxonomy: the classes.
        label_set: what people found; None where nobody is asked about it.
        side: pixels of the longer side of a picture.
    """

    root: str
    places: Sequence[ImagePlace]
    image_ids: IdArray
    labels: IntArray
    taxonomy: Taxonomy
    label_set: LabelSet | None = None
    side: int = SIDE


class ShownAnswer(NamedTuple):
    """The class that somebody answered, and what that is worth."""

    class_index: int
    standing: ShownOutcome


def show_image(
    album: PictureAlbum, row: int, *, answer: ShownAnswer | None = None, votes: str = ""
) -> SampleImage | None:
    """One image with its labels, and an answer or votes where there are any; None where the file cannot be read."""
    try:
        picture = make_thumbnail(read_image(Path(album.root), album.places[row]), side=album.side)
    except (FormatError, InputError):
        return None
    image_id = str(album.image_ids[row])
    verdicts = _find_verdicts(album, image_id)
    has_answer = answer is not None and answer.class_index != NO_CLASS
    return SampleImage(
        image_id=image_id,
        picture=picture,
        dataset_label=name_class(album.taxonomy, int(album.labels[row])),
        correct=None if verdicts is None else verdicts[Verdict.CORRECT],
        unclear=() if verdicts is None else verdicts[Verdict.UNCLEAR],
        answer=name_class(album.taxonomy, answer.class_index) if answer is not None and has_answer else None,
        standing=None if answer is None else answer.standing,
        votes=votes,
    )


def name_class(taxonomy: Taxonomy, class_index: int) -> str:
    """What the class is called; empty where there is none."""
    return taxonomy.classes[class_index].name if class_index != NO_CLASS else ""


def _find_verdicts(album: PictureAlbum, image_id: str) -> dict[Verdict, tuple[str, ...]] | None:
    """The classes with each verdict, or None where the label set does not know the image."""
    if album.label_set is None:
        return None
    (rows,) = (album.label_set.image_ids == image_id).nonzero()
    if not rows.size:
        return None
    start, end = album.label_set.starts[rows[0]], album.label_set.starts[rows[0] + 1]
    classes, verdicts = album.label_set.classes[start:end], album.label_set.verdicts[start:end]
    return {one: tuple(name_class(album.taxonomy, int(index)) for index in classes[verdicts == one]) for one in Verdict}
