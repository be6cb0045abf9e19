"""The whole flow on the embedded world, for a newcomer: trained models, a test set rebuilt by three strategies, an honest gap."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from PIL import Image

from regauge.errors import InputError
from regauge.formats.exports.taxonomies import write_taxonomy
from regauge.formats.exports.writers import write_predictions, write_truth
from regauge.records.cells import write_csv
from regauge.records.evaluation.gaps import GapReport
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import Shift
from regauge.records.labels.label_set import Truth
from regauge.records.predictions import Predictions
from regauge.records.site import SitePictures, SiteSettings
from regauge.records.studies import Selection
from regauge.report.gap_parts import summarise_gap
from regauge.storage.study import Circumstances, Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.demo.coding import CodingFindings, CodingQuestions, code_alone, code_mistakes
from regauge.workflows.demo.crowd import (
    CLASSIFY_FILE,
    CONTAINS_FILE,
    CrowdFindings,
    CrowdQuestions,
    DemoCollections,
    ask_crowd,
    shape_grids,
)
from regauge.workflows.demo.life import begin_running
from regauge.workflows.demo.looking import look_for_more
from regauge.workflows.demo.panel import PanelFindings, PanelQuestions, hold_panel
from regauge.workflows.demo.people import PeopleFindings, PeopleQuestions, ask_people
from regauge.workflows.demo.rebuild import (
    PAIRS_FILE,
    POOL,
    STRATEGIES,
    add_pool,
    ask_about_pool,
    draw_tests,
    write_pool,
)
from regauge.workflows.demo.rendering import RenderingPool, open_rendering_pool
from regauge.workflows.demo.review import (
    PLAN_FILE,
    REVIEWED,
    ReviewFindings,
    ReviewQuestions,
    ask_experts,
    choose_best,
)
from regauge.workflows.demo.slices import SliceFindings, SliceQuestions, make_slice
from regauge.workflows.evaluation.evaluations import compare, evaluate
from regauge.workflows.exports.site import export_site
from regauge.workflows.exposure.recording import learn_exposures
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.reports.report import Report, gather_report, record_report, write_report_files
from regauge.workflows.studies.study import init_study
from regauge.workflows.testsets.test_set import add_test_set
from regauge.world.collections import Collection, Sizes, World, make_world
from regauge.world.features import PatchFilters
from regauge.world.models import N_FILTERS, choose_filters, train_with_filters

ORIGINAL, NEW = "original", "new"
TITLE = "A simulated world, measured twice"
SITE = "site"
MARKER = "made-by-regauge-demo.txt"
ABOUT = (
    "Everything here is simulated: the pictures are drawn, the models are small ones really trained on such pictures, and the "
    "labels are the truth of the drawing. The new test sets were drawn by three strategies from a pool of candidates, whose "
    "pictures are slightly harder."
)
SET_UP = timedelta(hours=9)
IMAGE_SIDE = 144
SHEET_COLUMNS, SHEET_ROWS, SHEET_SIDE = 10, 6, 128


_Answers: TypeAlias = Mapping[str, tuple[Predictions, ...]]
"""What all models answer, by the name of the collection."""


@dataclass(frozen=True, slots=True)
class WorldSize:
    """How large the simulated world is.

    Attributes:
        sizes: how many pictures each collection has.
        n_filters: sizes of the random-patch models; eight plainer models are always there.
        n_asked: images that simulated annotators look at.
        n_reviewed: images that simulated experts review.
        n_per_class: images of each class of two sets that simulated people are tested on.
        n_discussed: images that no expert reviewed, on which a simulated panel looks at the best model's mistakes.
    """

    sizes: Sizes
    n_filters: tuple[int, ...]
    n_asked: int = 120
    n_reviewed: int = 80
    n_per_class: int = 5
    n_discussed: int = 120


USUAL = WorldSize(Sizes(training=6_000, original=1_000, pool=3_000), N_FILTERS)
FULL = WorldSize(
    Sizes(training=12_000, original=2_000, pool=6_000),
    (*N_FILTERS, 256, 384),
    n_asked=400,
    n_reviewed=300,
    n_per_class=10,
    n_discussed=400,
)


@dataclass(frozen=True, slots=True, eq=False)
class Demo:
    """What the demo made.

    Attributes:
        original: every model on the original set, by family too.
        new: every model on the new set that matches its selection frequencies, likewise.
        shift: what became of the models on that set.
        others: the same for the sets that other strategies drew.
        gaps: per new set, what selection explains of the drop.
        crowd: what simulated annotators found, beside the truth.
        review: what simulated experts found, and what that settles.
        panel: what simulated panelists decided on the best model's novel mistakes, and what talking changed.
        coding: what simulated coders say of what that model still gets wrong.
        major: the slice of major mistakes, and who gets what of it right.
        people: how simulated people did in a test, beside how good they really are.
        folder: where everything is.
        report: all of it to read; a website to browse stands beside it.
    """

    original: Scores
    new: Scores
    shift: Shift
    others: tuple[Shift, ...]
    gaps: tuple[GapReport, ...]
    crowd: CrowdFindings
    review: ReviewFindings
    panel: PanelFindings
    coding: CodingFindings
    major: SliceFindings
    people: PeopleFindings
    folder: Path
    report: Report

    @property
    def rebuilt(self) -> tuple[str, ...]:
        """Per new set, the gap and its parts in a line."""
        return tuple(map(summarise_gap, self.gaps))

    @property
    def study(self) -> Path:
        """The study with everything in it."""
        return self.folder / "study"

    @property
    def site(self) -> Path:
        """The first page of the website."""
        return self.folder / SITE / "index.html"


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A test set of the world and the answers to it."""

    collection: Collection
    predictions: tuple[Predictions, ...]

    @property
    def name(self) -> str:
        """What the study calls the test set."""
        return self.collection.name


