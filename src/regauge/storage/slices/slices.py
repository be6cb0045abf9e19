"""Slices ↔ rows; a slice, once stored, never changes, except that an erasure can make it void."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from sqlalchemy import RowMapping, Select, func, insert, select, update

from regauge.errors import InputError
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.names import check_name, check_new_names
from regauge.records.slices.rules import describe_rule, read_rule
from regauge.records.slices.slice import Slice, SliceEntry, SliceKind, read_inputs
from regauge.records.studies import SUPERSEDED
from regauge.storage.database.schema import label_sets, slice_images, slices, test_sets
from regauge.storage.labels.label_set import get_label_set
from regauge.storage.mistakes.codings import list_codings
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set

ERASED = "it was chosen with answers or coded mistakes of a participant that were erased since"


def insert_slice(study: Study, chosen: Slice) -> SliceEntry:
    """Store a slice.

    Raises:
        InputError: there is one of this name, no such test set or label set, or it cannot be called that.
    """
    check_slice_name(study, chosen.name)
    row = {
        "name": chosen.name,
        "kind": chosen.kind.value,
        "test_set_id": get_test_set(study, chosen.test_set).id,
        "label_set_id": get_label_set(study, chosen.labels).id,
        "is_complete": chosen.is_complete,
        "rule": dict(describe_rule(chosen.rule)),
        "inputs": asdict(chosen.inputs),
        "void": "",
        "who": chosen.who or study.around.who,
        "at": chosen.at or study.around.now(),
        "provenance": dict(chosen.provenance),
    }
    new_id = study.connection.execute(insert(slices).returning(slices.c.id), row).scalar_one()
    rows = [
        {"slice_id": new_id, "place": place, "image_id": image_id}
        for place, image_id in enumerate(chosen.image_ids.tolist())
    ]
    study.connection.execute(insert(slice_images), rows)
    return get_slice(study, chosen.name)


def check_slice_name(study: Study, name: str) -> str:
    """The name of a new slice.

    Raises:
        InputError: a slice has it, or one that looks the same, or it cannot be a name.
    """
    check_name(name, what="A slice", how="as NAME")
    taken = list(study.connection.scalars(select(slices.c.name)))
    if name in taken:
        raise InputError(f"There is a slice {name} already, and slices never change; give the new one another name.")
    check_new_names([name], taken, what="A slice")
    return name


def list_slices(study: Study) -> tuple[SliceEntry, ...]:
    """All slices in the order in which they were made."""
    codings = list_codings(study)
    void = _list_void_labels(study)
    rows = study.connection.execute(_select_entries()).mappings()
    return tuple(_make_entry(row, codings, void) for row in rows)


def get_slice(study: Study, name: str) -> SliceEntry:
    """The slice of that name.

    Raises:
        InputError: there is none.
    """
    entries = list_slices(study)
    for entry in entries:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in entries)
    hint = f"it has: {known}." if known else "create one with: regauge slice create."
    raise InputError(f"The study has no slice {name!r}; {hint}")


def load_slice(study: Study, entry: SliceEntry) -> Slice:
    """The slice with its images, its rule and what that was applied to.

    Raises:
        InputError: the stored rows are not those of a slice.
    """
    row = study.connection.execute(select(slices).where(slices.c.id == entry.id)).mappings().one()
    query = select(slice_images.c.image_id).where(slice_images.c.slice_id == entry.id).order_by(slice_images.c.place)
    return Slice(
        name=entry.name,
        kind=entry.kind,
        test_set=entry.test_set,
        image_ids=np.array(list(study.connection.scalars(query)), np.str_),
        labels=entry.labels,
        rule=read_rule(row["rule"]),
        inputs=read_inputs(row["inputs"]),
        is_complete=entry.is_complete,
        who=entry.who,
        at=entry.at,
        provenance=row["provenance"],
        id=entry.id,
    )


def void_slices(study: Study, participants: Collection[str]) -> None:
    """Make void what was chosen with the answers of participants or with codings of their mistakes, and forget who they were."""
    names = set(participants)
    gone = {one.full_name for one in list_codings(study) if one.participant in names}
    for row in study.connection.execute(select(slices.c.id, slices.c.inputs)).all():
        inputs = read_inputs(row.inputs)
        if names.isdisjoint(inputs.names) and gone.isdisjoint(inputs.codings):
            continue
        left = {
            **asdict(inputs),
            "participants": [asdict(one) for one in inputs.participants if one.participant not in names],
            "codings": [one for one in inputs.codings if one not in gone],
        }
        change = update(slices).where(slices.c.id == row.id)
        study.connection.execute(change.values(void=ERASED, rule={}, inputs=left))


def _select_entries() -> Select[Any]:
    names = ("id", "name", "kind", "is_complete", "inputs", "void", "who", "at", "label_set_id")
    counted = select(slice_images.c.slice_id, func.count().label("n")).group_by(slice_images.c.slice_id).subquery()
    return (
        select(
            *(slices.c[name] for name in names),
            test_sets.c.name.label("test_set"),
            label_sets.c.name.label("labels"),
            label_sets.c.version.label("labels_version"),
            func.coalesce(counted.c.n, 0).label("n_images"),
        )
        .join(test_sets, slices.c.test_set_id == test_sets.c.id)
        .join(label_sets, slices.c.label_set_id == label_sets.c.id)
        .outerjoin(counted, counted.c.slice_id == slices.c.id)
        .order_by(slices.c.id)
    )


def _make_entry(row: RowMapping, codings: Collection[CodingEntry], void: Mapping[str, str]) -> SliceEntry:
    inputs, labels = read_inputs(row["inputs"]), f"{row['labels']}@{row['labels_version']}"
    mine = [one for one in codings if one.full_name in inputs.codings]
    stale = [one.full_name for one in mine if SUPERSEDED in one.provenance]
    of_codings = (f"its coding {name} was made with answers that were erased since" for name in stale)
    of_labels = (void[one] for one in (labels, *(one.labels for one in mine)) if one in void)
    reasons = [row["void"], *of_labels, *of_codings]
    return SliceEntry(
        id=row["id"],
        name=row["name"],
        kind=_read_kind(row["kind"]),
        test_set=row["test_set"],
        labels=labels,
        n_images=row["n_images"],
        is_complete=row["is_complete"],
        is_open=inputs.n_open > 0,
        void=next(filter(None, reasons), ""),
        who=row["who"],
        at=row["at"],
    )


def _list_void_labels(study: Study) -> dict[str, str]:
    """The label-set versions that an erasure has made void, as NAME@VERSION, and what to say of each."""
    query = select(label_sets.c.name, label_sets.c.version, label_sets.c.provenance)
    return {
        f"{row.name}@{row.version}": f"its labels {row.name}@{row.version} were made with answers that were erased since"
        for row in study.connection.execute(query)
        if SUPERSEDED in row.provenance
    }


def _read_kind(text: str) -> SliceKind:
    try:
        return SliceKind(text)
    except ValueError:
        raise InputError(f"A slice is of the kind {', '.join(SliceKind)}, not {text[:40]!r}.") from None
