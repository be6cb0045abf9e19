"""The guide as a folder of Markdown, to be read, kept under version control, edited elsewhere and brought back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from regauge.errors import ConflictError, InputError
from regauge.formats.guide import load_folder, name_file, write_file
from regauge.records.guide.entries import GuideCase, GuideEdit, GuideFile, GuideVersion
from regauge.records.taxonomy import Taxonomy
from regauge.storage.events import add_event
from regauge.storage.files import write_whole_folder
from regauge.storage.people.pseudonyms import find_pseudonyms
from regauge.storage.study import Study
from regauge.workflows.guide.entries import get_entry, read_guide, save_entry

CASES_NAME = "cases.jsonl"


@dataclass(frozen=True, slots=True)
class ExportedGuide:
    """What was written: entries as files, and cases as lines of one file.

    Attributes:
        folder: where.
        n_entries: entries with a text.
        n_cases: cases that stand in the guide.
        n_left_out: entries on classes that the taxonomy no longer has, which no file can name.
    """

    folder: Path
    n_entries: int
    n_cases: int
    n_left_out: int


@dataclass(frozen=True, slots=True)
class ImportedGuide:
    """What was brought back: the new versions, and how many files said what the guide says already."""

    saved: tuple[GuideVersion, ...]
    n_same: int


def export_guide(study: Study, folder: Path) -> ExportedGuide:
    """Write every entry that has a text to a file of its own, and the cases beside them, whole or not at all.

    Raises:
        InputError: the folder holds something.
    """
    taxonomy = study.taxonomy
    entries = read_guide(study)
    written = [entry for entry in entries if entry.text]
    kept = [entry for entry in written if max(entry.topic.classes) < len(taxonomy)]
    cases = {case.version: case for entry in entries for case in entry.cases}
    with write_whole_folder(folder) as partial:
        for entry in kept:
            path = partial / name_file(entry.topic, taxonomy)
            path.write_text(write_file(entry, taxonomy), encoding="utf-8", newline="")
        lines = "".join(f"{line}\n" for line in _write_cases(cases, taxonomy, call=find_pseudonyms(study).call))
        (partial / CASES_NAME).write_text(lines, encoding="utf-8", newline="")
    return ExportedGuide(folder, len(kept), len(cases), len(written) - len(kept))


def import_guide(study: Study, folder: Path, *, reason: str = "", replaces: bool = False) -> ImportedGuide:
    """Store every file of a folder whose text is another as a new version of its entry, all of them or none.

    Cases are not read back: they are cited from verdicts of this study.

    Args:
        study: the study, inside a transaction.
        folder: the folder.
        reason: why, for all of them; by default that they were imported.
        replaces: whether entries give way that were changed since the files were written.

    Raises:
        ConflictError: an entry was changed since its file was written.
        InputError: a file cannot be read, or its text may not stand in the guide; nothing is stored then.
    """
    saved, n_same = [], 0
    for file in load_folder(folder, study.taxonomy):
        before = get_entry(study, file.topic).version
        edit = GuideEdit(file.text, reason or "imported", before if replaces else file.version)
        stored = _save(study, file, edit)
        if stored.version == before:
            n_same += 1
        else:
            saved.append(stored)
    add_event(study, "guide import", {"folder": str(folder), "n_saved": len(saved), "n_same": n_same})
    return ImportedGuide(tuple(saved), n_same)


def _save(study: Study, file: GuideFile, edit: GuideEdit) -> GuideVersion:
    try:
        return save_entry(study, file.topic, edit)
    except ConflictError as error:
        raise ConflictError(
            f"{file.source}: the entry is at version {error.version} and the file was made of version {file.version}; nothing "
            "was imported. Export the guide again, or let the files replace what was changed with `replaces=True`.",
            version=error.version,
        ) from None
    except InputError as error:
        raise InputError(f"{file.source}: {error}") from None


def _write_cases(cases: dict[int, GuideCase], taxonomy: Taxonomy, *, call: Callable[[str], str]) -> Iterator[str]:
    """One line of JSON for every case."""
    for number, case in sorted(cases.items()):
        pair = max(case.topics)
        fields = {
            "version": number,
            "image_id": case.image.image_id,
            "test_set": case.image.test_set,
            "class": case.class_index,
            "classes": [taxonomy.classes[index].id for index in pair.classes if index < len(taxonomy)],
            "verdict": case.verdict.name.lower(),
            "note": case.note,
            "labels": case.labels,
            "who": call(case.who),
            "at": case.at,
        }
        yield json.dumps(fields, ensure_ascii=False)
