"""Draw the figures of 67 models on ImageNet's validation set and on the new set MatchedFrequency, and that of coded mistakes.

The models are drawn alone and beside people; the mistakes are those of one model that Vasudevan et al. (2022) coded. It writes
the released predictions of Recht et al. (2019) as files that anybody would have, and runs `regauge shift` on them for the README.
For docs/humans.md it runs `regauge humans` on them and on five people, who are simulated: nobody has published who answered what.

    python -m scripts.draw_published ../shared/published
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

import regauge
from regauge.cli.main import cli
from regauge.formats.mistakes.coded import load_mistakes

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
FIGURE, PEOPLE_FIGURE = IMAGES / "recht2019.png", IMAGES / "humans.png"
RELEASED = "recht2019_imagenet_top1.npz"
SETS = {"validation": "val", "MatchedFrequency": "matched_frequency"}
LABELLED = ("alexnet", "vgg16", "resnet50", "inceptionresnetv2", "pnasnet_large_tf", "fv_64k")
FLOW_FIGURE = IMAGES / "mistake-flow.png"
CODED, REASSESSED = "vasudevan2022_mistakes_vit3b.json", "real2020_labels.json"
N_PIXELS, N_BESIDE = 1200, 1520
ABILITIES = {"simulated 1": 3.4, "simulated 2": 3.1, "simulated 3": 2.9, "simulated 4": 2.5, "simulated 5": 1.9}
"""The log odds that a simulated person is right on an image that half of the models get right."""
SLOPE = 0.45
"""How much of what makes images hard for models makes them hard for people, in log odds."""


def write_set(archive: np.lib.npyio.NpzFile, folder: Path, *, name: str) -> None:
    """One test set as a truth NAME.csv, and the answers of every model in a folder NAME."""
    key = SETS[name]
    ids = [one.decode() if isinstance(one, bytes) else str(one) for one in archive[f"{key}_ids"].tolist()]
    labels: npt.NDArray[np.int16] = archive[f"{key}_labels"]
    rows = (f"{image_id},{label}\n" for image_id, label in zip(ids, labels.tolist(), strict=True))
    (folder / f"{name}.csv").write_text("image_id,label\n" + "".join(rows), encoding="utf-8")
    (folder / name).mkdir()
    for model, answers in zip(archive["models"].tolist(), archive[f"{key}_top1"], strict=True):
        np.savez(folder / name / f"{model}.npz", image_ids=np.array(ids), classes=answers[:, np.newaxis])


def draw_published(published: Path, figure: Path) -> None:
    """Draw the models of the released file in a folder."""
    original, new = SETS
    with tempfile.TemporaryDirectory() as folder, np.load(published / RELEASED, allow_pickle=False) as archive:
        files = Path(folder)
        for name in SETS:
            write_set(archive, files, name=name)
        words = ["shift", "--original-truth", f"{files / original}.csv", "--original", str(files / original)]
        words += ["--new-truth", f"{files / new}.csv", "--new", str(files / new), "--fit-except", "fv_*"]
        words += [word for name in LABELLED for word in ("--label", name)]
        words += ["--scale", "all", "--figure", str(figure), "--width", f"{N_PIXELS // 2}px"]
        cli.main(words, standalone_mode=False)
    shrink(figure)


def write_people(archive: np.lib.npyio.NpzFile, folder: Path, *, name: str) -> None:
    """Simulated people on one image of each class; what is hard for models is somewhat harder for them too."""
    key = SETS[name]
    labels, answers = archive[f"{key}_labels"], archive[f"{key}_top1"]
    rng = np.random.default_rng(0)
    order = rng.permutation(len(labels))
    rows = np.sort(order[np.unique(labels[order], return_index=True)[1]])
    is_right = (answers == labels).sum(axis=0)[rows]
    easiness = np.log((is_right + 0.5) / (len(answers) - is_right + 0.5))
    ids = [one.decode() if isinstance(one, bytes) else str(one) for one in archive[f"{key}_ids"][rows].tolist()]
    for person, ability in ABILITIES.items():
        chance = 1 / (1 + np.exp(-ability - SLOPE * easiness))
        # Whoever is wrong says what some model said, or another class where that model was right.
        said = answers[rng.integers(len(answers), size=len(rows)), rows]
        wrong = np.where(said == labels[rows], (labels[rows] + 1) % 1_000, said)
        classes = np.where(rng.random(len(rows)) < chance, labels[rows], wrong)
        given = (f"{image_id},{one},person\n" for image_id, one in zip(ids, classes.tolist(), strict=True))
        (folder / name / f"{person}.csv").write_text("image_id,class,kind\n" + "".join(given), encoding="utf-8")


def draw_people(published: Path, figure: Path) -> None:
    """Draw the models of the released file and simulated people."""
    original, new = SETS
    with tempfile.TemporaryDirectory() as folder, np.load(published / RELEASED, allow_pickle=False) as archive:
        files = Path(folder)
        for name in SETS:
            write_set(archive, files, name=name)
            write_people(archive, files, name=name)
        words = ["humans", "--original-truth", f"{files / original}.csv", "--original", str(files / original)]
        words += ["--new-truth", f"{files / new}.csv", "--new", str(files / new), "--taxonomy", "imagenet-1k"]
        words += ["--n-bootstrap", "100", "--n-draws", "10", "--figure", str(figure), "--width", f"{N_BESIDE // 2}px"]
        cli.main(words, standalone_mode=False)
    shrink(figure)


def trace_released(published: Path) -> regauge.MistakeFlow:
    """The released mistakes of ViT-3B under the dataset labels, then under the reassessed ones, and how severe the rest is."""
    coded = load_mistakes(published / CODED)
    with np.load(published / RELEASED, allow_pickle=False) as archive:
        ids = [f"ILSVRC2012_val_{number:08d}" for number in archive["val_ids"].tolist()]
        labels = [[label] for label in archive["val_labels"].tolist()]
    before = regauge.LabelSet.from_lists("the dataset labels", ids, correct=labels)
    (after,) = regauge.load_truth(published / REASSESSED).label_sets
    answers = regauge.Predictions("ViT-3B", coded.image_ids, coded.predictions)
    images = regauge.TestSet("ImageNet validation", before.image_ids, before.classes)
    target = regauge.TestSetAnswers([answers], (images, before, replace(after, name="the reassessed labels")))
    return regauge.trace_mistakes(regauge.open_mistakes(target), f"the coding={published / CODED}")


def draw_flow(published: Path, figure: Path) -> None:
    """Draw what reassessed labels leave of the released mistakes."""
    regauge.save_figure(regauge.plot_flow(trace_released(published), canvas=regauge.Canvas(width=N_PIXELS / 2)), figure)
    shrink(figure)


def shrink(figure: Path) -> None:
    """Keep the picture in 128 colours, which it hardly has more of, in a third of the bytes."""
    with Image.open(figure) as drawn:
        sheet = Image.new("RGB", drawn.size, "white")
        sheet.paste(drawn, mask=drawn.getchannel("A") if drawn.mode == "RGBA" else None)
    sheet.quantize(128, dither=Image.Dither.NONE).save(figure, optimize=True)


if __name__ == "__main__":
    draw_published(Path(sys.argv[1]), FIGURE)
    draw_people(Path(sys.argv[1]), PEOPLE_FIGURE)
    draw_flow(Path(sys.argv[1]), FLOW_FIGURE)
