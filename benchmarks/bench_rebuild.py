"""Rebuilding a test set: adding candidates, drawing, the gap, telling sets apart and planning, against floors and peers."""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.harness import N_THREADS, Role, Variant, Workload, compare, find_peer
from regauge.arrays import BoolArray, CountArray
from regauge.evaluation.gaps import split_gap
from regauge.evaluation.planning import Simulator
from regauge.evaluation.two_sample import compare_features
from regauge.records.evaluation.gaps import N_GAP_SAMPLES, GapReport
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.records.evaluation.planning import PlanSettings, StudyDesign
from regauge.records.evaluation.two_sample import TwoSampleSettings
from regauge.records.testsets.features import Features
from regauge.records.testsets.sampling import N_BINS, Draw, PoolCandidates, SamplingPlan, Strategy, find_bins
from regauge.stats.two_sample import find_components
from regauge.testsets.sampling import Original, count_bins, sample
from regauge.workflows.evaluation.planning import make_plan
from regauge.workflows.pools.pool import BatchRequest, add_batch, prepare_batch
from regauge.workflows.studies.study import Circumstances, init_study

SEED = 2019
N_ROUNDS = 3

N_POOL = 100_000
N_POOL_ROUNDS = 1
SIDE = 32
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")

N_CANDIDATES = 200_000
N_DRAW_CLASSES = 1_000
PER_CLASS = 10

N_MODELS = 14
N_ORIGINAL = 20_000
N_NEW = 10_000
N_GAP_POOL = 50_000
N_ANNOTATORS = 10
N_LOOPS = 100

N_IMAGES = 10_000
N_FEATURES = 2_048
N_PERMUTATIONS = 199
N_FOLDS = 5
N_VALIDATED = 2
"""Permutations for which a peer is run."""

PLAN = PlanSettings()


# Adding candidates


def write_images(folder: Path) -> Path:
    """Small pictures of noise in class folders, all different."""
    rng = np.random.default_rng(SEED)
    for index, name in enumerate(CLASSES):
        (folder / name).mkdir(parents=True)
        for number in range(index, N_POOL, len(CLASSES)):
            coarse = Image.fromarray(rng.integers(0, 256, (4, 4, 3), dtype=np.uint8))
            coarse.resize((SIDE, SIDE)).save(folder / name / f"{number:06d}.jpg")
    return folder


def add_pool(images: Path, folders: Iterator[Path]) -> None:
    """A new study gets all images, hashed, decoded and compared with each other."""
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(SEED), who="benchmark")
    study = init_study(next(folders), taxonomy="cifar-10", around=around)
    try:
        with study.read() as begun:
            prepared = prepare_batch(begun, images, request=BatchRequest())
        with study.begin() as begun:
            added = add_batch(begun, prepared)
        if added.entry.batch.n_images != N_POOL:
            raise RuntimeError("Not all images were added.")
    finally:
        study.close()


def read_images(images: Path, look: Callable[[bytes], object]) -> int:
    """Every file is read and looked at, one after the other."""
    n = 0
    for path in images.rglob("*.jpg"):
        look(path.read_bytes())
        n += 1
    return n


def decode(content: bytes) -> str:
    """The SHA-256 of the file and that of the picture in it."""
    with Image.open(io.BytesIO(content)) as picture:
        pixels = picture.convert("RGB").tobytes()
    return hashlib.sha256(content).hexdigest() + hashlib.sha256(pixels).hexdigest()


def compare_adding(folder: Path) -> str:
    images = write_images(folder / "images")
    folders = (folder / f"study-{number}" for number in count())
    add = partial(add_pool, images, folders)
    variants = [
        Variant("pool add", add, Role.OURS, n_threads=N_THREADS, gives="a pool without exact duplicates"),
        Variant("read, SHA-256, decode with Pillow", partial(read_images, images, decode), Role.FLOOR, gives="hashes"),
        Variant(
            "read and SHA-256",
            partial(read_images, images, lambda content: hashlib.sha256(content).digest()),
            Role.FLOOR,
            gives="hashes of files",
        ),
    ]
    heading = f"Adding {N_POOL:,} images of {SIDE} × {SIDE} to the pool of a new study"
    return compare(heading, variants, n_rounds=N_POOL_ROUNDS)


# Drawing