def run_demo(folder: Path, *, around: Circumstances, extent: WorldSize = USUAL, n_processes: int = 1) -> Demo:
    """Draw the world, train its models, rebuild its test set in a study, evaluate and compare all sets, write a report.

    The new sets are drawn from the pool of candidates by what simulated annotators found in them, as Recht et al. (2019) drew
    theirs. Where the pool still differs, every model will notice.

    Args:
        folder: where everything goes; new, empty, or made by an earlier demo, whose files are replaced.
        around: clock, user, and the generator that makes this world.
        extent: how large the world is.
        n_processes: how many processes draw; the results do not depend on it.

    Raises:
        InputError: the folder holds something else.
    """
    claim_folder(folder)
    with open_rendering_pool(n_processes, track=around.track) as pool:
        world = make_world(around.rng, sizes=extent.sizes, render=pool.render)
        filters = choose_filters(world.training, rng=around.rng, n_filters=extent.n_filters)
        _write(world, folder=folder, pool=pool)
        # Models are trained while people look at the pool: which of it is drawn does not depend on them.
        answers = pool.begin(partial(_answer, world, filters, n_filters=extent.n_filters))
        return _study(folder, world, answers, around=around, extent=extent)


def _study(
    folder: Path, world: World, answers: Callable[[], _Answers], *, around: Circumstances, extent: WorldSize
) -> Demo:
    """Everything that is done in the study; the answers are asked for when they are needed."""
    # The study was made some hours ago, so that its last campaign has a history.
    before = replace(around, clock=lambda: around.clock() - SET_UP)
    study = init_study(folder / "study", taxonomy=world.taxonomy, about=ABOUT, around=before)
    with closing(study), study.begin() as begun:
        scene, parts = _rebuild(begun, world, answers, folder=folder)
        asking = CrowdQuestions(NEW, ORIGINAL, extent.n_asked)
        crowd = ask_crowd(begun, scene, asking=asking, folder=folder)
        now = replace(begun, around=around)
        begin_running(now, scene, test_set=NEW, controls=ORIGINAL, shape=shape_grids(now, asking))
        reviewing = ReviewQuestions(NEW, f"simulated-{ORIGINAL}", extent.n_reviewed)
        review = ask_experts(begun, scene, asking=reviewing, folder=folder)
        scores = [evaluate(now, Selection(test_set=part.name), by=["family"]).scores for part in parts]
        shifts = [compare(now, Selection(test_set=ORIGINAL), Selection(test_set=part.name)).shift for part in parts[1:]]
        # People answer few of the images, so they stand in tables of their own.
        people = ask_people(begun, scene, asking=PeopleQuestions(ORIGINAL, NEW, extent.n_per_class))
        panel, coding, major = _look_at_mistakes(begun, scene, extent=extent)
        learn_exposures(now)
        content = gather_report(now, title=TITLE)
        report = write_report_files(now, content, folder=folder / "report")
        record_report(now, report)
        export_site(now, folder / SITE, settings=SiteSettings(pictures=SitePictures.THUMBNAILS, title=TITLE))
    gaps = tuple(part.gap for part in content.comparisons if part.gap is not None)
    others = tuple(shifts[1:])
    found = (crowd, review, panel, coding, major, people)
    return Demo(scores[0], scores[1], shifts[0], others, gaps, *found, folder, report)


def _look_at_mistakes(
    study: Study, scene: DemoCollections, *, extent: WorldSize
) -> tuple[PanelFindings, CodingFindings, SliceFindings]:
    """A panel judges what is novel of the best model's mistakes, coders look at what remains, and the major ones make a slice."""
    best, *models = choose_best(study, NEW, n=3)
    panel = hold_panel(study, scene, asking=PanelQuestions(NEW, REVIEWED, best, extent.n_discussed))
    asked = CodingQuestions(NEW, panel.labels, best)
    coding = code_mistakes(study, scene, asking=asked)
    code = partial(code_alone, study, scene, asking=asked)
    look = partial(look_for_more, study, scene, test_set=NEW, labels=panel.labels)
    slicing = SliceQuestions(NEW, panel.labels, best, tuple(models))
    major = make_slice(study, scene, asking=slicing, code=code, look=look)
    return panel, coding, major


