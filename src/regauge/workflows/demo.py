"""The whole flow on the embedded world, for a newcomer: trained models, two test sets in a study, known truth, an honest gap."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl
from PIL import Image

from regauge.errors import InputError
from regauge.formats.writers import write_predictions, write_taxonomy, write_truth
from regauge.records.labels import Verdict
from regauge.records.predictions import Predictions
from regauge.records.scores import Scores
from regauge.records.shifts import Shift
from regauge.storage.testsets import get_test_set
from regauge.workflows.demo_crowd import CLASSIFY_FILE, CONTAINS_FILE, Asking, Crowd, Scene, ask_crowd, shape_grids
from regauge.workflows.demo_life import begin_running
from regauge.workflows.drawing import DrawingPool, open_drawing_pool
from regauge.workflows.studies import Circumstances, Study, init_study
from regauge.workflows.study_evaluations import Selection, compare, evaluate
from regauge.workflows.study_labels import add_labels
from regauge.workflows.study_predictions import PredictionSource, add_predictions
from regauge.workflows.study_reports import Report, write_report
from regauge.workflows.study_testsets import add_test_set
from regauge.world.collections import Collection, Sizes, World, make_world
from regauge.world.models import N_FILTERS, train_models

ORIGINAL, NEW = "original", "new"
TITLE = "A simulated world, measured twice"
MARKER = "made-by-regauge-demo.txt"
ABOUT = (
    "Everything here is simulated: the pictures are drawn, the models are small ones really trained on such pictures, and the "
    "labels are the truth of the drawing. The new test set comes from a candidate pool whose pictures are slightly harder."
)
SET_UP = timedelta(hours=9)
IMAGE_SIDE = 144
SHEET_COLUMNS, SHEET_ROWS, SHEET_SIDE = 10, 6, 128


@dataclass(frozen=True, slots=True)
class Extent:
    """How large the simulated world is.

    Attributes:
        sizes: how many pictures each collection has.
        n_filters: sizes of the random-patch models; eight plainer models are always there.
        n_asked: images that simulated annotators look at.
    """

    sizes: Sizes
    n_filters: tuple[int, ...]
    n_asked: int = 120


USUAL = Extent(Sizes(training=6_000, original=1_000, pool=3_000), N_FILTERS)
FULL = Extent(Sizes(training=12_000, original=2_000, pool=6_000), (*N_FILTERS, 256, 384), n_asked=400)


@dataclass(frozen=True, slots=True, eq=False)
class Demo:
    """What the demo made.

    Attributes:
        original: every model on the original set, by family too.
        new: every model on the new set, likewise.
        shift: what became of the models on the new set.
        crowd: what simulated annotators found, beside the truth.
        folder: where everything is.
        report: all of it to read.
    """

    original: Scores
    new: Scores
    shift: Shift
    crowd: Crowd
    folder: Path
    report: Report

    @property
    def study(self) -> Path:
        """The study with everything in it."""
        return self.folder / "study"


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A test set of the world and the answers to it."""

    collection: Collection
    predictions: tuple[Predictions, ...]

    @property
    def name(self) -> str:
        """What the study calls the test set."""
        return self.collection.name


def run_demo(folder: Path, *, around: Circumstances, extent: Extent = USUAL, n_processes: int = 1) -> Demo:
    """Draw the world, train its models, put two test sets into a study, evaluate and compare them, write a report.

    The new set comes from the candidate pool: as many images as the original set has, without copies and without images whose
    query was plainly wrong. Where the pool still differs, every model will notice.

    Args:
        folder: where everything goes; new, empty, or made by an earlier demo, whose files are replaced.
        around: clock, user, and the generator that makes this world.
        extent: how large the world is.
        n_processes: how many processes draw; the results do not depend on it.

    Raises:
        InputError: the folder holds something else.
    """
    claim_folder(folder)
    with open_drawing_pool(n_processes, track=around.track) as pool:
        world = make_world(around.rng, sizes=extent.sizes, draw=pool.draw)
        parts = _take_tests(world, extent, rng=around.rng)
        _write(world, parts, folder=folder, pool=pool)
    # The study was made some hours ago, so that its last campaign has a history.
    before = replace(around, clock=lambda: around.clock() - SET_UP)
    study = init_study(folder / "study", taxonomy=world.taxonomy, about=ABOUT, around=before)
    with closing(study), study.begin() as begun:
        _fill(begun, parts, folder=folder)
        scene = Scene({get_test_set(begun, part.name).id: part.collection for part in parts})
        asking = Asking(NEW, ORIGINAL, extent.n_asked)
        crowd = ask_crowd(begun, scene, asking=asking, folder=folder)
        now = replace(begun, around=around)
        begin_running(now, scene, test_set=NEW, controls=ORIGINAL, shape=shape_grids(now, asking))
        original, new = (evaluate(now, Selection(test_set=part.name), by=["family"]).scores for part in parts)
        shift = compare(now, Selection(test_set=ORIGINAL), Selection(test_set=NEW)).shift
        report = write_report(now, folder / "report", title=TITLE)
    return Demo(original, new, shift, crowd, folder, report)


