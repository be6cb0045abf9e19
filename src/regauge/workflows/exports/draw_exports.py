"""A drawn test set as a folder that leaves the study: class folders, a manifest and a card."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import regauge
from regauge.formats.exports.drawn_folders import (
    DrawnFolder,
    format_drawn_card,
    name_file,
    shape_manifest,
)
from regauge.formats.exports.huggingface import CardSource, shape_metadata
from regauge.records.cells import format_csv
from regauge.records.studies import TestSetEntry
from regauge.records.testsets.pool import PoolFacts
from regauge.storage.files import write_whole_folder
from regauge.storage.study import Study
from regauge.storage.testsets.draws import load_draw, load_pool_rows
from regauge.storage.testsets.pool import list_pools, load_facts
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.exports.content import ExportedFile
from regauge.workflows.exports.image_exports import copy_images
from regauge.workflows.testsets.draw_descriptions import describe_draw


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

    def name_row(row: int, suffix: str) -> str:
        class_id = study.taxonomy.classes[int(draw.classes[row])].id
        return name_file(class_id, str(draw.image_ids[row]), suffix=suffix)

    with write_whole_folder(folder) as partial:
        copied = copy_images(study, entry, folder=partial, name_file=name_row, link=link)
        files = [one.file for one in copied]
        drawn = DrawnFolder(description, draw, facts, pools, files, [one.sha256 for one in copied])
        manifest = shape_manifest(drawn, study.taxonomy)
        (partial / "manifest.csv").write_text(format_csv(manifest), encoding="utf-8")
        (partial / "manifest.jsonl").write_text(manifest.write_ndjson(), encoding="utf-8")
        with (partial / "metadata.jsonl").open("w", encoding="utf-8") as file:
            lines = shape_metadata(load_test_set(study, entry), None, files=files, taxonomy=study.taxonomy)
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
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
