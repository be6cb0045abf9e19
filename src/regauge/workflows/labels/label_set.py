"""The label sets of a study: versions that are added and compared, never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.exports.label_layouts import LabelLayout, write_human_accuracy, write_tfds_truth
from regauge.formats.exports.writers import write_truth
from regauge.formats.text import read_text
from regauge.labels.coverage import check_version
from regauge.labels.diffs import add_evidence, compare_labels
from regauge.labels.merging import MergeRule, merge_labels
from regauge.labels.selection import keep_images
from regauge.records.labels.diffs import LabelDiff
from regauge.records.labels.label_set import LabelSet, Truth, Unlisted
from regauge.records.names import quote_first
from regauge.records.studies import LabelSetEntry
from regauge.records.testsets.test_set import TestSet
from regauge.storage.events import add_event
from regauge.storage.files import write_whole
from regauge.storage.labels.evidence import find_evidence, find_frequencies, find_objects
from regauge.storage.labels.label_set import (
    find_versions,
    get_label_set,
    insert_label_set,
    list_label_sets,
    load_label_set,
    load_label_sets,
)
from regauge.storage.people.pseudonyms import find_pseudonyms
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, list_image_sets, load_test_set
from regauge.workflows.inputs import TruthPart, load_truth
from regauge.workflows.labels.versions import AddedLabels, store_truth

__all__ = [
    "LabelLayout",
    "MergeRule",
    "add_labels",
    "diff_labels",
    "export_labels",
    "list_label_sets",
    "merge_label_sets",
]


def add_labels(
    study: Study,
    labels: TruthPart,
    *,
    name: str | None = None,
    unlisted: Unlisted | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> AddedLabels:
    """Store a truth as the next version of a label set.

    Single labels become a label set in which the one class of each image is correct and every other wrong.

    Args:
        study: the study, inside a transaction.
        labels: a file of any truth format, or a record.
        name: what to call it; the file's name by default. A name that exists gets a new version.
        unlisted: what a class in none of an image's lists means, when the file's own sign is not to be believed.
        provenance: where a record came from; of a file it is the path.

    Raises:
        InputError: no image is in a test set of the study, a dataset label differs from it, or it cannot be called that.
    """
    truth = load_truth(labels, taxonomy=study.taxonomy, unlisted=unlisted)
    origin = {"path": str(Path(labels).resolve())} if isinstance(labels, str | Path) else dict(provenance or {})
    return store_truth(study, truth, name=name, provenance=origin)


def diff_labels(study: Study, before: str, after: str, *, with_names: bool = False) -> LabelDiff:
    """What changed from one label-set version (NAME@VERSION, or NAME for the latest) to another, and why.

    Args:
        study: the study, inside a transaction.
        before: the older version.
        after: the newer one.
        with_names: whether voters stand in it by name, and not by pseudonym.
    """
    entries = [get_label_set(study, name) for name in (before, after)]
    old, new = load_label_sets(study, entries)
    evidence = find_pseudonyms(study, with_names=with_names).hide_voters(find_evidence(study, entries[1]))
    return add_evidence(compare_labels(old, new), evidence)


def merge_label_sets(
    study: Study, names: Sequence[str], *, name: str, rule: MergeRule = MergeRule.LATER
) -> LabelSetEntry:
    """Store several label-set versions (NAME@VERSION, or NAME for the latest) as one, as the next version of a name.

    Verdicts are merged, not the objects and frequencies behind them, which stay with the label sets that they came with.

    Raises:
        InputError: there is no such label set, there are fewer than two, or they are of different kinds.
    """
    entries = [get_label_set(study, one) for one in names]
    merged = merge_labels([load_label_set(study, entry) for entry in entries], name=name, rule=rule)
    check_version(merged, find_versions(study, merged.name))
    provenance = {"rule": rule.value, "merged": [entry.full_name for entry in entries]}
    stored = insert_label_set(study, merged, provenance=provenance)
    add_event(study, "labels merge", {"labels": stored.full_name, **provenance})
    return stored


def export_labels(  # noqa: PLR0913 - what to write, where and how, all by name
    study: Study,
    name: str,
    *,
    path: Path,
    test_set: str | None = None,
    layout: LabelLayout = LabelLayout.OWN,
    major_slice: Path | Sequence[str] | None = None,
) -> LabelSetEntry:
    """Write a label-set version as `score` reads it; dataset labels come from a test set.

    Args:
        study: the study, inside a transaction.
        name: NAME@VERSION, or NAME for the latest.
        path: the file to write; it must not exist.
        test_set: write only its images; by default all images, with the labels of every test set.
        layout: JSON Lines in our field names, with what verdicts rest on; in those of TFDS; or the JSON of Shankar et al.
        major_slice: with the last, the images that it lists as imagenet_m, by id, or a file with an id a line; no such list by
            default.

    Raises:
        InputError: there is no such label set or test set, the file exists, or an image of the slice is not among those written.
    """
    entry = get_label_set(study, name)
    label_set = load_label_set(study, entry)
    if test_set is not None:
        images = load_test_set(study, get_test_set(study, test_set))
        label_set = keep_images(label_set, images.image_ids.tolist())
    else:
        images = _join_test_sets(study)
    listed = _list_slice(major_slice, label_set)
    with write_whole(path) as partial:
        if layout is LabelLayout.SHANKAR2020:
            write_human_accuracy(label_set, study.taxonomy, path=partial, major_slice=listed)
        elif layout is LabelLayout.TFDS:
            write_tfds_truth(images, label_set, path=partial)
        else:
            write_truth(
                Truth(
                    images,
                    (label_set,),
                    objects=tuple(filter(None, [find_objects(study, entry)])),
                    frequencies=tuple(filter(None, [find_frequencies(study, entry)])),
                    evidence=(find_pseudonyms(study).hide_voters(find_evidence(study, entry)),),
                ),
                path=partial,
            )
    return entry


def _list_slice(given: Path | Sequence[str] | None, label_set: LabelSet) -> list[str] | None:
    """The images of a slice, each once; an id may have spaces in it."""
    if given is None:
        return None
    ids = [line.strip() for line in read_text(given).split("\n")] if isinstance(given, Path) else given
    listed = list(dict.fromkeys(one for one in ids if one))
    known = set(label_set.image_ids.tolist())
    unknown = [one for one in listed if one not in known]
    if unknown:
        are = count_things(len(unknown), "image of the slice is", many="images of the slice are")
        problem = f"{are} not among those of {label_set.name} that are written: {quote_first(unknown)}."
        raise FormatError(given, problem) if isinstance(given, Path) else InputError(problem)
    return listed


def _join_test_sets(study: Study) -> TestSet:
    """The images of all test sets; of an image in two, the first label that is one."""
    label_of: dict[str, int] = {}
    for entry in list_image_sets(study):
        test_set = load_test_set(study, entry)
        for image_id, label in zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True):
            if label_of.get(image_id, NO_CLASS) == NO_CLASS:
                label_of[image_id] = label
    return TestSet("all", list(label_of), list(label_of.values()))
