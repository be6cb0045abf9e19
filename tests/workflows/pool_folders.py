"""Folders of small pictures to gather, and pools made of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from regauge.records.testsets.pool import ExclusionRule
from regauge.storage.testsets.pool import find_excluded
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.pools.pool import AddedBatch, BatchRequest, add_batch, prepare_batch
from regauge.workflows.studies.study import Study


def save_pictures(folder: Path, pictures: Mapping[str, int]) -> Path:
    """A picture per file, decided by its number: files of one number show the same."""
    for name, seed in pictures.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.random.default_rng(seed).integers(0, 256, (8, 8, 3), np.uint8)).save(path)
    return folder


def gather(study: Study, path: Path, **options: object) -> AddedBatch:
    """Add a batch as the command does: read first, then write."""
    with study.read() as reading:
        prepared = prepare_batch(reading, path, request=BatchRequest(**options))  # type: ignore[arg-type]
    with study.begin() as begun:
        return add_batch(begun, prepared)


def list_reasons(study: Study, pool: str, rule: ExclusionRule | None = None) -> dict[str, str]:
    """Image → why it is excluded now."""
    with study.read() as reading:
        held = find_excluded(reading, get_test_set(reading, pool), rule=rule)
    return {image_id: " ".join(one.reason for one in found) for image_id, found in held.items()}