def claim_folder(folder: Path) -> None:
    """Make the folder, or empty one that an earlier demo made or began; never write into somebody's files.

    The marker comes first, so that a demo that was stopped at any moment can be run again.

    Raises:
        InputError: the folder holds something else, or cannot be written.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARKER).is_file():
        raise InputError(f"{folder} is not empty and was not made by the demo; name another folder.")
    own = [folder / "images" / name for name in (ORIGINAL, POOL)]
    own += [folder / "predictions" / name for name in (ORIGINAL, *STRATEGIES)]
    stale = [path for path in (*own, folder / "study", folder / "report", folder / SITE) if path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKER).write_text(
            "A simulated benchmark, drawn by `regauge demo`; it may be deleted.\n", encoding="utf-8"
        )
        for path in stale:
            shutil.rmtree(path)
        for name in (CONTAINS_FILE, CLASSIFY_FILE, PAIRS_FILE, PLAN_FILE, *(f"{drawn}.jsonl" for drawn in STRATEGIES)):
            (folder / name).unlink(missing_ok=True)
        for path in own:
            path.mkdir(parents=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}.") from error


def _answer(world: World, filters: PatchFilters, *, n_filters: tuple[int, ...]) -> _Answers:
    """Train the models, and let them answer the original set and all candidates."""
    zoo = train_with_filters(world.training, filters, n_filters=n_filters)
    return dict(zip((ORIGINAL, POOL), zoo.predict(world.original, world.pool), strict=True))


def _write(world: World, *, folder: Path, pool: RenderingPool) -> None:
    """Pictures and what is known of them as files that the other commands read, for the newcomer to try them on."""
    write_taxonomy(world.taxonomy, folder / "taxonomy.json")
    ids, labels = world.original.image_ids.tolist(), world.original.labels
    files = pool.save(world.original, folder / "images" / ORIGINAL, side=IMAGE_SIDE)
    write_csv(
        pl.DataFrame({"image_id": ids, "label": labels, "file": files}), folder / "images" / ORIGINAL / "images.csv"
    )
    candidates = pool.save(world.pool, folder / "images" / POOL, side=IMAGE_SIDE)
    write_pool(world, folder, files=[f"images/{POOL}/{file}" for file in candidates])
    _make_sheet((world.original, world.pool)).save(folder / "images.png")


def _write_part(part: _Part, folder: Path) -> None:
    collection = part.collection
    truth = Truth(collection.to_test_set(), (collection.to_label_set(),))
    write_truth(truth, path=folder / f"{part.name}.jsonl")
    for predictions in part.predictions:
        write_predictions(predictions, folder / "predictions" / part.name / f"{predictions.participant}.npz")


def _rebuild(
    study: Study, world: World, answers: Callable[[], _Answers], *, folder: Path
) -> tuple[DemoCollections, tuple[_Part, ...]]:
    """Put the original and the pool into the study, ask people, and draw the new sets; all models answered all candidates."""
    add_test_set(study, folder / "images" / ORIGINAL / "images.csv", name=ORIGINAL)
    add_pool(study, folder)
    seen = {ORIGINAL: world.original, POOL: world.pool}
    ask_about_pool(study, _see(study, seen), original=ORIGINAL)
    drawn = draw_tests(study, world.pool, original=ORIGINAL)
    found = answers()
    parts = [_Part(world.original, found[ORIGINAL])]
    parts += [_Part(one.collection, _choose(found[POOL], world.pool, one.collection)) for one in drawn]
    for part in parts:
        _write_part(part, folder)
        # The names of the label sets say that they are simulated, wherever a score is shown.
        add_labels(study, folder / f"{part.name}.jsonl", name=f"simulated-{part.name}")
        add_predictions(study, PredictionSource(folder / "predictions" / part.name), test_set=part.name)
    return _see(study, {**seen, **{one.name: one.collection for one in drawn}}), tuple(parts)


def _see(study: Study, collections: dict[str, Collection]) -> DemoCollections:
    return DemoCollections({get_test_set(study, name).id: collection for name, collection in collections.items()})


def _choose(answers: tuple[Predictions, ...], pool: Collection, chosen: Collection) -> tuple[Predictions, ...]:
    """The answers to some of the candidates."""
    row_of = {image_id: row for row, image_id in enumerate(pool.image_ids.tolist())}
    rows = np.array([row_of[one] for one in chosen.image_ids.tolist()], np.int64)
    return tuple(one.choose(rows) for one in answers)


def _make_sheet(collections: tuple[Collection, ...]) -> Image.Image:
    """Images of the original set above candidates."""
    sheet = Image.new("RGB", (SHEET_COLUMNS * SHEET_SIDE, SHEET_ROWS * SHEET_SIDE), "white")
    per_part = SHEET_COLUMNS * SHEET_ROWS // len(collections)
    images = [one.render(row, SHEET_SIDE) for one in collections for row in range(per_part)]
    for place, image in enumerate(images):
        row, column = divmod(place, SHEET_COLUMNS)
        sheet.paste(image, (column * SHEET_SIDE, row * SHEET_SIDE))
    return sheet
