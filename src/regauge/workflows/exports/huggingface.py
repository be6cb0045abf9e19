"""`regauge export huggingface`: a folder that Hugging Face's `imagefolder` opens."""

from __future__ import annotations

import json
from pathlib import Path

import regauge
from regauge.formats.exports.huggingface import CardSource, format_card, name_image, shape_metadata
from regauge.storage.files import write_whole_folder
from regauge.storage.study import Study
from regauge.workflows.exports.content import (
    LABELS,
    LICENSE,
    TEST_SET,
    ExportChoice,
    ExportedFile,
    ExportFormat,
    ExportOrder,
    load_chosen_test_set,
    load_only_labels,
)
from regauge.workflows.exports.image_exports import copy_images


def export_huggingface(
    study: Study, folder: Path, *, choice: ExportChoice | None = None, license_name: str = ""
) -> tuple[ExportedFile, ...]:
    """Copy the images of a test set to a folder that Hugging Face's `imagefolder` opens, with metadata and a card.

    Args:
        study: the study, inside a transaction.
        folder: where; new or empty.
        choice: which test set, and at most one label set.
        license_name: the licence of the images, as the card is to state it.

    Raises:
        InputError: the folder holds something, there is nothing of that name, or the images are not at hand.
        FormatError: an image cannot be read.
    """
    asked = choice or ExportChoice()
    entry, test_set = load_chosen_test_set(study, asked)
    labels, label_set = load_only_labels(study, asked, test_set=test_set)
    with write_whole_folder(folder) as partial:
        files = [one.file for one in copy_images(study, entry, folder=partial, name_file=name_image)]
        with (partial / "metadata.jsonl").open("w", encoding="utf-8") as file:
            for line in shape_metadata(test_set, label_set, files=files, taxonomy=study.taxonomy):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        n_covered = 0 if label_set is None else len(label_set)
        n_bytes = sum((partial / file).stat().st_size for file in files)
        source = CardSource(
            entry, labels, n_covered, n_bytes, license_name, regauge.__version__, bool(test_set.is_labelled.all())
        )
        (partial / "README.md").write_text(format_card(source, study.taxonomy), encoding="utf-8")
    return (ExportedFile(folder / "metadata.jsonl", len(files)), ExportedFile(folder / "README.md", 1))


def _write(study: Study, path: Path, order: ExportOrder) -> tuple[ExportedFile, ...]:
    return export_huggingface(study, path, choice=order.choice, license_name=order.given.get(LICENSE.name, ""))


HUGGINGFACE = ExportFormat(
    name="huggingface",
    help="Copy a test set's images to DIR with metadata.jsonl and a dataset card, as Hugging Face's `imagefolder` opens it.",
    is_folder=True,
    options=(TEST_SET, LABELS, LICENSE),
    write=_write,
)
