"""Test sets ↔ rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import RowMapping, bindparam, func, insert, select, update

from regauge.arrays import IdArray
from regauge.errors import InputError
from regauge.records.names import check_new_names
from regauge.records.studies import (
    ImagePlace,
    LocatedTestSet,
    PicturedImage,
    TestSetEntry,
    TestSetKind,
    TestSetRole,
    compute_digest,
)
from regauge.records.testsets.test_set import TestSet
from regauge.storage.database.batches import fetch_plain
from regauge.storage.database.schema import images, test_sets
from regauge.storage.study import Study


def insert_test_set(
    study: Study,
    located: LocatedTestSet,
    *,
    provenance: Mapping[str, Any],
    role: TestSetRole = TestSetRole.TEST,
    parent_id: int | None = None,
) -> TestSetEntry:
    """Store a test set or a batch of a pool under its name, with the place of every image.

    Raises:
        InputError: the study has a test set of that name, or of one that looks like it.
    """
    test_set = located.test_set
    if find_test_set(study, test_set.name) is not None:
        raise InputError(
            f"The study already has another set of images {test_set.name!r}; give the new one another name with `name=…`."
        )
    check_new_names([test_set.name], study.connection.scalars(select(test_sets.c.name)), what="A set of images")
    row = {
        "name": test_set.name,
        "digest": compute_digest(test_set),
        "kind": located.kind.value,
        "root": located.root,
        "n_images": len(test_set),
        "added_at": study.around.now(),
        "provenance": dict(provenance),
        "role": role.value,
        "parent_id": parent_id,
    }
    new_id = study.connection.execute(insert(test_sets).returning(test_sets.c.id), row).scalar_one()
    study.connection.execute(insert(images), _make_rows(new_id, located))
    return get_test_set(study, test_set.name)


def list_test_sets(study: Study) -> tuple[TestSetEntry, ...]:
    """All test sets, the oldest first."""
    return tuple(entry for entry in list_image_sets(study) if entry.role is TestSetRole.TEST)


def list_image_sets(study: Study) -> tuple[TestSetEntry, ...]:
    """All test sets and all batches of the pool, the oldest first."""
    return tuple(map(_make_entry, study.connection.execute(select(test_sets).order_by(test_sets.c.id)).mappings()))


def find_test_set(study: Study, name: str) -> TestSetEntry | None:
    """The test set of that name, or None."""
    row = study.connection.execute(select(test_sets).where(test_sets.c.name == name)).mappings().one_or_none()
    return None if row is None else _make_entry(row)


def get_test_set(study: Study, name: str | None = None) -> TestSetEntry:
    """The test set or batch of the pool of that name; without a name, the only test set.

    Raises:
        InputError: there is no such test set, or there are several and no name was given.
    """
    known = list_test_sets(study) if name is None else list_image_sets(study)
    names = ", ".join(entry.name for entry in known)
    if not known:
        raise InputError("The study has no test set yet; add one with: regauge testset add PATH.")
    if name is None:
        if len(known) > 1:
            raise InputError(f"The study has {len(known)} test sets; say which with `test_set=…`: {names}.")
        return known[0]
    for entry in known:
        if entry.name == name:
            return entry
    raise InputError(f"The study has no test set {name!r}; it has: {names}.")


def load_test_set(study: Study, entry: TestSetEntry) -> TestSet:
    """Image ids and dataset labels, in row order."""
    query = select(images.c.image_id, images.c.label).where(images.c.test_set_id == entry.id).order_by(images.c.row)
    rows = fetch_plain(study, query)
    return TestSet(
        entry.name, np.array([row[0] for row in rows], np.str_), np.array([row[1] for row in rows], np.int32)
    )


def load_digests(study: Study, entry: TestSetEntry) -> IdArray | None:
    """The SHA-256 of every image, in row order and empty where it is not known; None where no image has one."""
    query = select(images.c.sha256).where(images.c.test_set_id == entry.id).order_by(images.c.row)
    digests = np.array([digest or "" for (digest,) in study.connection.execute(query)], np.str_)
    return digests if (digests != "").any() else None


def update_digests(study: Study, entry: TestSetEntry, digests: Mapping[int, str]) -> None:
    """Keep checksums that were read after a set was added, by row; one that is there already stays."""
    mine = (images.c.test_set_id == entry.id, images.c.row == bindparam("at"), images.c.sha256.is_(None))
    rows = [{"at": row, "text": digest} for row, digest in digests.items()]
    if rows:
        study.connection.execute(update(images).where(*mine).values(sha256=bindparam("text")), rows)


def has_common_images(study: Study, first_id: int, second_id: int) -> bool:
    """Whether two test sets have an image of the same bytes, as far as the checksums of both are known."""
    one, other = images.alias("one"), images.alias("other")
    same = (one.c.sha256 == other.c.sha256) & (other.c.test_set_id == second_id)
    query = select(one.c.row).join(other, same).where(one.c.test_set_id == first_id).limit(1)
    return study.connection.execute(query).first() is not None


def load_places(study: Study, entry: TestSetEntry) -> tuple[ImagePlace, ...]:
    """Where every image lies, in row order."""
    columns = (images.c.path, images.c.offset, images.c.n_bytes, images.c.sha256)
    query = select(*columns).where(images.c.test_set_id == entry.id).order_by(images.c.row)
    return tuple(ImagePlace(*row) for row in study.connection.execute(query))


def list_pictured(
    study: Study, entry: TestSetEntry, labels: Collection[int], *, limit: int | None = None
) -> tuple[PicturedImage, ...]:
    """The images of a set that have a file and one of these dataset labels, in row order; all, or the first few."""
    columns = (images.c.row, images.c.image_id, images.c.label, images.c.sha256)
    mine = (images.c.test_set_id == entry.id, images.c.path != "", images.c.label.in_(labels))
    query = select(*columns).where(*mine).order_by(images.c.row).limit(limit)
    return tuple(
        PicturedImage(row, id_, label, sha256 or "") for row, id_, label, sha256 in study.connection.execute(query)
    )


def count_classes(study: Study, entry: TestSetEntry) -> list[int]:
    """How many images each class of a set has, by their dataset labels; only classes that have any."""
    mine = (images.c.test_set_id == entry.id, images.c.label >= 0)
    return list(study.connection.scalars(select(func.count()).where(*mine).group_by(images.c.label)))


def has_dataset_labels(study: Study, entry: TestSetEntry) -> bool:
    """Whether any image of a set has a dataset label."""
    labelled = select(images.c.row).where(images.c.test_set_id == entry.id, images.c.label >= 0)
    return study.connection.execute(labelled.limit(1)).first() is not None


def count_files(study: Study) -> dict[int, int]:
    """Per test set and batch that has any, how many of its images have a file."""
    query = select(images.c.test_set_id, func.count()).where(images.c.path != "").group_by(images.c.test_set_id)
    return dict(map(tuple, study.connection.execute(query)))


def update_root(study: Study, entry: TestSetEntry, *, root: str) -> TestSetEntry:
    """Say that the images of a test set lie below another folder."""
    study.connection.execute(update(test_sets).where(test_sets.c.id == entry.id).values(root=root))
    return get_test_set(study, entry.name)


def update_places(study: Study, entry: TestSetEntry, *, root: str, files: Mapping[int, str]) -> None:
    """Say where images lie that had no file, row by row, and below which folder."""
    update_root(study, entry, root=root)
    change = update(images).where(images.c.test_set_id == entry.id, images.c.row == bindparam("at"))
    rows = [{"at": row, "file": file} for row, file in files.items()]
    study.connection.execute(change.values(path=bindparam("file")), rows)


def find_place(study: Study, test_set_id: int, row: int) -> tuple[Path, ImagePlace]:
    """The folder of a test set, and where below it one of its images lies."""
    columns = (test_sets.c.root, images.c.path, images.c.offset, images.c.n_bytes, images.c.sha256)
    query = (
        select(*columns)
        .join(test_sets, test_sets.c.id == images.c.test_set_id)
        .where(images.c.test_set_id == test_set_id, images.c.row == row)
    )
    root, path, offset, n_bytes, sha256 = study.connection.execute(query).one()
    return Path(root), ImagePlace(path, offset, n_bytes, sha256)


def _make_rows(test_set_id: int, located: LocatedTestSet) -> list[dict[str, Any]]:
    test_set = located.test_set
    columns = zip(test_set.image_ids.tolist(), test_set.labels.tolist(), located.places, strict=True)
    return [
        {
            "test_set_id": test_set_id,
            "row": number,
            "image_id": image_id,
            "label": label,
            "path": place.path,
            "offset": place.offset,
            "n_bytes": place.n_bytes,
            "sha256": place.sha256,
        }
        for number, (image_id, label, place) in enumerate(columns)
    ]


def _make_entry(row: RowMapping) -> TestSetEntry:
    return TestSetEntry(**{**row, "kind": TestSetKind(row["kind"]), "role": TestSetRole(row["role"])})
