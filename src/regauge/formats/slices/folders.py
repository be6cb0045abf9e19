"""Slices ↔ folders that others score: `slice.json` says what it is, `truth.jsonl` what is right, `coded.csv` how severe the rest.

`README.md` is the card, which is for people and is not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.classes import check_indices
from regauge.formats.exports.codings import COLUMNS, list_coding
from regauge.formats.mistakes.coded import load_coded_file
from regauge.formats.text import read_json, read_json_lines
from regauge.records.cells import write_csv
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import DefinedCategory
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.slices.rules import describe_rule, read_rule
from regauge.records.slices.slice import Slice, SliceKind, read_inputs
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

FORMAT, VERSION = "regauge-slice", 1
MANIFEST, TRUTH, CODED, CARD = "slice.json", "truth.jsonl", "coded.csv", "README.md"
_VERDICTS = tuple((verdict, verdict.name.lower()) for verdict in (Verdict.CORRECT, Verdict.UNCLEAR, Verdict.WRONG))


@dataclass(frozen=True, slots=True, eq=False)
class SliceFolder:
    """A slice with what others need to score it.

    Attributes:
        chosen: the slice.
        label_set: what is right on its images.
        test_set: its images with their dataset labels.
        codings: how severe mistakes on them are.
    """

    chosen: Slice
    label_set: LabelSet
    test_set: TestSet
    codings: tuple[MistakeCoding, ...] = ()

    @property
    def truth(self) -> Truth:
        """What predictions are scored against."""
        images = TestSet(self.chosen.name, self.test_set.image_ids, self.test_set.labels)
        return Truth(images, (self.label_set,), notes=(self.note, *self._describe_choosers()))

    def _describe_choosers(self) -> Iterator[str]:
        names = self.chosen.inputs.names
        if names:
            yield f"Not comparable on it, for their answers helped to choose its images: {', '.join(names)}."

    @property
    def note(self) -> str:
        """What was found, in a sentence."""
        n = count_things(len(self.chosen), "image")
        return f"Slice {self.chosen.name} of {self.chosen.test_set} under {self.chosen.labels}: {n}."


def is_slice_folder(path: Path) -> bool:
    """Whether a folder holds a slice."""
    return (path / MANIFEST).is_file() and (path / TRUTH).is_file()


def write_slice(folder: Path, held: SliceFolder, *, card: str, taxonomy: Taxonomy) -> None:
    """Write a slice into an empty folder; what `load_slice_folder` reads is the same again."""
    chosen, label_set = held.chosen, held.label_set
    rows = list(_list_codes(held))
    names = {str(one.name).casefold(): str(one.name) for coding in held.codings for one in coding.categories}
    content = {
        "format": FORMAT,
        "version": VERSION,
        "name": chosen.name,
        "kind": str(chosen.kind),
        "test_set": chosen.test_set,
        "labels": chosen.labels,
        "labels_kind": str(label_set.kind),
        "unlisted": str(label_set.unlisted),
        "taxonomy": taxonomy.name,
        "n_classes": len(taxonomy),
        "is_complete": chosen.is_complete,
        "rule": dict(describe_rule(chosen.rule)),
        "inputs": asdict(chosen.inputs),
        "categories": list(names.values()) if rows else [],
        "at": chosen.at,
        "images": chosen.image_ids.tolist(),
    }
    (folder / MANIFEST).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in _list_truth(held))
    (folder / TRUTH).write_text(lines, encoding="utf-8")
    if rows:
        write_csv(pl.DataFrame(rows, schema=COLUMNS, orient="row"), folder / CODED)
    (folder / CARD).write_text(card, encoding="utf-8")


def load_slice_folder(path: Path | str, *, taxonomy: Taxonomy | None = None) -> SliceFolder:
    """The slice in a folder.

    Raises:
        FormatError: a file of it is missing, or is not what it must be.
    """
    folder = Path(path)
    if not is_slice_folder(folder):
        raise FormatError(folder, f"this is not a folder of a slice: it has no {MANIFEST} and {TRUTH}.")
    content = read_json(folder / MANIFEST)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(folder / MANIFEST, f"this is not a slice: it does not name the format {FORMAT}.")
    if content.get("version") != VERSION:
        raise FormatError(
            folder / MANIFEST, f"version {content.get('version')!r:.20} is not known; install a newer Regauge."
        )
    if taxonomy is not None and content.get("n_classes") != len(taxonomy):
        raise FormatError(
            folder / MANIFEST,
            f"the slice is of {content.get('n_classes')!r:.20} classes, and {taxonomy.name} has {len(taxonomy):,}.",
        )
    try:
        return _make_folder(folder, content, taxonomy)
    except FormatError:
        raise
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        said = str(error) if isinstance(error, InputError) else "it does not say what it must."
        raise FormatError(folder / MANIFEST, said) from error


def _make_folder(folder: Path, content: Mapping[str, Any], taxonomy: Taxonomy | None) -> SliceFolder:
    chosen = Slice(
        name=str(content["name"]),
        kind=SliceKind(content["kind"]),
        test_set=str(content["test_set"]),
        image_ids=np.array([str(one) for one in content["images"]], np.str_),
        labels=str(content["labels"]),
        rule=read_rule(content["rule"]),
        inputs=read_inputs(content["inputs"]),
        is_complete=content["is_complete"] is True,
        at=str(content["at"]),
    )
    entries = {str(entry.get("image_id")): entry for _, entry in read_json_lines(folder / TRUTH)}
    if set(entries) != set(chosen.image_ids.tolist()):
        raise FormatError(folder / TRUTH, f"its images are not those of {MANIFEST}.")
    rows = [entries[one] for one in chosen.image_ids.tolist()]
    label_set = _read_labels(chosen, rows, content)
    labels = np.array([int(row.get("label", NO_CLASS)) for row in rows], np.int32)
    check_indices(label_set.classes, taxonomy)
    check_indices(labels, taxonomy)
    names = tuple(map(str, content["categories"]))
    codings = (_read_codes(folder / CODED, chosen, names=names, taxonomy=taxonomy),) if names else ()
    return SliceFolder(chosen, label_set, TestSet(chosen.test_set, chosen.image_ids, labels), codings)


def _read_labels(chosen: Slice, rows: Sequence[Mapping[str, Any]], content: Mapping[str, Any]) -> LabelSet:
    rows = [row for row in rows if "correct" in row]
    lists = {name: [[int(one) for one in row.get(name, ())] for row in rows] for _, name in _VERDICTS}
    return LabelSet.from_lists(
        chosen.labels,
        [row["image_id"] for row in rows],
        correct=lists["correct"],
        unclear=lists["unclear"],
        wrong=lists["wrong"],
        is_problematic=[row.get("problematic") is True for row in rows],
        kind=LabelKind(content["labels_kind"]),
        unlisted=Unlisted(content["unlisted"]),
    )


def _read_codes(path: Path, chosen: Slice, *, names: tuple[str, ...], taxonomy: Taxonomy | None) -> MistakeCoding:
    found = load_coded_file(path, taxonomy=taxonomy, category_names=names)
    return MistakeCoding(
        name=path.name,
        participant=found.coded.name,
        test_set=chosen.test_set,
        labels=chosen.labels,
        source=f"file {path.name}",
        coded=found.coded,
        overturned=found.overturned,
        categories=tuple(DefinedCategory(name) for name in found.coded.category_names),
        remarks=found.remarks,
    )


def _list_truth(held: SliceFolder) -> Iterator[dict[str, Any]]:
    """One line per image of the slice; one that the label set does not know has no verdict."""
    label_of = dict(zip(held.test_set.image_ids.tolist(), held.test_set.labels.tolist(), strict=True))
    labels = held.label_set
    row_of = {one: row for row, one in enumerate(labels.image_ids.tolist())}
    for image_id in held.chosen.image_ids.tolist():
        line: dict[str, Any] = {"image_id": image_id}
        if label_of.get(image_id, NO_CLASS) != NO_CLASS:
            line["label"] = label_of[image_id]
        row = row_of.get(image_id)
        if row is None:
            yield line
            continue
        start, end = int(labels.starts[row]), int(labels.starts[row + 1])
        for verdict, name in _VERDICTS:
            own = labels.classes[start:end][labels.verdicts[start:end] == verdict]
            line[name] = own.tolist()
        if labels.is_problematic[row]:
            line["problematic"] = True
        yield line


def _list_codes(held: SliceFolder) -> Iterator[dict[str, Any]]:
    """What is coded on the images of the slice; of a pair that several codings have, the first one's code."""
    kept, seen = set(held.chosen.image_ids.tolist()), set[tuple[Any, Any]]()
    for coding in held.codings:
        for row in list_coding(coding):
            pair = (row["image_id"], row["prediction"])
            if row["image_id"] in kept and pair not in seen:
                seen.add(pair)
                yield row
