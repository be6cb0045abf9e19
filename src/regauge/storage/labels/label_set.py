"""Label sets ↔ rows; a version, once stored, never changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import RowMapping, Select, func, insert, select, update

from regauge.errors import InputError
from regauge.records.labels.changes import NO_VERDICT, VersionChanges, join_steps
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.names import check_new_names
from regauge.records.studies import LabelSetEntry, TestSetEntry
from regauge.storage.database.batches import fetch_plain
from regauge.storage.database.schema import images, label_images, label_sets, verdicts
from regauge.storage.labels.changes import insert_changes, load_changes
from regauge.storage.study import Study

_Entry = TypeVar("_Entry", LabelSetEntry, CodingEntry)
_parents = label_sets.alias("parents")
FOLLOW_UP_ONLY = "follow_up_only"
"""Where provenance says that main labels and objects are those of follow-up images alone."""
MAX_CHANGED = 0.25
"""A version of which a larger share of the rows changed is stored whole."""
MAX_STEPS = 12
"""So many versions at most are read as changes one after the other; the next is stored whole."""


def insert_label_set(study: Study, label_set: LabelSet, *, provenance: Mapping[str, Any]) -> LabelSetEntry:
    """Store the label set as the next version of its name; the version before is its parent.

    Raises:
        InputError: the name is new and looks like another, or part of it cannot be seen.
    """
    versions = find_versions(study, label_set.name)
    if not versions:
        taken = study.connection.scalars(select(label_sets.c.name))
        check_new_names([label_set.name], taken, what="A label set")
    latest = versions[-1] if versions else None
    row = {
        "name": label_set.name,
        "version": 1 if latest is None else latest.version + 1,
        "parent_id": None if latest is None else latest.id,
        "kind": label_set.kind.value,
        "unlisted": label_set.unlisted.value,
        "n_images": len(label_set),
        "n_verdicts": len(label_set.classes),
        "n_problematic": int(label_set.is_problematic.sum()),
        "added_at": study.around.now(),
        "provenance": {**provenance, **({FOLLOW_UP_ONLY: True} if label_set.is_follow_up_only else {})},
    }
    changes = None
    if latest is not None and len(list_chain(study, latest)) <= MAX_STEPS:
        changes = VersionChanges.between(load_label_set(study, latest), label_set)
    n_rows = len(label_set) + len(label_set.classes)
    if latest is not None and changes is not None and len(changes) <= MAX_CHANGED * n_rows:
        new_id = study.connection.execute(
            insert(label_sets).returning(label_sets.c.id), {**row, "base_id": latest.id}
        ).scalar_one()
        insert_changes(study, new_id, changes)
    else:
        new_id = study.connection.execute(insert(label_sets).returning(label_sets.c.id), row).scalar_one()
        _insert_rows(study, label_set, new_id)
    return find_versions(study, label_set.name)[-1]


def list_label_sets(study: Study) -> tuple[LabelSetEntry, ...]:
    """All versions of all label sets, by name and version."""
    return tuple(map(_make_entry, study.connection.execute(_select_entries()).mappings()))


def find_versions(study: Study, name: str) -> tuple[LabelSetEntry, ...]:
    """All versions of one label set, the oldest first; none where there is no such label set."""
    query = _select_entries().where(label_sets.c.name == name)
    return tuple(map(_make_entry, study.connection.execute(query).mappings()))


def get_label_set(study: Study, name: str) -> LabelSetEntry:
    """The version that NAME@VERSION stands for; of a plain NAME, the latest.

    Raises:
        InputError: there is no such label set or version.
    """
    found = find_version(name, partial(find_versions, study), what="Label set")
    if found is not None:
        return found
    known = ", ".join(dict.fromkeys(entry.name for entry in list_label_sets(study)))
    hint = f"it has: {known}." if known else "add one with: regauge labels add FILE."
    raise InputError(f"The study has no label set {name!r}; {hint}")


def find_version(name: str, find: Callable[[str], tuple[_Entry, ...]], *, what: str) -> _Entry | None:
    """The version that NAME@VERSION stands for; of a plain NAME, the latest; None where nothing has that name.

    Args:
        name: the name.
        find: the versions of one name, the oldest first.
        what: what has versions, as an error begins.

    Raises:
        InputError: there is no such version.
    """
    versions = find(name)
    if versions:
        return versions[-1]
    base, _, number = name.rpartition("@")
    versions = find(base)
    for entry in versions:
        if str(entry.version) == number:
            return entry
    if versions:
        raise InputError(f"{what} {base!r} has the versions 1 to {versions[-1].version}, not {number!r}.")
    return None


def mark_label_set(study: Study, entry: LabelSetEntry, marks: Mapping[str, Any]) -> None:
    """Add to what is known about where a version came from; its labels stay as they are."""
    change = update(label_sets).where(label_sets.c.id == entry.id)
    study.connection.execute(change.values(provenance={**entry.provenance, **marks}))


def covers(study: Study, entry: LabelSetEntry, *, test_set: TestSetEntry) -> bool:
    """Whether the labels are about an image of the test set."""
    if entry.base_id is not None:
        known = load_label_set(study, entry).image_ids.tolist()
        own = set(study.connection.scalars(select(images.c.image_id).where(images.c.test_set_id == test_set.id)))
        return not own.isdisjoint(known)
    here = (label_images.c.label_set_id == entry.id) & (images.c.test_set_id == test_set.id)
    both = select(images.c.row).join(label_images, label_images.c.image_id == images.c.image_id).where(here)
    return study.connection.execute(both.limit(1)).first() is not None


def count_covered(study: Study, entry: LabelSetEntry, *, test_set: TestSetEntry) -> int:
    """How many images of the test set the labels are about."""
    if entry.base_id is not None:
        known = load_label_set(study, entry).image_ids.tolist()
        own = set(study.connection.scalars(select(images.c.image_id).where(images.c.test_set_id == test_set.id)))
        return len(own.intersection(known))
    here = (label_images.c.label_set_id == entry.id) & (images.c.test_set_id == test_set.id)
    both = select(func.count()).select_from(images.join(label_images, label_images.c.image_id == images.c.image_id))
    return int(study.connection.execute(both.where(here)).scalar_one())


def load_label_set(study: Study, entry: LabelSetEntry) -> LabelSet:
    """The label set of that version, called NAME@VERSION so that scores say which it was."""
    return load_label_sets(study, [entry])[0]


def load_label_sets(study: Study, entries: Sequence[LabelSetEntry]) -> list[LabelSet]:
    """Several versions; one that is stored whole is read once, however many are read from it."""
    steps = [list_chain(study, entry) for entry in entries]
    whole = {own[0]: entry for entry, own in zip(entries, steps, strict=True)}
    bases = {whole_id: _load_whole(study, entry, whole_id) for whole_id, entry in whole.items()}
    found = []
    for entry, own in zip(entries, steps, strict=True):
        label_set = replace(
            bases[own[0]],
            name=entry.full_name,
            unlisted=entry.unlisted,
            is_follow_up_only=is_follow_up_only(entry.provenance),
        )
        for changes in join_steps(load_changes(study, own[1:])):
            label_set = changes.apply(label_set)
        found.append(label_set)
    return found


def list_chain(study: Study, entry: LabelSetEntry) -> list[int]:
    """The numbers of the versions that a version is read from: one that is stored whole, and then the changes up to it."""
    base_of: dict[int, int | None] = {}
    if entry.base_id is not None:
        query = select(label_sets.c.id, label_sets.c.base_id).where(label_sets.c.name == entry.name)
        base_of = {row.id: row.base_id for row in study.connection.execute(query)}
    found = [entry.id]
    while (base := base_of.get(found[-1])) is not None:
        found.append(base)
    return found[::-1]


def _load_whole(study: Study, entry: LabelSetEntry, whole_id: int) -> LabelSet:
    """The version that is stored whole, with the properties of a version that is read from it."""
    columns = (label_images.c.image_id, label_images.c.is_problematic, label_images.c.main_label)
    of_images = select(*columns).where(label_images.c.label_set_id == whole_id).order_by(label_images.c.row)
    image_rows = fetch_plain(study, of_images)
    of_verdicts = (
        select(verdicts.c.row, verdicts.c.class_index, verdicts.c.verdict)
        .where(verdicts.c.label_set_id == whole_id)
        .order_by(verdicts.c.place)
    )
    judged = np.fromiter(chain.from_iterable(fetch_plain(study, of_verdicts)), np.int64).reshape(-1, 3)
    lengths = np.bincount(judged[:, 0], minlength=len(image_rows))
    image_ids, problems, main_labels = zip(*image_rows, strict=True) if image_rows else ((), (), ())
    return LabelSet(
        name=entry.full_name,
        image_ids=np.array(image_ids, np.str_),
        starts=np.concatenate(([0], np.cumsum(lengths))),
        classes=judged[:, 1].astype(np.int32),
        verdicts=judged[:, 2].astype(np.int8),
        kind=entry.kind,
        unlisted=entry.unlisted,
        is_problematic=np.array(problems, np.bool_),
        main_labels=np.array(main_labels, np.int32),
        is_follow_up_only=is_follow_up_only(entry.provenance),
    )


def find_verdicts(study: Study, entry: LabelSetEntry, *, image_ids: Collection[str]) -> dict[str, dict[int, Verdict]]:
    """What a label set says of some images: per image, its classes with their verdicts."""
    steps = list_chain(study, entry)
    query = (
        select(label_images.c.image_id, verdicts.c.class_index, verdicts.c.verdict)
        .join(verdicts, (verdicts.c.label_set_id == steps[0]) & (verdicts.c.row == label_images.c.row))
        .where(label_images.c.label_set_id == steps[0], label_images.c.image_id.in_(image_ids))
        .order_by(verdicts.c.place)
    )
    found: dict[str, dict[int, Verdict]] = {}
    for image_id, class_index, verdict in study.connection.execute(query):
        found.setdefault(image_id, {})[class_index] = Verdict(verdict)
    for changes in load_changes(study, steps[1:], image_ids=image_ids):
        _follow(found, changes)
    return {image_id: judged for image_id, judged in found.items() if judged}


def _follow(found: dict[str, dict[int, Verdict]], changes: VersionChanges) -> None:
    """Bring verdicts of some images to the next version."""
    for image_id in changes.removed.tolist():
        found.pop(image_id, None)
    columns = (changes.verdict_images, changes.classes, changes.verdicts)
    for image_id, class_index, verdict in zip(*(column.tolist() for column in columns), strict=True):
        judged = found.setdefault(image_id, {})
        if verdict == NO_VERDICT:
            judged.pop(class_index, None)
        else:
            judged[class_index] = Verdict(verdict)


def is_follow_up_only(provenance: Mapping[str, Any]) -> bool:
    """Whether easy images are missing from main labels and objects; earlier versions always left them out of CLASSIFY labels."""
    settings = provenance.get("settings", {})
    is_old = provenance.get("kind") == "classify" and "contains" not in settings
    return bool(provenance.get(FOLLOW_UP_ONLY, is_old))


def _insert_rows(study: Study, label_set: LabelSet, label_set_id: int) -> None:
    of_images = zip(
        label_set.image_ids.tolist(), label_set.is_problematic.tolist(), label_set.main_labels.tolist(), strict=True
    )
    image_rows = [
        {
            "label_set_id": label_set_id,
            "row": row,
            "image_id": image_id,
            "is_problematic": problematic,
            "main_label": main,
        }
        for row, (image_id, problematic, main) in enumerate(of_images)
    ]
    judged = zip(label_set.rows.tolist(), label_set.classes.tolist(), label_set.verdicts.tolist(), strict=True)
    verdict_rows = [
        {"label_set_id": label_set_id, "place": place, "row": row, "class_index": index, "verdict": verdict}
        for place, (row, index, verdict) in enumerate(judged)
    ]
    study.connection.execute(insert(label_images), image_rows)
    if verdict_rows:
        study.connection.execute(insert(verdicts), verdict_rows)


def _select_entries() -> Select[Any]:
    columns = [column for column in label_sets.c if column.name != "parent_id"]
    joined = label_sets.outerjoin(_parents, label_sets.c.parent_id == _parents.c.id)
    return (
        select(*columns, _parents.c.version.label("parent"))
        .select_from(joined)
        .order_by(label_sets.c.name, label_sets.c.version)
    )


def _make_entry(row: RowMapping) -> LabelSetEntry:
    return LabelSetEntry(**{**row, "kind": LabelKind(row["kind"]), "unlisted": Unlisted(row["unlisted"])})
