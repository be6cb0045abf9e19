"""What exact copies of an image have in common ← rows of images."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from sqlalchemy import func, select

from regauge.records.exposure.exposures import ImageKey
from regauge.records.studies import ImagePlace
from regauge.storage.database.batches import fetch_plain
from regauge.storage.database.schema import campaigns, images, test_sets
from regauge.storage.fingerprints import load_checksums, make_keys
from regauge.storage.study import Study


def load_keys(study: Study, test_set_ids: Collection[int] | None = None) -> Mapping[int, Sequence[ImageKey]]:
    """Per set of images the key of every image in row order; of all sets by default.

    That is the checksum of its bytes, as it was stored, or read when a campaign that shows the image was opened. Where it is not
    known it is the file, which several sets may have, and where there is none the image is like no other.
    """
    names = ("row", "sha256", "path", "offset", "n_bytes")
    query = select(images.c.test_set_id, test_sets.c.root, *(images.c[name] for name in names)).join(test_sets)
    if test_set_ids is not None:
        query = query.where(images.c.test_set_id.in_(test_set_ids))
    keys: dict[int, list[ImageKey]] = defaultdict(list)
    unknown: dict[str, list[tuple[int, int, ImagePlace]]] = defaultdict(list)
    for test_set_id, root, row, sha256, path, offset, n_bytes in fetch_plain(
        study, query.order_by(images.c.test_set_id, images.c.row)
    ):
        if path and not sha256:
            unknown[root].append((test_set_id, row, ImagePlace(path, offset, n_bytes)))
        keys[test_set_id].append(sha256 or (f"{root}/{path}@{offset or 0}" if path else f"{test_set_id}:{row}"))
    for root, places in unknown.items():
        for test_set_id, row, sha256 in _find_read(study, Path(root), places):
            keys[test_set_id][row] = sha256
    return keys


def _find_read(
    study: Study, root: Path, places: Sequence[tuple[int, int, ImagePlace]]
) -> Iterator[tuple[int, int, ImageKey]]:
    """Those of some images that were read before, with their checksums."""
    known = load_checksums(study, root)
    if known:
        for (test_set_id, row, _), key in zip(places, make_keys(root, (place for *_, place in places)), strict=True):
            sha256 = known.get(key, ("",))[0]
            if sha256:
                yield test_set_id, row, sha256


def find_state(study: Study) -> tuple[int, str]:
    """The last set of images and when a campaign was last opened: while these are the same, so are the keys."""
    last_set = study.connection.scalar(select(func.max(test_sets.c.id)))
    return int(last_set or 0), str(study.connection.scalar(select(func.max(campaigns.c.opened_at))) or "")


def load_copies(study: Study) -> dict[int, int]:
    """Of images that have copies, by one number each in the whole study, the least of the numbers of its copies."""
    least: dict[ImageKey, int] = {}
    copies: dict[int, int] = {}
    for test_set_id, keys in load_keys(study).items():
        for row, key in enumerate(keys):
            number = test_set_id << 32 | row
            first = least.setdefault(key, number)
            if first != number:
                copies[number] = first
    return copies
