"""A small part of everything that was released, in the layouts of its repositories, with made-up numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.formats.clones import WNIDS, World, name_image, write_classified, write_coded, write_frame, write_json

from regauge.records.reproductions import ReleasedStudy
from regauge.workflows.reproduce.study.building import make_released_study

MODELS = ("alexnet", "fv_16k")
N_ASKED = 60
NUMBERS = range(1, 201)


def write_sets(folder: Path) -> World:
    return World(folder / "ImageNetV2", MODELS, np.random.default_rng(3)).write()


def write_real(folder: Path) -> None:
    """Every image has its dataset label; the fourth another one too, and the last none."""
    lists = [[(number - 1) // 5] for number in NUMBERS]
    lists[3].append(500)
    lists[-1] = []
    write_json(folder / "reassessed-imagenet/real.json", lists)


def write_answers(folder: Path, *, n_known: int = N_ASKED) -> None:
    """Answers to CLASSIFY on the first images, and a split by which 60 were asked about."""
    rows = [(name_image(number), (number - 1) // 5) for number in NUMBERS]
    write_classified(folder / "ImageNetMultiLabel", rows[:n_known], every_with_two=3)
    parts = ["fu"] * N_ASKED + ["easy"] * 130 + ["mis"] * 10
    frame = folder / "ImageNetMultiLabel/data/image_info.pkl"
    write_frame(frame, {"annotation": parts}, [image for image, _ in rows])


def write_mistakes(folder: Path) -> None:
    """Three mistakes of ViT-3B, of which reassessed labels accept one."""
    codes = {name_image(number): (500, "Fine-grained error", "Major") for number in (2, 4, 6)}
    write_coded(folder / "imagenet-mistakes/metadata/vit3b_mistakes.json", codes)


def write_contains(folder: Path) -> None:
    """Everybody selects the dataset label of forty images, and nobody another one."""
    images = [(name_image(number), (number - 1) // 5) for number in NUMBERS][:40]
    columns = {
        "query": [[label, 500] for _, label in images],
        "selected": [[9, 0]] * 40,
        "total": [[9, 9]] * 40,
        "imagenet_label": [label for _, label in images],
    }
    frame = folder / "ImageNetMultiLabel/data/annotations_contains_task.pkl"
    write_frame(frame, columns, [image for image, _ in images])
    answers = {"img_number": range(40), "pred_alexnet": [[1, 2, 3, 4, 5]] * 40}
    write_frame(folder / "ImageNetMultiLabel/data/model_predictions.pkl", answers)


def write_reviewed(folder: Path) -> None:
    """The dataset label of the first ten images is right."""
    annotations = {
        name_image(number): {"correct": [WNIDS[(number - 1) // 5]], "wrong": [], "unclear": []}
        for number in NUMBERS[:10]
    }
    content = {"initial_annots": annotations, "problematic_images": {}, "imagenet_m": []}
    write_json(folder / "human_accuracy_v3.0.0.json", content)


def write_released(folder: Path) -> World:
    """What a reader of the papers finds first."""
    write_real(folder)
    write_answers(folder)
    write_mistakes(folder)
    return write_sets(folder)


def list_lines(made: ReleasedStudy) -> list[str]:
    """All that is said of a study of released data."""
    return [*(f"{part.what} {part.name}: {part.detail}" for part in made.parts), *made.notes]


def make_in(folder: Path) -> ReleasedStudy:
    """A study of the data in a folder, beside it."""
    return make_released_study(folder / "data", folder / "study")
