"""The whole flow on the embedded world, inside a study: two test sets, trained models, known truth, an honest gap."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from regauge.formats.writers import write_truth
from regauge.records.arrays import CountArray
from regauge.records.labels import LabelSet, Verdict
from regauge.records.predictions import Predictions
from regauge.records.scores import Scores
from regauge.records.shifts import Shift
from regauge.records.testsets import TestSet
from regauge.workflows.demo import claim_folder
from regauge.workflows.figures import draw_scores, draw_shift, save_figure
from regauge.workflows.studies import Circumstances, Study, init_study
from regauge.workflows.study_evaluations import Selection, compare, evaluate
from regauge.workflows.study_labels import add_labels
from regauge.workflows.study_predictions import PredictionSource, add_predictions
from regauge.workflows.study_testsets import add_test_set
from regauge.world.collections import Collection, Sizes, make_world
from regauge.world.models import train_models

ORIGINAL, NEW = "original", "new"
SHEET_COLUMNS, SHEET_ROWS, SHEET_SIDE = 10, 6, 128


@dataclass(frozen=True, slots=True, eq=False)
class WorldDemo:
    """What the demo made.

    Attributes:
        scores: every model on the original set.
        shift: what became of the models on the new set.
        folder: where everything is.
        study: the study inside it.
    """

    scores: Scores
    shift: Shift
    folder: Path
    study: Path


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A test set of the world with its truth and the answers to it."""

    test_set: TestSet
    label_set: LabelSet
    predictions: tuple[Predictions, ...]
    images: tuple[Image.Image, ...]


def run_world_demo(folder: Path, *, around: Circumstances, sizes: Sizes | None = None) -> WorldDemo:
    """Draw the world, train its models, put two test sets into a study, evaluate and compare them, draw both.

    The new set is drawn from the candidate pool: as many images as the original set has, without copies and without
    images whose query was plainly wrong. Where the pool still differs, every model will notice.

    Raises:
        InputError: the folder holds something else.
    """
    claim_folder(folder)
    world = make_world(around.rng, sizes=sizes)
    zoo = train_models(world.training, rng=around.rng)
    on_original, on_pool = zoo.predict(world.original, world.pool)
    chosen = _choose_rows(world.pool, len(world.original), rng=around.rng)
    parts = (
        _make_part(ORIGINAL, world.original, np.arange(len(world.original)), on_original),
        _make_part(NEW, world.pool, chosen, on_pool),
    )
    _make_sheet(parts).save(folder / "images.png")
    shutil.rmtree(folder / "study", ignore_errors=True)
    study = init_study(folder / "study", taxonomy=world.taxonomy, around=around)
    try:
        scores, shift = _fill(study, folder, parts)
    finally:
        study.close()
    _draw(scores, shift, folder)
    return WorldDemo(scores, shift, folder, folder / "study")


def _choose_rows(pool: Collection, n: int, *, rng: np.random.Generator) -> CountArray:
    usable = np.flatnonzero((pool.label_verdicts != Verdict.WRONG) & ~pool.is_copy)
    return np.sort(rng.choice(usable, size=min(n, len(usable)), replace=False))


def _make_part(name: str, collection: Collection, rows: CountArray, answers: tuple[Predictions, ...]) -> _Part:
    ids, labels, verdicts = collection.image_ids[rows], collection.labels[rows], collection.verdicts[rows]
    lists = {verdict: [np.flatnonzero(row == verdict).tolist() for row in verdicts] for verdict in Verdict}
    label_set = LabelSet.from_lists(
        name,
        ids,
        correct=lists[Verdict.CORRECT],
        unclear=lists[Verdict.UNCLEAR],
        wrong=lists[Verdict.WRONG],
        is_problematic=(collection.label_verdicts[rows] == Verdict.WRONG).tolist(),
        main_labels=collection.main_labels[rows].tolist(),
    )
    kept = tuple(
        Predictions(one.participant, ids, one.classes[rows], None if one.scores is None else one.scores[rows])
        for one in answers
    )
    images = tuple(Image.fromarray(collection.images[row]) for row in rows)
    return _Part(TestSet(name, ids, labels), label_set, kept, images)


def _fill(study: Study, folder: Path, parts: tuple[_Part, ...]) -> tuple[Scores, Shift]:
    with study.begin() as begun:
        for part in parts:
            name = part.test_set.name
            table = _write_images(part, folder / "images" / name)
            add_test_set(begun, table, name=name)
            write_truth(part.test_set, part.label_set, path=folder / f"{name}.jsonl")
            add_labels(begun, folder / f"{name}.jsonl", name=f"{name}-truth")
            add_predictions(begun, PredictionSource(part.predictions), test_set=name)
        scores = evaluate(begun, Selection(test_set=ORIGINAL), by=["family"]).scores
        shift = compare(begun, Selection(test_set=ORIGINAL), Selection(test_set=NEW))
    return scores, shift


def _write_images(part: _Part, folder: Path) -> Path:
    """The images as files beside a table that names them."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["image_id,label,file"]
    rows = zip(part.test_set.image_ids.tolist(), part.test_set.labels.tolist(), part.images, strict=True)
    for image_id, label, image in rows:
        image.save(folder / f"{image_id}.png", compress_level=1)
        lines.append(f"{image_id},{label},{image_id}.png")
    table = folder / "images.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return table


def _draw(scores: Scores, shift: Shift, folder: Path) -> None:
    for name, figure in (("scores", draw_scores(scores)), ("shift", draw_shift(shift))):
        save_figure(figure, folder / f"{name}.svg")
        save_figure(figure, folder / f"{name}.html")
    scores.to_frame().write_csv(folder / "scores.csv")
    shift.to_frame().write_csv(folder / "shift.csv")


def _make_sheet(parts: tuple[_Part, ...]) -> Image.Image:
    """Images of the original set above images of the new one."""
    sheet = Image.new("RGB", (SHEET_COLUMNS * SHEET_SIDE, SHEET_ROWS * SHEET_SIDE), "white")
    per_part = SHEET_COLUMNS * SHEET_ROWS // len(parts)
    images = [image for part in parts for image in part.images[:per_part]]
    for place, image in enumerate(images):
        row, column = divmod(place, SHEET_COLUMNS)
        large = image.resize((SHEET_SIDE, SHEET_SIDE), Image.Resampling.LANCZOS)
        sheet.paste(large, (column * SHEET_SIDE, row * SHEET_SIDE))
    return sheet
