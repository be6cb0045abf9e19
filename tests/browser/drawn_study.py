"""A server on a study with a drawn test set of coloured pictures, ready to be reviewed."""

from __future__ import annotations

import atexit
import json
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from tests.browser.server_process import NAMES, Served, open_served
from tests.storage.small_studies import make_circumstances
from tests.storage.temporary_folders import find_memory
from tests.workflows.pool_studies import make_facts

from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.testsets.pool import DrawSources, GatheredImages
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.records.testsets.test_set import TestSet
from regauge.storage.testsets.pool import insert_pool
from regauge.workflows.studies.study import init_study
from regauge.workflows.testsets.draws import draw_test_set

DRAWN = "rebuilt-" + 5 * "Donaudampfschifffahrt"
N_CLASSES = 3
PER_CLASS = 10
N_CANDIDATES = 14


@contextmanager
def serve_drawn(folder: Path) -> Iterator[Served]:
    """A server on such a study; stopped afterwards."""
    # Each has a copy of its own; the pictures are only looked at.
    shutil.copytree(make_drawn_study(), folder / "study")
    served = Served(folder / "study")
    served.start()
    try:
        yield served
    finally:
        served.end(signal.SIGKILL)


@cache
def make_drawn_study() -> Path:
    """Three classes of 14 candidates each, of which the best ten were drawn."""
    folder = Path(tempfile.mkdtemp(prefix="regauge-drawn-", dir=find_memory()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    classes = [
        {"index": n, "id": f"c{n}", "names": [name, f"synonym {n}"], "gloss": f"gloss {n}", "parents": []}
        for n, name in enumerate(NAMES[:N_CLASSES])
    ]
    taxonomy = folder / "taxonomy.json"
    taxonomy.write_text(json.dumps({"format": "regauge-taxonomy", "version": 1, "name": "drawn", "classes": classes}))
    ids = [f"p{label}-{number:02d}" for label in range(N_CLASSES) for number in range(N_CANDIDATES)]
    labels = np.repeat(np.arange(N_CLASSES, dtype=np.int32), N_CANDIDATES)
    root = folder / "pool"
    root.mkdir()
    for number, (image_id, label) in enumerate(zip(ids, labels.tolist(), strict=True)):
        _draw(root / f"{image_id}.png", label, number)
    counts = folder / "counts.csv"
    rows = [
        f"{image_id},{label},10,{10 - n % N_CANDIDATES // 2}"
        for n, (image_id, label) in enumerate(zip(ids, labels, strict=True))
    ]
    counts.write_text("\n".join(["image_id,class,n_shown,n_selected", *rows]) + "\n")
    init_study(folder / "study", taxonomy=taxonomy, around=make_circumstances()).close()
    with open_served(folder / "study") as study, study.begin() as begun:
        places = tuple(ImagePlace(f"{image_id}.png") for image_id in ids)
        located = LocatedTestSet(TestSet("pool", np.array(ids), labels), TestSetKind.TABLE, str(root), places)
        insert_pool(begun, GatheredImages(located, make_facts(ids)), provenance={})
        plan = SamplingPlan(Strategy.TOP_IMAGES, per_class=PER_CLASS)
        draw_test_set(begun, plan, name=DRAWN, sources=DrawSources(frequencies=(str(counts),)))
    return folder / "study"


def _draw(path: Path, label: int, number: int) -> None:
    image = Image.new("RGB", (320, 240) if number % 2 else (240, 320), f"hsl({(37 * number) % 360}, 30%, 88%)")
    brush = ImageDraw.Draw(image)
    left, top = 30 + 7 * (number % 9), 40 + 5 * (number % 7)
    shape = (brush.ellipse, brush.rectangle, brush.pieslice)[label]
    more = {"start": 30, "end": 330} if label == 2 else {}
    shape((left, top, left + 130, top + 130), fill=f"hsl({120 * label + 3 * number % 60}, 70%, 45%)", **more)
    image.save(path)
