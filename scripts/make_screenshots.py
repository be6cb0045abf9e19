"""Renew the pictures that README.md shows, from the demo."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import regauge
from regauge.workflows.demo import run_demo

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


def main() -> None:
    """Run the demo and keep its figure."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        demo = run_demo(Path(folder) / "demo", rng=np.random.default_rng(0))
        regauge.save_figure(regauge.draw_scores(demo.scores), IMAGES / "scores.png")
    print(f"Written to {IMAGES}: scores.png")


if __name__ == "__main__":
    main()
