"""Verdicts that the guide cites as cases: taken from a label set or given by whoever judged, and taken out again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.records.guide.entries import MAX_NOTE, GuideCase, GuideTopic
from regauge.records.guide.images import StudyImage
from regauge.records.labels.verdicts import Verdict
from regauge.storage.events import add_event
from regauge.storage.guide import insert_case, list_cases
from regauge.storage.labels.label_set import find_verdicts, get_label_set
from regauge.storage.study import Study
from regauge.workflows.guide.pictures import get_image


@dataclass(frozen=True, slots=True)
class Citation:
    """What is to be cited.

    Attributes:
        image: the image, as ID or ID@SET.
        class_index: the class that was judged.
        note: why it is a case; may be empty.
        other_index: the class that it helps to tell apart; `NO_CLASS` for none.
    """

    image: str
    class_index: int
    note: str = ""
    other_index: int = NO_CLASS


def cite_label(study: Study, citation: Citation, *, labels: str) -> GuideCase:
    """Cite the verdict that a label set (NAME@VERSION, or NAME for the latest) has on a class in an image.

    Raises:
        InputError: the label set has no such verdict, or the case cannot stand in the guide.
    """
    entry = get_label_set(study, labels)
    image = get_image(study, citation.image)
    found = find_verdicts(study, entry, image_ids=[image.image_id]).get(image.image_id, {})
    if citation.class_index not in found:
        raise InputError(
            f"Label set {entry.full_name} has no verdict on class {citation.class_index} in image {image.image_id!r}; cite "
            "one that it has."
        )
    return cite_verdict(study, citation, verdict=found[citation.class_index], labels=entry.full_name)


def cite_verdict(study: Study, citation: Citation, *, verdict: Verdict, labels: str = "") -> GuideCase:
    """Let a verdict stand in the guide with its image; cited again, the last note and verdict hold.

    Raises:
        InputError: the study has no such image or class, or the note is too long.
    """
    for index in (citation.class_index, citation.other_index):
        if not NO_CLASS <= index < len(study.taxonomy):
            raise InputError(f"Class {index} is not in the taxonomy {study.taxonomy.name}.")
    image, note = get_image(study, citation.image), _read_note(citation.note)
    case = GuideCase(0, citation.class_index, image, verdict, note, citation.other_index, labels)
    # Refuses two classes that are one.
    _ = case.topics
    standing = _find_standing(study, image, citation)
    if standing is not None and (standing.verdict, standing.note, standing.labels) == (verdict, note, labels):
        return standing
    return _store(study, case, "guide cite")


def withdraw_case(study: Study, version: int) -> GuideCase:
    """Take a case out of the guide again, by the version that cited it.

    Raises:
        InputError: that version cites no case that still stands.
    """
    cited = next((one for one in list_cases(study) if one.version == version), None)
    citation = None if cited is None else Citation("", cited.class_index, other_index=cited.other_index)
    if cited is None or citation is None or _find_standing(study, cited.image, citation) != cited:
        raise InputError(f"No case of the guide was cited by version {version}, or it was withdrawn.")
    return _store(study, replace(cited, is_cited=False), "guide withdraw")


def list_standing(study: Study) -> tuple[GuideCase, ...]:
    """All cases that stand in the guide, the oldest first."""
    held = {(case.class_index, case.other_index, case.image.place): case for case in list_cases(study)}
    return tuple(sorted((case for case in held.values() if case.is_cited), key=lambda one: one.version))


def _find_standing(study: Study, image: StudyImage, citation: Citation) -> GuideCase | None:
    topics = (citation.class_index, citation.other_index)
    return next(
        (
            case
            for case in list_standing(study)
            if (case.class_index, case.other_index) == topics and case.image.place == image.place
        ),
        None,
    )


def _store(study: Study, case: GuideCase, what: str) -> GuideCase:
    stored = insert_case(study, case)
    topic = GuideTopic(case.class_index, case.other_index)
    add_event(study, what, {"classes": list(topic.classes), "image": case.image.image_id, "version": stored.version})
    return stored


def _read_note(note: str) -> str:
    words = " ".join(note.split())
    if len(words) > MAX_NOTE or not words.isprintable():
        raise InputError(f"A note is a text of up to {MAX_NOTE:,} printable characters, not {note[:80]!r}.")
    return words
