"""The CLASSIFY study of Tsipras et al. (2020): its images with what our stages make of the answers, and networks on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from regauge.arrays import BoolArray, FloatArray
from regauge.estimates import DEFAULT_LEVEL
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.several.answers import ObjectAnswers, line_up_answers
from regauge.evaluation.context.several.images import ObjectImages, find_object_images
from regauge.evaluation.targets import line_up
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
from regauge.labels.objects.easy import add_easy, find_easy
from regauge.records.labels.label_set import Truth
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
    """The answers of networks, best first, on the images of the study whose objects are known: the follow-up and easy ones.

    Attributes:
        labels: the study's own labels of the images of the follow-up that are there.
        answers: what the networks answered, an image of the follow-up standing for those that are not there.
        image_ids: the images, in the order of the answers.
    """

    labels: ClassifyLabels
    answers: ObjectAnswers
    image_ids: tuple[str, ...]

    @property
    def images(self) -> ObjectImages:
        """The images."""
        return self.answers.images

    @property
    def several(self) -> BoolArray:
        """Which images have several objects."""
        return self.images.has_several

    def average(self, metric: str, among: BoolArray) -> FloatArray:
        """The accuracy of every network on some of the images."""
        return self.answers.weigh(metric, among, level=DEFAULT_LEVEL).value


def line_up_networks(data: DataFolders, released: ReleasedSet, *, n_networks: int) -> NetworkAnswers:
    """The answers of the most accurate networks on the images of the follow-up that are there and on the easy ones."""
    labels = study_classify(data).labels
    accuracies = (released.answers[:, :, 0] == released.test_set.labels).mean(axis=1)
    networks = np.argsort(-accuracies, kind="stable")[:n_networks]
    parts = {name_validation_image(image): SPELLINGS[part] for image, part in load_split(data).items()}
    objects = add_easy(labels.objects, find_easy(parts, released.test_set))
    target = line_up(Truth(released.test_set))
    five = released.answers[networks]
    material = ContextMaterial(
        target,
        participants=tuple(released.models[place] for place in networks),
        firsts=five[:, :, 0].astype(np.int32),
        in_five=(five == target.dataset_labels[:, np.newaxis]).any(axis=2),
        has_five=np.ones(len(networks), np.bool_),
        objects=objects,
        parts=parts,
    )
    images = find_object_images(material)
    return NetworkAnswers(labels, line_up_answers(material, images), tuple(target.image_ids[images.rows].tolist()))
