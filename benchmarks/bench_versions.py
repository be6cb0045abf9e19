"""A version of labels that changes 100 verdicts of 50,000 images: how long it takes to store and to compare, and its size."""

from __future__ import annotations

import gc
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np

from benchmarks.harness import N_ROUNDS, Role, Variant, Workload, compare
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.verdicts import Verdict
from regauge.workflows.labels.label_set import diff_labels
from regauge.workflows.labels.versions import store_truth
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_IMAGES, N_CLASSES, N_LABELS = 50_000, 1_000, 5
N_CHANGES = 100
SECONDS_LIMIT, BYTES_LIMIT = 0.5, 200_000
SEED = 100
EVIDENCE = VerdictEvidence(
    rule="plurality of reviewers",
    votes=tuple(ExpertVote(f"reviewer-{number}", Verdict.WRONG) for number in range(3)),
    note="the edge says so",
)


class Versions:
    """Versions of one label set, each with other changes than the one before."""

    def __init__(self, study: Study, folder: Path) -> None:
        self._study, self._folder = study, folder
        self._ids = [f"i{number:08d}" for number in range(N_IMAGES)]
        self._places = count()
        self._lists = [[(number + step) % N_CLASSES for step in range(N_LABELS)] for number in range(N_IMAGES)]
        self._wrong: list[list[int]] = [[] for _ in self._ids]

    def prepare(self) -> Truth:
        """The labels with 100 classes wrong that were correct before, and who said so."""
        changed = {}
        for _ in range(N_CHANGES):
            place = next(self._places)
            one = self._lists[place].pop()
            self._wrong[place].append(one)
            changed[self._ids[place], one] = EVIDENCE
        return Truth(label_sets=(self.make_labels(),), evidence=(LabelEvidence.from_pairs("reviewed", changed),))

    def make_labels(self) -> LabelSet:
        """The labels as they are."""
        return LabelSet.from_lists("reviewed", self._ids, correct=self._lists, wrong=self._wrong)

    def store(self, prepared: Iterator[Truth]) -> int:
        """The next version."""
        with self._study.begin() as begun:
            return store_truth(begun, next(prepared), provenance={}).entry.version

    def diff(self, before: int) -> int:
        """How many verdicts the next version changes."""
        with self._study.read() as begun:
            return len(diff_labels(begun, f"reviewed@{before}", f"reviewed@{before + 1}").changes)

    def write_whole(self) -> None:
        """All labels as one file of JSON."""
        (self._folder / "whole.json").write_text(json.dumps([self._lists, self._wrong]), encoding="utf-8")

    def read_whole(self) -> object:
        """What that file says."""
        return json.loads((self._folder / "whole.json").read_text(encoding="utf-8"))

    def measure(self) -> int:
        """Bytes of the database."""
        with self._study.read() as begun:
            pages, size = (
                begun.connection.exec_driver_sql(f"PRAGMA {what}").scalar() for what in ("page_count", "page_size")
            )
        return int(pages or 0) * int(size or 0)


@contextmanager
def make_versions() -> Iterator[Versions]:
    """A study with a first version of all images, five verdicts each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = "".join(f"i{number:08d},{number % N_CLASSES}\n" for number in range(N_IMAGES))
        (folder / "images.csv").write_text(f"image_id,label\n{rows}", encoding="utf-8")
        around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(SEED), who="bench")
        study = init_study(folder / "study", taxonomy="imagenet-1k", around=around)
        try:
            with study.begin() as begun:
                add_test_set(begun, folder / "images.csv", name="images")
            versions = Versions(study, folder)
            versions.store(iter([Truth(label_sets=(versions.make_labels(),))]))
            yield versions
        finally:
            study.close()


def run() -> Workload:
    with make_versions() as versions:
        # Two for the size, one that is not timed, and one for each round.
        prepared = iter([versions.prepare() for _ in range(N_ROUNDS + 3)])
        # The lists that versions are made of are many objects, which no study has and nobody need look through again.
        gc.freeze()
        versions.store(prepared)
        before = versions.measure()
        versions.store(prepared)
        n_bytes = versions.measure() - before
        stored = [
            Variant("store_truth, with evidence", partial(versions.store, prepared), Role.OURS, gives="a version"),
            Variant("all verdicts as a file of JSON", versions.write_whole, Role.FLOOR, gives="the last version alone"),
        ]
        compared = [
            Variant("diff_labels", partial(versions.diff, 1), Role.OURS, gives="changes with evidence"),
            Variant(
                "reading both as JSON",
                lambda: (versions.read_whole(), versions.read_whole()),
                Role.FLOOR,
                gives="nothing",
            ),
        ]
        parts = (
            compare(f"A version with {N_CHANGES} changes, stored", stored, clock=time.process_time),
            compare("The difference of two such versions", compared, clock=time.process_time),
        )
    return Workload(
        "Versions of labels",
        f"{N_IMAGES:,} images with {N_IMAGES * N_LABELS:,} verdicts. A version and a comparison are to take less than "
        f"{SECONDS_LIMIT:g} s, and a version less than {BYTES_LIMIT // 1000} kB.",
        (*parts, f"A version adds {n_bytes / 1000:.0f} kB to the database."),
    )


if __name__ == "__main__":
    print(run().to_markdown())
