"""Small clones of the public repositories: their layout, made-up numbers."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regauge.formats.releases.imagenetv2 import index_wnids

WNIDS = tuple(index_wnids())
SETS = {
    "imagenet-validation-original": 5,
    "imagenetv2-b-33": 2,
    "imagenetv2-a-44": 2,
    "imagenetv2-c-12": 2,
    "imagenet-annotatedval20k-0": 2,
}
"""Images per class of each set."""


def write_json(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def name_image(number: int) -> str:
    return f"ILSVRC2012_val_{number:08d}.JPEG"


@dataclass
class World:
    """What the files of a made-up clone of ImageNetV2 should give."""

    folder: Path
    models: Sequence[str]
    rng: np.random.Generator
    n_classes: int = 40
    labels: dict[str, list[int]] = field(default_factory=dict)
    images: dict[str, list[str]] = field(default_factory=dict)
    answers: dict[tuple[str, str], np.ndarray[Any, Any]] = field(default_factory=dict)

    def write(self) -> World:
        for name, per_class in SETS.items():
            self._write_set(name, per_class)
        self._write_grids()
        return self

    def accuracy(self, name: str, model: str) -> float:
        return float((self.answers[name, model][:, 0] == np.array(self.labels[name])).mean())

    def _write_set(self, name: str, per_class: int) -> None:
        labels = np.repeat(np.arange(self.n_classes), per_class)
        if name.startswith("imagenetv2"):
            labels = self.rng.permutation(labels)
            # Candidates come from a pool that the three sets share, so that they overlap.
            pool = [f"{number:040x}" for number in range(3 * len(labels))]
            images = [pool[number] for number in self.rng.permutation(len(pool))[: len(labels)]]
        else:
            images = [
                name_image(number) for number in 1 + np.sort(self.rng.permutation(5 * self.n_classes)[: len(labels)])
            ]
        self.labels[name], self.images[name] = labels.tolist(), images
        rows = [[image, WNIDS[label]] for image, label in zip(images, labels.tolist(), strict=True)]
        write_json(self.folder / f"data/datasets/{name}.json", {"target_size": len(rows), "image_filenames": rows})
        for place, model in enumerate(self.models):
            self._write_answers(name, model, accuracy=0.9 - 0.5 * place / len(self.models))

    def _write_answers(self, name: str, model: str, *, accuracy: float) -> None:
        labels = np.array(self.labels[name])
        others = np.stack([self.rng.permutation(self.n_classes)[:6] for _ in labels])
        answers = np.array(
            [[one for one in row if one != label][:5] for row, label in zip(others, labels, strict=True)]
        )
        is_right = self.rng.random(len(labels)) < accuracy
        answers[is_right, 0] = labels[is_right]
        self.answers[name, model] = answers
        is_original = name == "imagenet-validation-original"
        called = "fv_16k_model" if model == "fv_16k" and "c-12" in name else model
        stored = answers if is_original or model != "fv_16k" else answers[:, ::-1]
        path = self.folder / f"data/predictions/{name}/{called}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, stored.astype(np.int64))

    def _write_grids(self) -> None:
        similar = {wnid: [wnid, WNIDS[(place + 1) % len(WNIDS)]] for place, wnid in enumerate(WNIDS)}
        write_json(self.folder / "data/metadata/wnid_to_most_similar_wnids.json", similar)
        name = "imagenet-validation-original"
        of_class = [
            [image for image, label in zip(self.images[name], self.labels[name], strict=True) if label == one]
            for one in range(self.n_classes)
        ]
        grids = [self._make_grid(one, of_class[one][:3], of_class[one + 1][:3]) for one in range(self.n_classes - 1)]
        write_json(self.folder / "data/mturk/hit_data_live/first.json", {grid["uuid"]: grid for grid in grids[:10]})
        write_json(self.folder / "data/mturk/hit_data_live/second.json", grids[10:])

    def _make_grid(self, one: int, own: list[str], near: list[str]) -> dict[str, Any]:
        candidates = [f"{one:08x}{number:032x}" for number in range(42)]
        images = self.rng.permutation([*own, *near, *candidates]).tolist()
        return {
            "uuid": f"grid{one}",
            "wnid": WNIDS[one],
            "images_all": images,
            "images_to_label": candidates,
            "images_pos_control": own,
            "images_neg_control": near,
        }


def write_cifar(folder: Path, models: dict[str, float], rng: np.random.Generator) -> dict[str, np.ndarray[Any, Any]]:
    """Labels and predictions; a model is right with its probability on the original set, and less often on the new ones."""
    labels = {name: np.repeat(np.arange(10), n) for name, n in (("original", 100), ("v4", 20), ("v6", 20))}
    for name, own in labels.items():
        if name != "original":
            (folder / "datasets").mkdir(parents=True, exist_ok=True)
            np.save(folder / f"datasets/cifar10.1_{name}_labels.npy", own.astype(np.int32))
        for model, accuracy in models.items():
            right = rng.random(len(own)) < accuracy - (0.0 if name == "original" else 0.1)
            answers = np.where(right, own, (own + 1) % 10)
            write_json(folder / f"model_predictions/{name}_predictions/{model}_predictions.json", answers.tolist())
    for name, start in (("v4", 0), ("v6", 50)):
        places = list(range(start, start + len(labels[name])))
        write_json(folder / f"other_data/cifar10.1_{name}_ti_indices.json", places)
    return labels


def write_frame(path: Path, columns: dict[str, Any], index: Sequence[str] | None = None) -> None:
    """A pickled pandas frame, as the pandas of this environment writes it."""
    pandas = pytest.importorskip("pandas")
    names = None if index is None else pandas.Index(np.array(list(index), object), dtype=object, name="image")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(pandas.DataFrame(columns, index=names), protocol=4))


def write_classified(folder: Path, images: Sequence[tuple[str, int]], *, every_with_two: int) -> None:
    """CLASSIFY answers of nine people each: one object, or on every so many images two, the second being the main one."""
    rows: dict[str, list[Any]] = {name: [] for name in CLASSIFY_COLUMNS}
    for number, (_, label) in enumerate(images):
        has_two = number % every_with_two == 0
        other = (label + 1) % 1_000
        selected = [[label, other] if has_two else [label]] * 9
        main = [other if has_two else label] * 9
        objects = [[label], [other]] if has_two else [[label]]
        row = (
            main,
            selected,
            9,
            number,
            label,
            Counter(main),
            main[0],
            len(objects),
            Counter(label for labels in selected for label in labels),
            objects,
        )
        rest = (len(objects) - 1, Counter({len(objects) - 1: 9}), 0)
        for name, value in zip(CLASSIFY_COLUMNS, (*row, *rest), strict=True):
            rows[name].append(value)
    write_frame(folder / "data/annotations_classify_task.pkl", rows, [image for image, _ in images])


CLASSIFY_COLUMNS = (
    *("main", "selected", "num_workers", "image_number", "imagenet_label", "main_counter", "main_top", "num_objects"),
    *("object_counter", "objects", "main_object", "main_object_counter", "imagenet_object"),
)


def write_coded(path: Path, mistakes: dict[str, tuple[int, str, str]]) -> Path:
    """Coded mistakes as the authors' repository has them."""
    names = ("top_prediction", "failure category", "failure severity")
    return write_json(path, {image: dict(zip(names, codes, strict=True)) for image, codes in mistakes.items()})
