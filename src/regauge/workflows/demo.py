"""The flow on a small drawn benchmark, for a newcomer to see what Regauge does."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from regauge.errors import InputError
from regauge.formats.writers import write_predictions, write_taxonomy, write_truth
from regauge.records.scores import Scores
from regauge.workflows.figures import draw_scores, save_figure
from regauge.workflows.scoring import score
from regauge.world.example import Example, make_example

MARKER = "made-by-regauge-demo.txt"
SHEET_COLUMNS, SHEET_ROWS, SHEET_STEP = 12, 5, 104


@dataclass(frozen=True, slots=True, eq=False)
class Demo:
    """What the demo made.

    Attributes:
        scores: every model on every metric.
        folder: where the files are.
        figure: the drawn scores.
        sheet: some of the drawn images.
        command: the command that computes the same scores from the files.
    """

    scores: Scores
    folder: Path
    figure: Path
    sheet: Path
    command: str


def run_demo(folder: Path, *, rng: np.random.Generator) -> Demo:
    """Draw a benchmark, train models on it, write everything as files, score the files and draw the scores.

    Raises:
        InputError: the folder holds something else.
    """
    claim_folder(folder)
    example = make_example(rng=rng)
    _write(example, folder)
    names = {"truth": "drawn-shapes.jsonl", "taxonomy": "taxonomy.json", "predictions": "predictions"}
    paths = {key: folder / name for key, name in names.items()}
    scores = score(paths["predictions"], paths["truth"], taxonomy=paths["taxonomy"])
    figure = save_figure(draw_scores(scores), folder / "scores.svg")
    save_figure(draw_scores(scores), folder / "scores.html")
    scores.to_frame().write_csv(folder / "scores.csv")
    quoted = {key: shlex.quote(str(path)) for key, path in paths.items()}
    command = f"regauge score {quoted['predictions']} --truth {quoted['truth']} --taxonomy {quoted['taxonomy']}"
    return Demo(scores, folder, figure, folder / "images.png", command)


def claim_folder(folder: Path) -> None:
    """Make the folder, or take one that an earlier demo made; never write into somebody's files."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARKER).is_file():
        raise InputError(f"{folder} is not empty and was not made by the demo; name another folder.")
    try:
        (folder / "predictions").mkdir(parents=True, exist_ok=True)
        (folder / "images").mkdir(exist_ok=True)
        (folder / MARKER).write_text(
            "A simulated benchmark, drawn by `regauge demo`; it may be deleted.\n", encoding="utf-8"
        )
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}.") from error


def _write(example: Example, folder: Path) -> None:
    write_taxonomy(example.taxonomy, folder / "taxonomy.json")
    write_truth(example.test_set, example.label_set, path=folder / "drawn-shapes.jsonl")
    for predictions in example.predictions:
        write_predictions(predictions, folder / "predictions" / f"{predictions.participant}.npz")
    for image_id, image in zip(example.test_set.image_ids.tolist(), example.images, strict=True):
        image.save(folder / "images" / f"{image_id}.png", compress_level=1)
    _make_sheet(example).save(folder / "images.png")


def _make_sheet(example: Example) -> Image.Image:
    """The first images side by side, twice their size."""
    sheet = Image.new("RGB", (SHEET_COLUMNS * SHEET_STEP + 8, SHEET_ROWS * SHEET_STEP + 8), "white")
    for place, image in enumerate(example.images[: SHEET_COLUMNS * SHEET_ROWS]):
        row, column = divmod(place, SHEET_COLUMNS)
        large = image.resize((96, 96), Image.Resampling.BICUBIC)
        sheet.paste(large, (8 + column * SHEET_STEP, 8 + row * SHEET_STEP))
    return sheet
