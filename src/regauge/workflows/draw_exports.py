"""A drawn test set as a folder that leaves the study: class folders, a manifest and a card."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

import regauge
from regauge.errors import FormatError, InputError
from regauge.formats.drawn_folders import (
    DrawnFolder,
    describe_plan,
    format_drawn_card,
    name_file,
    shape_lines,
    shape_manifest,
)
from regauge.formats.huggingface import CardSource
from regauge.formats.images import find_suffix, read_image
from regauge.records.pools import PoolFacts
from regauge.records.sampling import Draw
from regauge.records.studies import ImagePlace, TestSetEntry
from regauge.storage.draws import load_draw, load_pool_rows
from regauge.storage.files import write_whole_folder
from regauge.storage.pools import list_pools, load_facts
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, load_places
from regauge.workflows.draws import describe_draw
from regauge.workflows.study_exports import ExportedFile

__all__ = ["describe_plan", "export_draw"]


def export_draw(
    study: Study, name: str, *, folder: Path, link: bool = False, license_name: str = ""
) -> tuple[ExportedFile, ...]:
    """Write a drawn test set to a folder that is new or empty: class folders, manifest.csv, manifest.jsonl and README.md.

    Args:
        study: the study, inside a transaction.
        name: the drawn test set.
        folder: where.
        link: whether to make symbolic links in place of copies; pieces of a shard are copied nevertheless.
        license_name: the licence of the whole, as the card is to state it; those of the images are in the manifest.

    Raises:
        InputError: the test set was not drawn, the folder holds something, or the images are not at hand.
        FormatError: an image cannot be read.
    """
    entry = get_test_set(study, name)
    description, draw = describe_draw(study, name), load_draw(study, entry)
    facts, pools = _gather_facts(study, entry)
    with write_whole_folder(folder) as partial:
        files, checksums = _put_images(study, entry, draw, partial, link=link)
        drawn = DrawnFolder(description, draw, facts, pools, files, checksums)
        manifest = shape_manifest(drawn, study.taxonomy)
        manifest.write_csv(partial / "manifest.csv")
        manifest.write_ndjson(partial / "manifest.jsonl")
        with (partial / "metadata.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in shape_lines(drawn, study.taxonomy))
        n_bytes = sum((partial / one).stat().st_size for one in files)
        source = CardSource(entry, None, 0, n_bytes, license_name, regauge.__version__)
        card = format_drawn_card(drawn, source, taxonomy=study.taxonomy)
        (partial / "README.md").write_text(card, encoding="utf-8")
    names = ("manifest.csv", "manifest.jsonl", "metadata.jsonl")
    return (*(ExportedFile(folder / one, len(files)) for one in names), ExportedFile(folder / "README.md", 1))


def _gather_facts(study: Study, entry: TestSetEntry) -> tuple[PoolFacts, list[str]]:
    """Where the images of a drawn test set come from, and the names of their batches."""
    pool_ids, rows = load_pool_rows(study, entry)
    known = {pool.id: pool for pool in list_pools(study)}
    facts = {pool_id: load_facts(study, known[pool_id]) for pool_id in np.unique(pool_ids).tolist()}
    pairs = list(zip(pool_ids.tolist(), rows.tolist(), strict=True))
    columns = ([getattr(facts[pool], name)[row] for pool, row in pairs] for name in PoolFacts.__slots__)
    return PoolFacts(*(np.array(column, np.str_) for column in columns)), [known[pool].name for pool, _ in pairs]


def _put_images(
    study: Study, entry: TestSetEntry, draw: Draw, folder: Path, *, link: bool
) -> tuple[list[str], list[str]]:
    """Copy or link every image; returns where each one went, and its checksum, in row order."""
    root = Path(entry.root)
    files, checksums = [], []
    places = load_places(study, entry)
    for row, place in enumerate(study.around.track(places, "Copying images")):
        if not place.path:
            raise InputError(f"Image {draw.image_ids[row]!r} of {entry.name} has no file, so it cannot be exported.")
        content = read_image(root, place)
        suffix = find_suffix(content)
        if suffix is None:
            raise FormatError(root / place.path, "this is no image of a known format.")
        class_id = study.taxonomy.classes[int(draw.classes[row])].id
        files.append(name_file(class_id, str(draw.image_ids[row]), suffix=suffix))
        checksums.append(hashlib.sha256(content).hexdigest())
        _put(folder / files[-1], content, root / place.path if link and _has_own_file(place) else None)
    return files, checksums


def _has_own_file(place: ImagePlace) -> bool:
    return place.offset is None


def _put(path: Path, content: bytes, linked: Path | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        raise InputError(f"Two images would be called {path.parent.name}/{path.name}; one of them needs another id.")
    if linked is None:
        path.write_bytes(content)
    else:
        path.symlink_to(linked.resolve())
