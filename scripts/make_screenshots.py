"""Renew the pictures that README.md shows, from the demo and the embedded world."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import regauge
from regauge.workflows.demo import run_demo
from regauge.world.collections import Sizes, make_world

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
N_COLUMNS, N_ROWS, SIDE = 12, 4, 112


def draw_world() -> Image.Image:
    """Pictures of the embedded world side by side."""
    pictures = make_world(
        np.random.default_rng(3), sizes=Sizes(training=64, original=N_COLUMNS * N_ROWS, pool=64)
    ).original
    sheet = Image.new("RGB", (N_COLUMNS * SIDE, N_ROWS * SIDE), "white")
    for row in range(N_COLUMNS * N_ROWS):
        y, x = divmod(row, N_COLUMNS)
        sheet.paste(pictures.draw(row, SIDE), (x * SIDE, y * SIDE))
    return sheet


def main() -> None:
    """Run the small demo, keep its figure, and draw some of the world."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        demo = run_demo(Path(folder) / "demo", rng=np.random.default_rng(0))
        regauge.save_figure(regauge.draw_scores(demo.scores), IMAGES / "scores.png")
    draw_world().save(IMAGES / "world.jpg", quality=88)
    print(f"Written to {IMAGES}: scores.png, world.jpg")


if __name__ == "__main__":
    main()
