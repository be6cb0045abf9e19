"""The study of `tests.slices.small_slices`: six images, four models, a person, labels and codings, on each database."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command_runner import write
from tests.slices.small_slices import ANSWERS, IMAGES, WRONG

from regauge.storage.study import Study
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.mistakes.codings import CodingSource, add_coding
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.testsets.test_set import add_test_set

HEAD = "image_id,prediction,category,severity\n"
OF_R = HEAD + "".join(f"{one},1,FG,major\n" for one in IMAGES[:5]) + "m6,1,spurious,minor\n"
OF_A = HEAD + "m2,2,FG,major\n"
MORE = HEAD + "m2,2,FG,major\nm5,4,FG,borderline\n"
VERDICTS = "".join(
    f'{{"image_id":"{one}","correct":[0],"wrong":{wrong}}}\n' for one, wrong in zip(IMAGES, WRONG, strict=True)
)
JUDGED = VERDICTS.replace('"m3","correct":[0]', '"m3","correct":[0,3]')
SLICE_FILES = {
    "val.csv": "image_id,label\n" + "".join(f"{one},0\n" for one in IMAGES),
    "panel.jsonl": VERDICTS,
    "judged.jsonl": JUDGED,
    "R.csv": OF_R,
    "A.csv": OF_A,
    "more.csv": MORE,
    "ann.csv": "image_id,class,seconds,kind\n" + "".join(f"{one},0,{9 + n},person\n" for n, one in enumerate(IMAGES)),
    "list.txt": "m2\nm6\n",
    "far.txt": "x\ny\n",
    **{
        f"models/{name}.csv": "image_id,class\n"
        + "".join(f"{one},{index}\n" for one, index in zip(IMAGES, own.classes[:, 0].tolist(), strict=True))
        for name, own in ANSWERS.items()
    },
}


def fill_slices(study: Study, folder: Path) -> None:
    """Add all of it, and commit."""
    write(folder, SLICE_FILES)
    with study.begin() as begun:
        add_test_set(begun, folder / "val.csv")
        add_predictions(begun, PredictionSource([folder / "models", folder / "ann.csv"]))
        add_labels(begun, folder / "panel.jsonl", name="panel")
        add_coding(begun, CodingSource(folder / "R.csv", "R", "panel"))
        add_coding(begun, CodingSource(folder / "A.csv", "A", "panel"))
