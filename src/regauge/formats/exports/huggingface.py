"""A test set → a folder that Hugging Face's `imagefolder` opens: metadata.jsonl and a dataset card beside the images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from regauge.arrays import NO_CLASS
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.studies import LabelSetEntry, TestSetEntry
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

FILES_PER_FOLDER = 10_000
"""More files than this in one folder are refused by the hub."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True, slots=True)
class CardSource:
    """What a dataset card speaks of.

    Attributes:
        test_set: the test set.
        labels: the label set whose verdicts go with the images, if any.
        n_covered: images of the test set that it covers.
        n_bytes: size of all images together.
        license: as the user says it; empty where it was not said.
        version: which Regauge wrote it.
        has_labels: whether every image of the test set has a dataset label.
    """

    test_set: TestSetEntry
    labels: LabelSetEntry | None
    n_covered: int
    n_bytes: int
    license: str
    version: str
    has_labels: bool = True


def name_image(row: int, suffix: str) -> str:
    """Where the image of a row goes.

    Numbers and not ids: an id may be no file name, and one with `val` or `test` in it would be put into another split.

    >>> name_image(12345, ".jpg")
    'images/001/00012345.jpg'
    """
    return f"images/{row // FILES_PER_FOLDER:03d}/{row:08d}{suffix}"


def shape_metadata(
    test_set: TestSet, label_set: LabelSet | None, *, files: Sequence[str], taxonomy: Taxonomy
) -> Iterator[dict[str, Any]]:
    """One line of metadata.jsonl per image; verdicts of an image that the label set does not cover are null."""
    row_of = {} if label_set is None else {one: row for row, one in enumerate(label_set.image_ids.tolist())}
    columns = zip(files, test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True)
    for file, image_id, label in columns:
        line: dict[str, Any] = {"file_name": file, "image_id": image_id, "label": None, "label_id": None}
        if label != NO_CLASS:
            line |= {"label": label, "label_id": taxonomy.classes[label].id}
        if label_set is not None:
            line |= _find_verdicts(label_set, row_of.get(image_id))
        yield line


def format_card(source: CardSource, taxonomy: Taxonomy) -> str:
    """README.md: a YAML header that the hub and `datasets` read, and what a reader should know."""
    return "\n".join([*write_header(source, taxonomy), "", *_write_body(source, taxonomy), ""])


def quote_yaml(text: str) -> str:
    r"""The text as a double-quoted YAML scalar; whatever is not printable is escaped.

    >>> print(quote_yaml('a "b"\n'))
    "a \U00000022b\U00000022\U0000000a"
    """
    safe = (one if one.isprintable() and one not in '"\\' else f"\\U{ord(one):08x}" for one in text)
    return f'"{"".join(safe)}"'


def quote_code(text: str) -> str:
    """A name as code, in which nothing else is markup."""
    shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return f"`{shown.replace('`', chr(39))}`"


def write_header(source: CardSource, taxonomy: Taxonomy, *, images: str = "images/**") -> Iterator[str]:
    """The YAML header of a card, line by line; `images` is the pattern of the image files."""
    n = source.test_set.n_images
    yield "---"
    if source.license:
        yield f"license: {quote_yaml(source.license)}"
    yield f"pretty_name: {quote_yaml(source.test_set.name)}"
    yield "task_categories:\n- image-classification"
    yield f"size_categories:\n- {next((size for limit, size in _SIZES if n < limit), 'n>1M')}"
    yield "configs:\n- config_name: default\n  data_files:\n  - split: test\n    path:\n    - metadata.jsonl"
    yield f"    - {quote_yaml(images)}"
    yield "dataset_info:\n  features:\n  - name: image\n    dtype: image\n  - name: image_id\n    dtype: string"
    yield "  - name: label\n    dtype:\n      class_label:\n        names:"
    # Ids and not names: several classes of ImageNet share a name, which `datasets` refuses.
    yield from (f"          '{one.index}': {quote_yaml(one.id)}" for one in taxonomy.classes)
    yield "  - name: label_id\n    dtype: string"
    if source.labels is not None:
        yield from (f"  - name: {one.name.lower()}\n    sequence: int64" for one in reversed(Verdict))
        yield "  - name: problematic\n    dtype: bool\n  - name: main\n    dtype: int64"
    yield f"  splits:\n  - name: test\n    num_bytes: {source.n_bytes}\n    num_examples: {n}"
    yield f"  download_size: {source.n_bytes}\n  dataset_size: {source.n_bytes}"
    yield "---"


def _find_verdicts(label_set: LabelSet, row: int | None) -> dict[str, Any]:
    if row is None:
        return dict.fromkeys(("correct", "unclear", "wrong", "problematic", "main"))
    judged = slice(int(label_set.starts[row]), int(label_set.starts[row + 1]))
    classes, verdicts = label_set.classes[judged], label_set.verdicts[judged]
    found: dict[str, Any] = {one.name.lower(): classes[verdicts == one].tolist() for one in reversed(Verdict)}
    main = int(label_set.main_labels[row])
    return found | {"problematic": bool(label_set.is_problematic[row]), "main": None if main == NO_CLASS else main}


def _write_body(source: CardSource, taxonomy: Taxonomy) -> Iterator[str]:
    test_set, labels = source.test_set, source.labels
    yield f"# {quote_code(test_set.name)}\n"
    classes = f"{len(taxonomy):,} classes of {quote_code(taxonomy.name)}"
    each = "with one dataset label each" if source.has_labels else "of which some or all have no dataset label"
    yield f"{test_set.n_images:,} images {each}, out of {classes}."
    yield "\n## Fields\n"
    yield "- `image_id`: the id of the image, by which everything is joined"
    yield "- `label`, `label_id`: the dataset label, as index and id of the class"
    if labels is not None:
        yield "- `correct`, `unclear`, `wrong`: classes by what people found, as indices; null where nobody looked at the image"
        yield f"- a class in none of these lists is {labels.unlisted.value}"
        yield "- `problematic`: the image is to be left out; `main`: the class of the main object, where it is known"
        yield "\n## Labels\n"
        yield (
            f"Label set {quote_code(labels.full_name)}, added {labels.added_at}: {labels.n_verdicts:,} verdicts on "
            f"{labels.n_images:,} images, {labels.n_problematic:,} of them problematic. It covers {source.n_covered:,} of the "
            f"{test_set.n_images:,} images here."
        )
    yield "\n## Provenance\n"
    yield f"Exported by Regauge {source.version} from a test set added {test_set.added_at}; its digest, over ids and labels, is"
    yield f"`{test_set.digest}`. Images are copied byte for byte."
    if not source.license:
        yield "\nThe licence of the images was not stated when this folder was written; state it before you publish them."