def make_pool() -> tuple[PoolCandidates, Original]:
    """Candidates of a thousand classes with ten votes each, and histograms of better images."""
    rng = np.random.default_rng(SEED)
    n_selected = rng.binomial(N_ANNOTATORS, rng.beta(1.0, 0.7, N_CANDIDATES))
    pool = PoolCandidates(
        image_ids=np.array([f"{number:06d}" for number in range(N_CANDIDATES)]),
        classes=(np.arange(N_CANDIDATES) % N_DRAW_CLASSES).astype(np.int32),
        n_shown=np.full(N_CANDIDATES, N_ANNOTATORS),
        n_selected=n_selected,
        exclusions=np.full(N_CANDIDATES, ""),
        keywords=np.full(N_CANDIDATES, ""),
    )
    n_original = 20 * N_DRAW_CLASSES
    votes = rng.binomial(N_ANNOTATORS, rng.beta(3.0, 1.0, n_original))
    classes = (np.arange(n_original) % N_DRAW_CLASSES).astype(np.int32)
    shown = np.full(n_original, N_ANNOTATORS)
    return pool, Original(count_bins(classes, n_shown=shown, n_selected=votes))


def draw_plainly(pool: PoolCandidates, quotas: Mapping[int, CountArray]) -> list[CountArray]:
    """So many of every class and bin: sorted once, then `choice`; without upward sampling, ids, reasons or a record."""
    rng = np.random.default_rng(SEED)
    cells = pool.classes.astype(np.int64) * N_BINS + find_bins(pool.n_shown, pool.n_selected)
    order = np.argsort(cells, kind="stable")
    ends = np.searchsorted(cells[order], np.arange(N_DRAW_CLASSES * N_BINS + 1))
    taken = []
    for index, wanted in quotas.items():
        for number, n in enumerate(wanted.tolist()):
            members = order[ends[N_BINS * index + number] : ends[N_BINS * index + number + 1]]
            taken.append(rng.choice(members, min(n, members.size), replace=False))
    return taken


def compare_drawing() -> str:
    pool, original = make_pool()

    def draw(strategy: Strategy) -> Draw:
        return sample(pool, SamplingPlan(strategy, per_class=PER_CLASS, seed=SEED), original=original)

    drawn = draw(Strategy.MATCHED_FREQUENCY)
    bins = find_bins(drawn.n_shown, drawn.n_selected)
    quotas = {index: np.bincount(bins[drawn.classes == index], minlength=N_BINS) for index in range(N_DRAW_CLASSES)}
    if sum(map(len, draw_plainly(pool, quotas))) != len(drawn):
        raise RuntimeError("The floor draws another number of images.")
    others = {Strategy.THRESHOLD: "a draw above 0.7", Strategy.TOP_IMAGES: "a draw of the best"}
    variants = [
        Variant("matched-frequency", partial(draw, Strategy.MATCHED_FREQUENCY), Role.OURS, gives="a draw"),
        *(Variant(one.value, partial(draw, one), Role.OURS, gives=gives) for one, gives in others.items()),
        Variant("NumPy sort and choice", partial(draw_plainly, pool, quotas), Role.FLOOR, gives="rows alone"),
    ]
    return compare(f"{len(drawn):,} of {N_CANDIDATES:,} candidates", variants)


# The gap


def judge(name: str, rng: np.random.Generator, *, n: int, harder: float) -> JudgedSet:
    """Models that are right the more often, the more people saw the class."""
    frequencies = rng.beta(3.0, 1.0, n)
    skills = np.linspace(-1.0, 1.0, N_MODELS)[:, np.newaxis]
    right: BoolArray = rng.random((N_MODELS, n)) < 1 / (1 + np.exp(harder - skills - 2 * frequencies))
    models = tuple(f"model-{number}" for number in range(N_MODELS))
    votes = rng.binomial(N_ANNOTATORS, frequencies)
    return JudgedSet(name, np.arange(n).astype(np.str_), np.full(n, N_ANNOTATORS), votes, models, right)


def loop(original: JudgedSet, new: JudgedSet) -> CountArray:
    """The raw gap of redrawn images, sample after sample; frequencies play no part."""
    rng = np.random.default_rng(SEED)
    sets = [one.is_correct.T.copy() for one in (original, new)]
    draws = [[rows[rng.integers(len(rows), size=len(rows))].mean(axis=0) for rows in sets] for _ in range(N_LOOPS)]
    return np.array([first - second for first, second in draws])


def compare_gap() -> str:
    rng = np.random.default_rng(SEED)
    original, new = judge("original", rng, n=N_ORIGINAL, harder=0.0), judge("new", rng, n=N_NEW, harder=0.3)
    pool = CandidateCounts(
        np.full(N_GAP_POOL, N_ANNOTATORS), rng.binomial(N_ANNOTATORS, rng.beta(1.0, 0.7, N_GAP_POOL))
    )

    def split() -> GapReport:
        return split_gap(original, new, pool=pool)

    variants = [
        Variant("split_gap", split, Role.OURS, gives="two methods, bins, frequencies"),
        Variant(
            "NumPy rows[draws].mean() loop",
            partial(loop, original, new),
            Role.FLOOR,
            fraction=N_LOOPS / N_GAP_SAMPLES,
            gives="the raw gap alone",
        ),
    ]
    heading = (
        f"{N_GAP_SAMPLES:,} samples, {N_MODELS} models × ({N_ORIGINAL:,} + {N_NEW:,}) images, {N_GAP_POOL:,} candidates"
    )
    return compare(heading, variants, n_rounds=N_ROUNDS)


