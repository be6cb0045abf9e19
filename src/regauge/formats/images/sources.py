"""Images that lie in folders, shards or datasets → test sets with the place of every image; one door for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from regauge.errors import FormatError
from regauge.formats.images.folders import (
    describe_folder,
    find_metadata,
    is_class_folder,
    is_flat_folder,
    load_flat_folder,
    load_image_folder,
    load_metadata_folder,
)
from regauge.formats.images.huggingface import find_dataset, load_dataset
from regauge.formats.images.shards import find_shards, load_shards
from regauge.records.studies import LocatedTestSet
from regauge.records.taxonomy import Taxonomy


def find_located(
    path: Path, *, taxonomy: Taxonomy | None, columns: Mapping[str, str] | None = None, part: str | None = None
) -> LocatedTestSet | None:
    """The test set that a folder, shards or a dataset of Hugging Face holds; None of any other file.

    Args:
        path: the file or folder; of shards also a glob.
        taxonomy: the classes; without it, classes must be given by index, and class folders are numbered by the alphabet.
        columns: our name of a column of a dataset or of metadata → the file's.
        part: which split of a dataset is meant.

    Raises:
        FormatError: the folder holds no test set; what it holds is said.
    """
    shards = find_shards(path)
    if shards:
        return load_shards(shards, taxonomy=taxonomy)
    dataset = find_dataset(path, part)
    if dataset is not None:
        return load_dataset(dataset, taxonomy=taxonomy, columns=columns or {})
    if not path.is_dir():
        return None
    metadata = find_metadata(path)
    if metadata is not None:
        return load_metadata_folder(metadata, taxonomy=taxonomy, columns=columns or {})
    if is_class_folder(path):
        return load_image_folder(path, taxonomy=taxonomy)
    if is_flat_folder(path):
        return load_flat_folder(path)
    raise FormatError(
        path,
        "the folder holds no images; it must hold images, one folder per class with the images inside, tar shards, or a "
        f"dataset of Hugging Face; {describe_folder(path)}.",
    )
