"""Entries of the labeling guide: read at any version, written on top of the version that was edited, searched."""

from __future__ import annotations

from regauge.errors import ConflictError, InputError
from regauge.formats.classes import resolve_class
from regauge.guide.diffs import diff_texts
from regauge.guide.markdown import check_text
from regauge.guide.search import search_entries
from regauge.records.guide.entries import (
    DiffLine,
    GuideCoverage,
    GuideEdit,
    GuideEntry,
    GuideHit,
    GuideTopic,
    GuideVersion,
    join_entries,
    name_topic,
)
from regauge.records.names import read_reason
from regauge.storage.events import add_event
from regauge.storage.guide import count_changes, find_saved, insert_version, list_cases, list_latest, list_versions
from regauge.storage.study import Study
from regauge.workflows.guide.pictures import resolve_pictures


def find_topic(study: Study, first: str, second: str = "") -> GuideTopic:
    """What an entry on a class, or on two, is about; classes by index, id or name.

    Raises:
        InputError: there is no such class, or both are the same.
    """
    words = (first, second) if second else (first,)
    return GuideTopic(*(resolve_class(word, study.taxonomy) for word in words))


def get_guide_version(study: Study) -> int:
    """The version that evidence names: the number of the guide's last change; 0 where nobody has written anything."""
    return count_changes(study)


def read_guide(study: Study, *, version: int | None = None) -> tuple[GuideEntry, ...]:
    """All entries in the order of their classes, as they stand or as they stood at a version of the guide.

    Raises:
        InputError: there is no such version.
    """
    _check_version(study, version)
    return join_entries(list_latest(study, at_version=version), list_cases(study), at_version=version)


def get_entry(study: Study, topic: GuideTopic, *, version: int | None = None) -> GuideEntry:
    """An entry as it stands, or as it stood at a version of the guide; one that nobody wrote is empty.

    Raises:
        InputError: there is no such version.
    """
    _check_version(study, version)
    cases = [case for case in list_cases(study) if topic in case.topics]
    texts = [one for one in list_versions(study, topic) if version is None or one.version <= version]
    entries = join_entries([(texts[-1], len(texts))] if texts else [], cases, at_version=version)
    return next((entry for entry in entries if entry.topic == topic), GuideEntry(topic))


def list_history(study: Study, topic: GuideTopic) -> tuple[GuideVersion, ...]:
    """All texts that an entry has had, the newest first."""
    return list_versions(study, topic)[::-1]


def diff_entry(
    study: Study, topic: GuideTopic, *, before: int | None = None, after: int | None = None
) -> tuple[DiffLine, ...]:
    """What changed in an entry between two versions of the guide: by default, with the last change of its text.

    Raises:
        InputError: there is no such version.
    """
    new = get_entry(study, topic, version=after)
    if before is None:
        older = [one for one in list_history(study, topic) if one.version < new.version]
        return diff_texts(older[0].text if older else "", new.text)
    # Before its first change the guide was empty, and whoever asks for what changed since then asks for all of it.
    return diff_texts(get_entry(study, topic, version=before).text if before else "", new.text)


def diff_with(study: Study, topic: GuideTopic, text: str) -> tuple[DiffLine, ...]:
    """How a text that was not stored differs from the one that stands."""
    return diff_texts(get_entry(study, topic).text, text.replace("\r\n", "\n").strip("\n"))


def save_entry(study: Study, topic: GuideTopic, edit: GuideEdit) -> GuideVersion:
    """Store what an entry is to say as a new version; the same text, or the same save again, changes nothing.

    Raises:
        ConflictError: somebody else has changed the entry since the version that was edited.
        InputError: the text may not stand in the guide, or a class is gone from the taxonomy.
    """
    _check_classes(study, topic)
    text, reason = check_text(edit.text), read_reason(edit.reason)
    saved = find_saved(study, edit.client_id)
    if saved is not None and (saved.topic, saved.text) == (topic, text):
        return saved
    resolve_pictures(study, text)
    current = get_entry(study, topic).current
    if current is not None and current.text == text:
        return current
    version = 0 if current is None else current.version
    # Whoever went on typing while a save was on its way has edited what that save stored, although the page never heard of it.
    edited = saved.version if saved is not None and saved.topic == topic else edit.edited
    if version != edited:
        name = name_topic(topic, study.taxonomy)
        said = f"in version {version} by {current.who or 'somebody'}" if current is not None else "and it has none now"
        raise ConflictError(
            f"The entry on {name} has changed in the meantime, {said}, and you edited version {edit.edited}; nothing was stored. "
            "Look at both texts, and save what should stand.",
            version=version,
        )
    if current is None and not text:
        raise InputError(f"The entry on {name_topic(topic, study.taxonomy)} has no text; write one.")
    stored = insert_version(
        study, GuideVersion(0, topic, text, reason=reason, edited=version, client_id=edit.client_id)
    )
    add_event(study, "guide edit", {"classes": list(topic.classes), "version": stored.version})
    return stored


def restore_entry(study: Study, topic: GuideTopic, *, version: int, reason: str = "", edited: int) -> GuideVersion:
    """Restore the text that an entry had at a version of the guide, as a new version.

    Raises:
        ConflictError: somebody else has changed the entry since the version that was looked at.
        InputError: there is no such version, or the entry had no text then.
    """
    old = get_entry(study, topic, version=version).current
    if old is None:
        raise InputError(f"The entry on {name_topic(topic, study.taxonomy)} had no text at version {version}.")
    return save_entry(study, topic, GuideEdit(old.text, reason or f"version {old.version} restored", edited))


def search_guide(study: Study, words: str) -> tuple[GuideHit, ...]:
    """The entries that have every one of some words, in their text, cases or names."""
    return search_entries(read_guide(study), words, taxonomy=study.taxonomy)


def measure_coverage(study: Study, entries: tuple[GuideEntry, ...] | None = None) -> GuideCoverage:
    """Which classes have an entry, how many pairs have one, and how many verdicts are cited."""
    entries = read_guide(study) if entries is None else entries
    written = {entry.topic for entry in entries if entry.text}
    missing = tuple(index for index in range(len(study.taxonomy)) if GuideTopic(index) not in written)
    cases = {case.version for entry in entries for case in entry.cases}
    n_pairs = sum(topic.is_pair for topic in written)
    return GuideCoverage(count_changes(study), len(study.taxonomy), missing, n_pairs, len(cases))


def _check_classes(study: Study, topic: GuideTopic) -> None:
    gone = next((index for index in topic.classes if index >= len(study.taxonomy)), None)
    if gone is not None:
        raise InputError(
            f"Class {gone} is not in the taxonomy {study.taxonomy.name}, which has the classes 0 to "
            f"{len(study.taxonomy) - 1}; the guide can say nothing new about it."
        )


def _check_version(study: Study, version: int | None) -> None:
    last = count_changes(study)
    if version is not None and not 1 <= version <= last:
        known = f"the versions 1 to {last:,}" if last else "no versions yet"
        raise InputError(f"The guide has {known}, not {version:,}.")
