"""A small benchmark of drawn shapes: a test set, models trained for it, and what reviewers made of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from regauge.records.arrays import FloatArray, IdArray, IntArray
from regauge.records.labels import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets import TestSet
from regauge.world.classifiers import Model, edge_pairs, edges, fit_centroids, fit_ridge, mean_colour, silhouette
from regauge.world.shapes import Scene, draw_scenes, make_taxonomy

N_TRAIN = 1_200
N_TEST = 600
LATECOMER = "edge-pairs-ridge"
"""The model that came after the review: what only it answers has no verdict yet."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A simulated benchmark, ready to be scored."""

    taxonomy: Taxonomy
    test_set: TestSet
    label_set: LabelSet
    predictions: tuple[Predictions, ...]
    images: tuple[Image.Image, ...]

    @property
    def truth(self) -> Truth:
        """Dataset labels and verdicts together."""
        return Truth(self.test_set, (self.label_set,))


def make_example(*, rng: np.random.Generator) -> Example:
    """Draw the scenes, train the models, and review the answers of all but the last."""
    taxonomy = make_taxonomy()
    train, test = draw_scenes(N_TRAIN, rng=rng), draw_scenes(N_TEST, rng=rng)
    image_ids = np.array([f"scene-{number:04d}" for number in range(len(test))])
    models = train_models(_stack(train), np.array([scene.label for scene in train], np.int32), n_classes=len(taxonomy))
    predictions = tuple(_predict(name, model, image_ids, _stack(test)) for name, model in models.items())
    reviewed = [one for one in predictions if one.participant != LATECOMER]
    return Example(
        taxonomy=taxonomy,
        test_set=TestSet("drawn-shapes", image_ids, np.array([scene.label for scene in test])),
        label_set=review(test, image_ids, reviewed=reviewed),
        predictions=predictions,
        images=tuple(scene.image for scene in test),
    )


def train_models(images: FloatArray, labels: IntArray, *, n_classes: int) -> dict[str, Model]:
    """Five models, from one that sees only colour to one that sees which edges meet."""
    return {
        "colour-centroid": fit_centroids(images, labels, features=mean_colour, n_classes=n_classes),
        "silhouette-centroid": fit_centroids(images, labels, features=silhouette, n_classes=n_classes),
        "silhouette-ridge": fit_ridge(images, labels, features=silhouette, n_classes=n_classes, penalty=100),
        "edges-ridge": fit_ridge(images, labels, features=edges, n_classes=n_classes, penalty=100),
        LATECOMER: fit_ridge(images, labels, features=edge_pairs, n_classes=n_classes, penalty=100),
    }


def review(scenes: Sequence[Scene], image_ids: IdArray, *, reviewed: Sequence[Predictions]) -> LabelSet:
    """What a perfect reviewer says of every dataset label and every first answer; other classes stay unjudged."""
    seen = [sorted({scene.label, *(int(one.classes[row, 0]) for one in reviewed)}) for row, scene in enumerate(scenes)]
    pairs = list(zip(seen, scenes, strict=True))
    return LabelSet.from_lists(
        "drawn-shapes",
        image_ids,
        correct=[[index for index in classes if index in scene.correct] for classes, scene in pairs],
        unclear=[[index for index in classes if index in scene.unclear] for classes, scene in pairs],
        wrong=[[index for index in classes if index not in scene.possible] for classes, scene in pairs],
        is_problematic=[scene.is_problematic for scene in scenes],
        main_labels=[scene.main for scene in scenes],
    )


def _predict(name: str, model: Model, image_ids: IdArray, images: FloatArray) -> Predictions:
    scores = model(images)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :5]
    return Predictions(
        name, image_ids, order.astype(np.int32), np.take_along_axis(scores, order, axis=1).astype(np.float32)
    )


def _stack(scenes: Sequence[Scene]) -> FloatArray:
    return np.stack([scene.to_pixels() for scene in scenes])