def claim_folder(folder: Path) -> None:
    """Make the folder, or empty one that an earlier demo made or began; never write into somebody's files.

    The marker comes first, so that a demo that was stopped at any moment can be run again.

    Raises:
        InputError: the folder holds something else, or cannot be written.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARKER).is_file():
        raise InputError(f"{folder} is not empty and was not made by the demo; name another folder.")
    own = [folder / kind / name for kind in ("images", "predictions") for name in (ORIGINAL, NEW)]
    stale = [path for path in (*own, folder / "study", folder / "report") if path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKER).write_text(
            "A simulated benchmark, drawn by `regauge demo`; it may be deleted.\n", encoding="utf-8"
        )
        for path in stale:
            shutil.rmtree(path)
        for name in (CONTAINS_FILE, CLASSIFY_FILE):
            (folder / name).unlink(missing_ok=True)
        for path in own:
            path.mkdir(parents=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}.") from error


def _take_tests(world: World, extent: Extent, *, rng: np.random.Generator) -> tuple[_Part, _Part]:
    """Choose the new set, train the models, and let them answer both sets."""
    pool = world.pool
    usable = np.flatnonzero((pool.label_verdicts != Verdict.WRONG) & ~pool.is_copy)
    chosen = np.sort(rng.choice(usable, size=min(len(world.original), len(usable)), replace=False))
    new = pool.choose(chosen, name=NEW)
    zoo = train_models(world.training, rng=rng, n_filters=extent.n_filters)
    on_original, on_new = zoo.predict(world.original, new)
    return _Part(world.original, on_original), _Part(new, on_new)


def _write(world: World, parts: tuple[_Part, ...], *, folder: Path, pool: DrawingPool) -> None:
    """Everything as files that the other commands read, for the newcomer to try them on."""
    write_taxonomy(world.taxonomy, folder / "taxonomy.json")
    for part in parts:
        collection = part.collection
        write_truth(collection.to_test_set(), collection.to_label_set(), path=folder / f"{part.name}.jsonl")
        for predictions in part.predictions:
            write_predictions(predictions, folder / "predictions" / part.name / f"{predictions.participant}.npz")
        _write_images(collection, folder / "images" / part.name, pool)
    _write_pool(world, folder / "pool.csv")
    _make_sheet(parts).save(folder / "images.png")


def _write_images(collection: Collection, folder: Path, pool: DrawingPool) -> None:
    """The images as files beside a table that names them, larger than the models saw them: people look at these."""
    ids, files = collection.image_ids.tolist(), pool.save(collection, folder, side=IMAGE_SIDE)
    table = pl.DataFrame({"image_id": ids, "label": collection.labels, "file": files})
    table.write_csv(folder / "images.csv")


def _write_pool(world: World, path: Path) -> None:
    """The candidate pool as one gathers it: by which query each image was found, and when; not what is in it."""
    pool = world.pool
    columns = {
        "image_id": pool.image_ids.tolist(),
        "class": [world.taxonomy.classes[label].id for label in pool.labels.tolist()],
        "query": pool.queries.tolist(),
        "taken_on": pool.taken_on,
        "uploaded_on": pool.uploaded_on,
    }
    pl.DataFrame(columns).write_csv(path)


def _fill(study: Study, parts: tuple[_Part, ...], *, folder: Path) -> None:
    """Put the files into the study; the names of the label sets say that they are simulated, wherever a score is shown."""
    for part in parts:
        add_test_set(study, folder / "images" / part.name / "images.csv", name=part.name)
        add_labels(study, folder / f"{part.name}.jsonl", name=f"simulated-{part.name}")
        add_predictions(study, PredictionSource(folder / "predictions" / part.name), test_set=part.name)


def _make_sheet(parts: tuple[_Part, ...]) -> Image.Image:
    """Images of the original set above images of the new one."""
    sheet = Image.new("RGB", (SHEET_COLUMNS * SHEET_SIDE, SHEET_ROWS * SHEET_SIDE), "white")
    per_part = SHEET_COLUMNS * SHEET_ROWS // len(parts)
    images = [part.collection.draw(row, SHEET_SIDE) for part in parts for row in range(per_part)]
    for place, image in enumerate(images):
        row, column = divmod(place, SHEET_COLUMNS)
        sheet.paste(image, (column * SHEET_SIDE, row * SHEET_SIDE))
    return sheet
