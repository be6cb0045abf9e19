"""Studies with an original test set, a pool of candidates and selection frequencies, from which test sets are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.storage.small_studies import make_circumstances
from tests.workflows.campaign_studies import draw_picture

from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetEntry, TestSetKind
from regauge.records.testsets.pool import DrawSources, Exclusion, ExclusionRule, GatheredImages, PoolFacts
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.records.testsets.test_set import TestSet
from regauge.storage.testsets.pool import get_pools, insert_exclusions, insert_pool
from regauge.storage.testsets.test_set import insert_test_set
from regauge.workflows.studies.study import Study, init_study

CLASSES = (0, 3)
"""Aeroplanes and cats."""
N_SHOWN = 10
ORIGINALS = [0] * 2 + [3] * 2 + [5] * 4 + [7] * 4 + [9] * 8
"""How often annotators selected each original image of a class: bins of 2, 2, 4, 4 and 8, so 1, 1, 2, 2 and 4 of ten."""
CANDIDATES = [0, 1] * 4 + [2, 3] * 3 + [4, 5] * 3 + [6, 7] * 3 + [8, 9, 10] * 4
"""The same of each candidate."""
KEYWORDS = ("one", "two", "three")
PLAN = SamplingPlan(Strategy.MATCHED_FREQUENCY, seed=7)


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """A study with a pool, and the table of its frequencies."""

    study: Study
    folder: Path

    @property
    def table(self) -> Path:
        """What `aggregate contains` would have printed."""
        return self.folder / "counts.csv"

    @property
    def sources(self) -> DrawSources:
        """Everything there is."""
        return DrawSources(original="original", frequencies=(str(self.table),))

    def exclude(self, image_id: str, rule: ExclusionRule, reason: str, *, pool: str = "batch") -> None:
        """Exclude a candidate."""
        with self.study.begin() as begun:
            insert_exclusions(
                begun, get_pools(begun, [pool])[0], [Exclusion(image_id, rule, is_excluded=True, reason=reason)]
            )

    def add_counts(self, rows: Mapping[tuple[str, int], tuple[int, int]]) -> None:
        """More selection counts."""
        with self.table.open("a") as file:
            file.writelines(f"{image_id},{index},{shown},{n}\n" for (image_id, index), (shown, n) in rows.items())


@contextmanager
def make_pooled(folder: Path, *, database: str = "", with_files: bool = False) -> Iterator[Pooled]:
    """Two classes of CIFAR-10 with 20 original images and 38 candidates each, all seen by ten annotators."""
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=make_circumstances())
    pooled = Pooled(study, folder)
    pooled.table.write_text("image_id,class,n_shown,n_selected\n")
    with study.begin() as begun:
        ids = [f"o{index}-{number:02d}" for index in CLASSES for number in range(len(ORIGINALS))]
        test_set = TestSet("original", np.array(ids), np.repeat(CLASSES, len(ORIGINALS)))
        insert_test_set(
            begun, LocatedTestSet(test_set, TestSetKind.TABLE, str(folder), (ImagePlace(),) * len(ids)), provenance={}
        )
        add_pool(begun, folder, n_per_class=len(CANDIDATES), with_files=with_files)
    pooled.add_counts(
        {(f"o{index}-{number:02d}", index): (N_SHOWN, n) for index in CLASSES for number, n in enumerate(ORIGINALS)}
    )
    pooled.add_counts(
        {(f"c{index}-{number:02d}", index): (N_SHOWN, n) for index in CLASSES for number, n in enumerate(CANDIDATES)}
    )
    try:
        yield pooled
    finally:
        study.close()


def add_pool(
    study: Study,
    folder: Path,
    *,
    name: str = "batch",
    n_per_class: int = 4,
    prefix: str = "c",
    with_files: bool = False,
) -> TestSetEntry:
    """A batch of candidates, with or without pictures, in a folder of its name."""
    ids = [f"{prefix}{index}-{number:02d}" for index in CLASSES for number in range(n_per_class)]
    root = folder / name
    if with_files:
        root.mkdir(parents=True)
        for number, image_id in enumerate(ids):
            (root / f"{image_id}.png").write_bytes(draw_picture(number))
    places = tuple(ImagePlace(f"{image_id}.png" if with_files else "") for image_id in ids)
    test_set = TestSet(name, np.array(ids), np.repeat(CLASSES, n_per_class))
    located = LocatedTestSet(test_set, TestSetKind.TABLE, str(root), places)
    return insert_pool(study, GatheredImages(located, make_facts(ids)), provenance={})


def make_facts(ids: Sequence[str]) -> PoolFacts:
    """Facts of images: keywords take turns, and the licence of some is not known."""
    n = len(ids)
    return PoolFacts(
        keywords=np.array([KEYWORDS[number % 3] for number in range(n)]),
        taken_at=np.full(n, "2014-07-31"),
        uploaded_at=np.full(n, ""),
        sources=np.full(n, "flickr"),
        licences=np.array(["" if number % 2 else "CC BY 2.0" for number in range(n)]),
        urls=np.array([f"https://example.org/{one}" for one in ids]),
        pixels_sha256=np.full(n, ""),
    )
