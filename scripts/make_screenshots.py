"""Renew the pictures that README.md shows: scores of the demo, and some of the simulated world."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from PIL import Image

import regauge
from regauge.workflows.demo import run_demo
from regauge.workflows.drawing import count_processors
from regauge.workflows.studies import Circumstances
from regauge.world.collections import Sizes, make_world

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
N_COLUMNS, N_ROWS, SIDE = 12, 4, 112
N_COLOURS = 64


def draw_world() -> Image.Image:
    """Pictures of the simulated world side by side."""
    pictures = make_world(
        np.random.default_rng(3), sizes=Sizes(training=64, original=N_COLUMNS * N_ROWS, pool=64)
    ).original
    sheet = Image.new("RGB", (N_COLUMNS * SIDE, N_ROWS * SIDE), "white")
    for row in range(N_COLUMNS * N_ROWS):
        y, x = divmod(row, N_COLUMNS)
        sheet.paste(pictures.draw(row, SIDE), (x * SIDE, y * SIDE))
    return sheet


def draw_demo_scores(path: Path) -> None:
    """Run the demo and draw its scores on the original set; few colours are enough for a figure."""
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        demo = run_demo(Path(folder) / "demo", around=around, n_processes=count_processors())
    regauge.save_figure(regauge.draw_scores(demo.original), path)
    with Image.open(path) as figure:
        small = figure.convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def main() -> None:
    """Write both pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    draw_demo_scores(IMAGES / "scores.png")
    draw_world().save(IMAGES / "world.jpg", quality=88)
    print(f"Written to {IMAGES}: scores.png, world.jpg")


if __name__ == "__main__":
    main()
