"""The mistakes of 1,000 participants on 50,000 images under a version of a label set: counted, and one participant's found."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness import Role, Variant, Workload, compare
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.studies import Selection
from regauge.workflows.labels.versions import store_truth
from regauge.workflows.mistakes.finding import count_mistakes, find_mistakes, open_study_mistakes
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_PARTICIPANTS, N_IMAGES, N_CLASSES = 1_000, 50_000, 1_000
N_ALIKE = 20
"""So many models the others are made of by noise: participants err together, and novel answers repeat."""
SECONDS_LIMIT = 60
SEED = 22


def make_answers(rng: np.random.Generator) -> Iterator[Predictions]:
    """Participants that are right on 60% to 95% of the images; each differs from one of a few models on up to a fifth of them."""
    ids = np.array([f"i{number:08d}" for number in range(N_IMAGES)])
    labels = np.arange(N_IMAGES) % N_CLASSES
    models = []
    for share in np.linspace(0.6, 0.95, N_ALIKE):
        wrong = rng.integers(N_CLASSES, size=N_IMAGES)
        models.append(np.where(rng.random(N_IMAGES) < share, labels, wrong).astype(np.int32))
    for number in range(N_PARTICIPANTS):
        one, other = (models[place] for place in rng.choice(N_ALIKE, 2, replace=False))
        classes = np.where(rng.random(N_IMAGES) < rng.uniform(0.02, 0.2), other, one)
        yield Predictions(f"model-{number:04d}", ids, classes)


def make_labels(rng: np.random.Generator) -> LabelSet:
    """The dataset label and sometimes another class are correct, three are wrong; of all others nobody knows."""
    ids = [f"i{number:08d}" for number in range(N_IMAGES)]
    correct = [[number % N_CLASSES] for number in range(N_IMAGES)]
    for number in rng.choice(N_IMAGES, N_IMAGES // 5, replace=False).tolist():
        correct[number].append((number + 1) % N_CLASSES)
    wrong = [[(number + step) % N_CLASSES for step in (2, 3, 4)] for number in range(N_IMAGES)]
    return LabelSet.from_lists("reviewed", ids, correct=correct, wrong=wrong)


@contextmanager
def make_study() -> Iterator[tuple[Study, Path]]:
    """A study with everybody's answers and a label set."""
    rng = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = "".join(f"i{number:08d},{number % N_CLASSES}\n" for number in range(N_IMAGES))
        (folder / "images.csv").write_text(f"image_id,label\n{rows}", encoding="utf-8")
        around = Circumstances(clock=lambda: datetime.now(UTC), rng=rng, who="bench")
        study = init_study(folder / "study", taxonomy="imagenet-1k", around=around)
        try:
            with study.begin() as begun:
                add_test_set(begun, folder / "images.csv", name="images")
                store_truth(begun, Truth(label_sets=(make_labels(rng),)), provenance={})
                for predictions in make_answers(rng):
                    add_predictions(begun, PredictionSource(predictions))
            yield study, folder / "study"
        finally:
            study.close()


def count_all(study: Study) -> int:
    """Everybody's mistakes, and the different answers that nobody has judged."""
    with study.read() as begun:
        return count_mistakes(open_study_mistakes(begun, Selection(labels=["reviewed"]))).n_novel_pairs


def find_one(study: Study) -> int:
    """One participant's mistakes, and who of the others makes each."""
    with study.read() as begun:
        selection = Selection(labels=["reviewed"], participants=["model-0000"])
        return find_mistakes(open_study_mistakes(begun, selection)).n_mistakes


def read_all(folder: Path) -> int:
    """The sum of all stored answers."""
    return sum(int(np.load(path, mmap_mode="r").sum(dtype=np.int64)) for path in (folder / "predictions").glob("*.npy"))


def run() -> Workload:
    with make_study() as (study, folder):
        floor = Variant("sum of the stored answers", partial(read_all, folder), Role.FLOOR, gives="one number")
        counted = [
            Variant("count_mistakes", partial(count_all, study), Role.OURS, gives="mistakes and novel answers of each"),
            floor,
        ]
        found = [
            Variant("find_mistakes of one", partial(find_one, study), Role.OURS, gives="each with who agrees"),
            floor,
        ]
        parts = (
            compare("Mistakes of everybody, counted", counted, clock=time.process_time),
            compare("Mistakes of one, and who else makes each", found, clock=time.process_time),
        )
    return Workload(
        f"Mistakes of {N_PARTICIPANTS:,} participants × {N_IMAGES:,} images",
        f"In a study, under a version of a label set that leaves most classes unjudged. To take less than {SECONDS_LIMIT} s.",
        parts,
    )


if __name__ == "__main__":
    print(run().to_markdown())
