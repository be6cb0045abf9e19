"""What a reader of truths is told besides the file, and how images without names are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from regauge.arrays import IdArray, IntArray
from regauge.errors import FormatError, InputError
from regauge.formats.classes import resolve_class
from regauge.formats.releases.imagenetv2 import index_wnids
from regauge.records.labels.label_set import Unlisted
from regauge.records.taxonomy import Taxonomy

N_VALIDATION = 50_000
"""Images of the validation set of ImageNet, which are numbered from 1."""


@dataclass(frozen=True, slots=True)
class TruthSource:
    """A truth that is to be read.

    Attributes:
        path: the file or folder.
        taxonomy: the classes; without it, classes must be given by index.
        unlisted: what a class in none of an image's lists means, when the file's own sign is not to be believed.
        columns: our name of a column → the file's.
        synsets: the class ids in the order in which the file numbers them from 1.
        ids: a file with the image ids of an array of labels, in its order.
        part: which of several test sets, label sets or splits of the file is meant.
        images: whose labels to read; everybody's by default.
    """

    path: Path
    taxonomy: Taxonomy | None = None
    unlisted: Unlisted | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    synsets: Path | None = None
    ids: Path | None = None
    part: str | None = None
    images: frozenset[str] | None = None

    @property
    def name(self) -> str:
        """What outputs call it."""
        return self.path.stem


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """Class indices of words, and what the reader should know of them."""

    indices: IntArray
    notes: tuple[str, ...] = ()


def resolve_words(words: Sequence[str], taxonomy: Taxonomy | None, *, path: Path) -> Resolved:
    """The classes of words, one per line of a file; ids of ImageNet are understood without a taxonomy too.

    Raises:
        FormatError: a word is not a class; its line is named.
    """
    distinct = dict.fromkeys(words)
    wnids = index_wnids() if taxonomy is None and any(word in index_wnids() for word in distinct) else {}
    index_of: dict[str, int] = {}
    for word in distinct:
        try:
            index_of[word] = wnids[word] if word in wnids else resolve_class(word, taxonomy)
        except InputError as error:
            raise FormatError(path, str(error), line=words.index(word) + 1) from None
    indices = np.array([index_of[word] for word in words], np.int32)
    note = f"{path.name}: classes are numbered as in imagenet-1k, in the order of their ids."
    return Resolved(indices, (note,) if wnids else ())


def name_validation_images(n: int) -> list[str]:
    """The ids of the first images of the validation set of ImageNet, in the order of their numbers."""
    return [f"ILSVRC2012_val_{number:08d}" for number in range(1, n + 1)]


def name_rows(n: int) -> IdArray:
    """Ids for images that are known only by their place, from 0."""
    return np.arange(n).astype(np.str_)


def describe_rows(path: Path, n: int) -> str:
    """What the reader should know of images without names."""
    return (
        f"{path.name}: the images have no names here and are called by their place, 0 to {n - 1:,}; answers need these ids, "
        "or the same order by `ids=…`."
    )
