"""Answers to CLASSIFY that came with labels from elsewhere: files of the study, named where the labels come from.

Answers of a campaign are in the database. Those that others published have no annotators of this study, and stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from regauge.evaluation.context.material import KnownOfImages
from regauge.formats.exports.answers import write_classify, write_parts
from regauge.formats.labels.splits import load_parts
from regauge.formats.responses.classify import load_classify_responses
from regauge.records.candidates import SplitPart
from regauge.records.labels.classify import ClassifySettings
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.studies import LabelSetEntry
from regauge.storage.files import make_private, make_private_folder
from regauge.storage.study import Study

KEPT = "answers"
"""Where the provenance of a label set names the files."""
CLASSIFY, SPLIT = "classify", "split"


def keep_answers(
    study: Study, responses: ClassifyResponses, parts: Mapping[str, SplitPart] | None, *, name: str
) -> dict[str, dict[str, str]]:
    """Write answers, and where images went after CONTAINS, to the study's folder; gives what the provenance of labels says of it.

    Args:
        study: the study.
        responses: the answers.
        parts: image id → part, where it is known.
        name: what the files are called.
    """
    files = {CLASSIFY: f"{name}.jsonl"} | ({} if parts is None else {SPLIT: f"{name}-split.csv"})
    make_private_folder(study.paths.answers)
    for file in files.values():
        make_private(study.paths.answers / file)
    write_classify(responses, study.paths.answers / files[CLASSIFY])
    if parts is not None:
        write_parts(parts, study.paths.answers / files[SPLIT])
    return {KEPT: files}


def find_kept(study: Study, label_sets: Sequence[LabelSetEntry]) -> KnownOfImages:
    """The answers behind the newest label set that has any in the study's folder; a bundle leaves them behind."""
    for entry in sorted(label_sets, key=lambda one: -one.id):
        files = entry.provenance.get(KEPT)
        if not isinstance(files, Mapping):
            continue
        classify, split = (_find_file(study, files.get(name)) for name in (CLASSIFY, SPLIT))
        if classify is None:
            note = f"The answers behind {entry.full_name} are not in {study.paths.answers}, so nothing is said of them."
            return KnownOfImages(notes=(note,))
        loaded = load_classify_responses([classify], taxonomy=study.taxonomy)
        return KnownOfImages(
            responses=loaded.responses,
            rule=ClassifySettings(),
            parts=None if split is None else load_parts(split),
            notes=(f"Answers to CLASSIFY are those behind {entry.full_name}.", *loaded.notes),
        )
    return KnownOfImages()


def _find_file(study: Study, name: object) -> Path | None:
    """A file of the study's folder; a name that leads out of it, as a bundle of others may have it, stands for none."""
    if not isinstance(name, str) or Path(name).name != name:
        return None
    path = study.paths.answers / name
    return path if path.is_file() and path.resolve().is_relative_to(study.paths.answers.resolve()) else None
