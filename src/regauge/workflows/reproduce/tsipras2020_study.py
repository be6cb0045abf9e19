"""The CLASSIFY study of Tsipras et al. (2020): its images with what our stages make of the answers, and networks on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, FloatArray, IntArray
from regauge.formats.labels.splits import SPELLINGS
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_classified_images, load_split
from regauge.formats.releases.published import (
    ClassifiedImage,
    ReleasedSet,
    make_classify_responses,
    name_validation_image,
)
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.labels.objects.easy import find_easy
from regauge.records.labels.objects import ClassifyLabels
from regauge.records.testsets.test_set import TestSet
from regauge.responses.classify_screening import screen_responses

N_FOLLOW_UP = 6_761
N_MULTI_OBJECT = 2_156
N_MAIN_DIFFERS = 650
ALMOST = 0.02
"""Accuracies and frequencies that differ by less are almost equal, by our reading."""


@dataclass(frozen=True, slots=True, eq=False)
class ObjectStudy:
    """The images with answers, and what our stages make of these."""

    images: tuple[ClassifiedImage, ...]
    labels: ClassifyLabels
    n_responses: int
    n_accepted: int

    @property
    def is_whole(self) -> bool:
        """Whether these are all images of the follow-up, and not a part of them."""
        return len(self.images) == N_FOLLOW_UP


def study_classify(data: DataFolders) -> ObjectStudy:
    """Screen and aggregate the answers, once."""
    return data.read_once("tsipras2020 study", partial(_study, data))


def _study(data: DataFolders) -> ObjectStudy:
    images = load_classified_images(data)
    responses = make_classify_responses(images)
    test_set = TestSet("released", responses.image_ids, np.array([image.label for image in images], np.int32))
    screening = screen_responses(responses)
    labels = aggregate_responses(responses, screening.is_accepted, test_set=test_set, name="tsipras2020")
    return ObjectStudy(tuple(images), labels, len(responses), int(screening.is_accepted.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class NetworkAnswers:
    """The answers of the networks of Recht et al. (2019), best first, on the study's images.

    Attributes:
        labels: the study's own labels of the images of the follow-up that are there.
        half: [models, images, 5] on these.
        easy: [models, images, 5] on the easy images.
        easy_labels: dataset labels of these.
        weight: images of the follow-up that one of them stands for; 1 where all are there.
    """

    labels: ClassifyLabels
    half: NDArray[np.int16]
    easy: NDArray[np.int16]
    easy_labels: IntArray
    weight: float

    @property
    def several(self) -> BoolArray:
        """Which images of the half have several objects."""
        return np.asarray(self.labels.objects.n_objects > 1, np.bool_)

    @property
    def is_right(self) -> BoolArray:
        """[models, half]: the first answer is the dataset label."""
        return np.asarray(self.half[:, :, 0] == self.labels.dataset_labels, np.bool_)

    @property
    def is_right_on_easy(self) -> BoolArray:
        """[models, easy]."""
        return np.asarray(self.easy[:, :, 0] == self.easy_labels, np.bool_)

    def average_single(self, is_right: BoolArray) -> FloatArray:
        """Accuracy on images with one object: those of the half, weighted, and the easy ones."""
        one = ~self.several
        n = self.weight * one.sum() + len(self.easy_labels)
        return np.asarray(
            (self.weight * is_right[:, one].sum(axis=1) + self.is_right_on_easy.sum(axis=1)) / n, np.float64
        )


def line_up_networks(data: DataFolders, released: ReleasedSet, *, n_networks: int) -> NetworkAnswers:
    """The answers of the most accurate networks on the images of the follow-up that are there and on the easy ones."""
    labels = study_classify(data).labels
    row_of = {image_id: row for row, image_id in enumerate(released.test_set.image_ids.tolist())}
    accuracies = (released.answers[:, :, 0] == released.test_set.labels).mean(axis=1)
    networks = np.argsort(-accuracies, kind="stable")[:n_networks]
    half = [row_of[image_id] for image_id in labels.objects.image_ids.tolist()]
    parts = {name_validation_image(image): SPELLINGS[part] for image, part in load_split(data).items()}
    easy_set = find_easy(parts, released.test_set)
    easy = [row_of[image_id] for image_id in easy_set.image_ids.tolist()]
    chosen = released.answers[networks]
    return NetworkAnswers(
        labels, chosen[:, half], chosen[:, easy], easy_set.labels, N_FOLLOW_UP / len(labels.main_labels)
    )