# Two sets of features


def make_features() -> tuple[Features, Features]:
    """Features with a few strong directions and many weak ones, the second set a little elsewhere."""
    rng = np.random.default_rng(SEED)
    scales = (1 / np.sqrt(1 + np.arange(N_FEATURES))).astype(np.float32)
    turn = np.linalg.qr(rng.standard_normal((N_FEATURES, N_FEATURES)))[0].astype(np.float32)
    found = []
    for name, shift in (("old", 0.0), ("new", 0.03)):
        values = (rng.standard_normal((N_IMAGES, N_FEATURES), np.float32) + np.float32(shift)) * scales @ turn
        found.append(Features(name, np.array([f"{name}{row}" for row in range(N_IMAGES)]), values))
    return found[0], found[1]


def list_two_sample_peers(first: Features, second: Features, n_components: int) -> list[Variant]:
    """Scikit-learn's logistic regression, cross-validated on the same components."""
    selection, linear = find_peer("sklearn.model_selection"), find_peer("sklearn.linear_model")
    if selection is None or linear is None:
        return []
    rng = np.random.default_rng(SEED)
    labels = np.repeat([0, 1], N_IMAGES)
    components = find_components(np.concatenate([first.values, second.values]), n_components=n_components, rng=rng)

    def validate(design: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> object:
        return selection.cross_val_score(
            linear.LogisticRegression(max_iter=200), design, labels, cv=N_FOLDS, scoring="roc_auc"
        )

    def begin() -> object:
        values = np.concatenate([first.values, second.values])
        return validate(find_components(values, n_components=n_components, rng=np.random.default_rng(SEED)))

    def permute() -> object:
        return [validate(rng.permutation(components)) for _ in range(N_VALIDATED)]

    name = "scikit-learn LogisticRegression, cross_val_score"
    return [
        Variant(f"{name} once, our components", begin, n_threads=N_THREADS, gives="AUC, no p-value"),
        Variant(
            f"{name} for every permutation",
            permute,
            n_threads=N_THREADS,
            fraction=N_VALIDATED / (1 + N_PERMUTATIONS),
            gives="AUC and p-value, components not counted",
        ),
    ]


def compare_two_samples() -> str:
    first, second = make_features()
    settings = TwoSampleSettings(n_permutations=N_PERMUTATIONS, n_folds=N_FOLDS)

    def tell() -> object:
        return compare_features(first, second, classes=None, settings=settings)

    peers = list_two_sample_peers(first, second, settings.n_components)
    variants = [
        Variant("compare_features", tell, Role.OURS, n_threads=N_THREADS, gives="AUC, p-value, likeness of images"),
        *peers,
    ]
    heading = f"{N_IMAGES:,} + {N_IMAGES:,} images, {N_FEATURES:,} features, {N_PERMUTATIONS} permutations"
    return compare(heading, variants, missing=[] if peers else ["scikit-learn"], n_rounds=N_ROUNDS)


# Planning


def simulate() -> int:
    """All studies of the plan, drawn and answered, and nothing measured on them."""
    rng = np.random.default_rng(SEED)
    n = 0
    for annotators in PLAN.annotators:
        simulator = Simulator.make(StudyDesign(), annotators)
        for per_class in PLAN.per_class:
            for _ in range(PLAN.n_studies):
                n += simulator.run(per_class, 2 * per_class, rng=rng).new_right.size
    return n


def compare_planning() -> str:
    variants = [
        Variant("plan", partial(make_plan, StudyDesign(), PLAN), Role.OURS, gives="intervals, hours, price"),
        Variant("the same studies simulated alone", simulate, Role.FLOOR, gives="no interval, no price"),
    ]
    n_points = len(PLAN.annotators) * len(PLAN.per_class)
    return compare(f"{n_points} combinations, {PLAN.n_studies} studies each", variants, n_rounds=N_ROUNDS)


def run() -> Workload:
    with tempfile.TemporaryDirectory() as folder:
        adding = compare_adding(Path(folder))
    return Workload(
        "Rebuilding a test set",
        "From gathered images to what the gap says. Floors do the part of the job that nobody can leave out.",
        (adding, compare_drawing(), compare_gap(), compare_two_samples(), compare_planning()),
    )


if __name__ == "__main__":
    print(run().to_markdown())
