"""The CLASSIFY study of Tsipras et al. (2020): its answers, all or those there are, put through the stages of this package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from regauge.errors import MissingDataError
from regauge.formats.published import (
    VALIDATION,
    ClassifiedImage,
    ReleasedSet,
    make_classify_responses,
    name_validation_image,
)
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_classified_images, load_released_set, load_split
from regauge.formats.splits import SPELLINGS
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.labels.objects.easy import find_easy
from regauge.labels.objects.summary import summarise_labels
from regauge.records.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.records.classify import Share
from regauge.records.objects import NO_OBJECT, ClassifyLabels
from regauge.records.reproductions import Agreement, ReproducedFigure
from regauge.records.testsets import TestSet
from regauge.responses.classify_screening import screen_responses
from regauge.stats.intervals import clopper_pearson
from regauge.workflows.reproduce.checks import Figures

FIGURES = Figures("tsipras2020")

N_STUDY = 10_000
N_FOLLOW_UP = 6_761
N_MULTI_OBJECT = 2_156
N_MAIN_DIFFERS = 650
N_NEVER_SELECTED = 119
N_KEPT_TASKS = 59_580
N_DROPPED_TASKS = 1_269
N_ANNOTATORS = 9
N_EASY = 2_923

N_NETWORKS = 64
N_RECENT = 10


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """The images with answers, and what our stages make of these."""

    images: tuple[ClassifiedImage, ...]
    labels: ClassifyLabels
    n_responses: int
    n_accepted: int

    @property
    def is_whole(self) -> bool:
        """Whether these are all images of the follow-up, and not a part of them."""
        return len(self.images) == N_FOLLOW_UP

    def compare(
        self,
        figure: str,
        *,
        published: tuple[int, int],
        found: tuple[int, int],
        note: str = "",
        whole: Agreement | None = Agreement.EQUAL,
    ) -> ReproducedFigure:
        """A count against a printed one: exactly where the study is whole, else by the interval of the part."""
        if self.is_whole:
            return FIGURES.whole(figure, published=published, found=found, expected=whole, note=note)
        return FIGURES.part(figure, published=published, found=found, note=note)


def study_classify(data: DataFolders) -> Study:
    """Screen and aggregate the answers, once."""
    return data.read_once("tsipras2020 study", partial(_study, data))


def _study(data: DataFolders) -> Study:
    images = load_classified_images(data)
    responses = make_classify_responses(images)
    test_set = TestSet("released", responses.image_ids, np.array([image.label for image in images], np.int32))
    screening = screen_responses(responses)
    labels = aggregate_responses(responses, screening.is_accepted, test_set=test_set, name="tsipras2020")
    return Study(tuple(images), labels, len(responses), int(screening.is_accepted.sum()))


def check_answers(data: DataFolders) -> Iterator[ReproducedFigure]:
    """Figures that need the answers alone."""
    study = study_classify(data)
    summary = summarise_labels(study.labels)
    yield from _check_counts(study, summary)
    yield from _check_shares(study, summary)
    yield from _check_confidence(study.labels)


def _check_counts(study: Study, summary: dict[str, Share]) -> Iterator[ReproducedFigure]:
    yield FIGURES.statement(
        "B.2: responses that our screening ignores, the authors' being done",
        published="none",
        recomputed=f"{study.n_responses - study.n_accepted:,}",
        holds=study.n_responses == study.n_accepted,
        note="the answers there are those that the authors kept",
    )
    n_tasks = N_KEPT_TASKS + N_DROPPED_TASKS
    yield study.compare(
        "B.2: tasks kept, of nine per image",
        published=(N_KEPT_TASKS, n_tasks),
        found=(study.n_responses, N_ANNOTATORS * len(study.images)),
        note=f"the paper calls {N_KEPT_TASKS:,} the total, but 6,761 × 9 − {N_DROPPED_TASKS:,} are {N_KEPT_TASKS:,}",
    )
    several = summary["several_objects"]
    yield study.compare(
        "§4.1: images with several objects, of the follow-up",
        published=(N_MULTI_OBJECT, N_FOLLOW_UP),
        found=(several.n, several.n_total),
    )
    yield _check_fifth(study, several)


def _check_fifth(study: Study, several: Share) -> ReproducedFigure:
    """More than a fifth of all 10,000 images: counted where the follow-up is whole, else from the interval of the part."""
    figure, published = (
        "§4.1: images with several objects, of all 10,000",
        f"more than a fifth ({N_MULTI_OBJECT / N_STUDY:.1%})",
    )
    if study.is_whole:
        recomputed = f"{several.n / N_STUDY:.1%}"
        return FIGURES.statement(figure, published=published, recomputed=recomputed, holds=several.n > N_STUDY / 5)
    low, high = (float(limit) for limit in clopper_pearson(several.n, several.n_total, level=0.99))
    part = N_FOLLOW_UP / N_STUDY
    return FIGURES.statement(
        figure,
        published=published,
        recomputed=f"{100 * part * several.n / several.n_total:.1f}% [{100 * part * low:.2f}, {100 * part * high:.2f}]",
        holds=part * low <= N_MULTI_OBJECT / N_STUDY <= part * high,
        note="the share of the images there, with a 99% interval, times 6,761 of 10,000; it covers the published share, but the "
        "part alone does not rule out a fifth",
    )


def _check_shares(study: Study, summary: dict[str, Share]) -> Iterator[ReproducedFigure]:
    differs = summary["main_not_dataset_object"]
    yield study.compare(
        "§4.1: main object is not the dataset's, of images with several",
        published=(N_MAIN_DIFFERS, N_MULTI_OBJECT),
        found=(differs.n, differs.n_total),
        whole=None,
        note="images without a dataset object count as agreeing; our partitions and main objects decide ties in their own way",
    )
    unselected = summary["dataset_label_unselected"]
    yield study.compare(
        "§4: dataset label that nobody selected in CLASSIFY",
        published=(N_NEVER_SELECTED, N_FOLLOW_UP),
        found=(unselected.n, unselected.n_total),
        whole=Agreement.DIFFERS,
        note="the whole release has 121",
    )
    same = summary["main_is_dataset_label"]
    agreeing = N_FOLLOW_UP * same.n / same.n_total + N_EASY
    yield FIGURES.statement(
        "§5.2: main label is the dataset label",
        published="about 80%",
        recomputed=f"{100 * agreeing / (N_FOLLOW_UP + N_EASY):.1f}%",
        holds=0.75 <= agreeing / (N_FOLLOW_UP + N_EASY) < 0.85,
        note=f"with the {N_EASY:,} easy images, which count as agreeing; {100 * same.n / same.n_total:.1f}% "
        f"({same.n:,} of {same.n_total:,}) without them",
    )


def _check_confidence(labels: ClassifyLabels) -> Iterator[ReproducedFigure]:
    n_objects, confidences = labels.objects.n_objects, labels.confidences
    numbers = np.unique(n_objects)
    means = [float(confidences[n_objects == n].mean()) for n in numbers]
    doubted = n_objects[np.isin(n_objects, [n for n, mean in zip(numbers, means, strict=True) if mean <= 0.5])]
    yield FIGURES.statement(
        "Figure 16: annotators agree on the number of objects",
        published="largely",
        recomputed=f"{100 * confidences.mean():.0f}%; {', '.join(f'{100 * mean:.0f}' for mean in means)}% by number from 1",
        holds=bool(confidences.mean() > 0.5),
        note=f"mean confidence, more than half being our reading of largely; it is less on the {len(doubted)} images with "
        f"{' or '.join(map(str, np.unique(doubted)))} objects",
    )
    images = np.repeat(np.arange(len(labels)), np.diff(labels.starts))
    n_mains = np.bincount(images[labels.n_main >= 2], minlength=len(labels))
    yield FIGURES.statement(
        "Figure 22b: labels that two or more chose for the main object, per image",
        published="far fewer than offered",
        recomputed=f"{n_mains.mean():.1f} of {np.diff(labels.starts).mean():.1f}",
        holds=bool(n_mains.mean() < np.diff(labels.starts).mean()),
        note="of the labels that anybody selected; those offered are at least as many",
    )


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
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


def load_answers(data: DataFolders) -> Answers:
    """The answers of the 64 networks of Recht et al. (2019), the most accurate first."""
    released = load_released_set(data, VALIDATION)
    # The three models before AlexNet are last by accuracy; the paper has networks only.
    if len(released.models) < N_NETWORKS:
        raise MissingDataError(
            f"predictions of {N_NETWORKS} networks on {VALIDATION}; {len(released.models)} are there"
        )
    return line_up_networks(data, released, n_networks=N_NETWORKS)


def line_up_networks(data: DataFolders, released: ReleasedSet, *, n_networks: int) -> Answers:
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
    return Answers(labels, chosen[:, half], chosen[:, easy], easy_set.labels, N_FOLLOW_UP / len(labels.main_labels))


def check_predictions(data: DataFolders) -> Iterator[ReproducedFigure]:
    """Figures about models, with the networks of Recht et al. (2019) in the place of the authors' own."""
    answers = load_answers(data)
    several, is_right = answers.several, answers.is_right
    names = f"{_name_part(answers)}, for the 64 networks of Recht et al. (2019)"
    drops = 100 * (answers.average_single(is_right) - is_right[:, several].mean(axis=1))
    yield FIGURES.statement(
        "Figure 3: top-1 drop on images with several objects, every model",
        published="> 10 points",
        recomputed=f"{drops.min():.1f} – {drops.max():.1f} points",
        holds=bool(drops.min() > 10),
        note=names,
    )
    yield from _check_any_object(answers)
    yield from _check_random(answers)
    yield from _check_main_labels(answers)
    yield from _check_corrections(answers)


def _name_part(answers: Answers) -> str:
    return f"on the {len(answers.labels):,} images of the follow-up that are there"


def _check_any_object(answers: Answers) -> Iterator[ReproducedFigure]:
    named = _find_named(answers)
    of_several = named[:, answers.several].mean(axis=1)
    gaps = 100 * (answers.average_single(named) - of_several)
    by_label = 100 * (answers.average_single(answers.is_right) - of_several)
    yield FIGURES.differs(
        "Figure 4: gap between images with one and several objects when the name of any object counts",
        published="virtually vanishes",
        recomputed=f"{gaps.min():.1f} – {gaps.max():.1f} points",
        note="by the name that annotators gave the one object, networks do better on several; by the dataset label of images "
        f"with one object the gap is {by_label.min():.1f} – {by_label.max():.1f} points. The paper does not say which; of four "
        "ways tried, all but the first stay within 5 points",
    )


def _find_named(answers: Answers) -> BoolArray:
    """[models, half]: the first answer is what an object of the image is called."""
    objects = answers.labels.objects
    is_named = np.zeros(answers.half.shape[:2], np.bool_)
    for image, name in zip(objects.object_images.tolist(), objects.names.tolist(), strict=True):
        is_named[:, image] |= answers.half[:, image, 0] == name
    return is_named


def _check_random(answers: Answers) -> Iterator[ReproducedFigure]:
    labels, several = answers.labels, answers.several
    yield FIGURES.differs(
        "§4.1: top-1 on images with several objects, against naming one at random",
        published="much better",
        recomputed=_describe_chance(answers, several),
        note=f"some cannot be told from chance {_name_part(answers)}",
    )
    differs = several & (labels.dataset_objects != NO_OBJECT) & (labels.dataset_objects != labels.objects.main_objects)
    yield FIGURES.differs(
        "Figure 5: top-1 where the main object is not the dataset's, against naming one at random",
        published="still high",
        recomputed=_describe_chance(answers, differs),
        note=f"no number is printed; on {int(differs.sum())} images most networks cannot be told from chance",
    )


def _describe_chance(answers: Answers, chosen: BoolArray) -> str:
    """The accuracies on some images, and how many networks are above and below chance by their 99% interval."""
    n_right, n = answers.is_right[:, chosen].sum(axis=1), int(chosen.sum())
    low, high = clopper_pearson(n_right, n, level=0.99)
    chance = float((1 / answers.labels.objects.n_objects[chosen]).mean())
    return (
        f"{100 * n_right.min() / n:.1f} – {100 * n_right.max() / n:.1f}% against {100 * chance:.1f}%: of {len(n_right)} networks "
        f"{int((low > chance).sum())} above, {int((high < chance).sum())} below"
    )


def _check_main_labels(answers: Answers) -> Iterator[ReproducedFigure]:
    is_main = np.asarray(answers.half[:, :, 0] == answers.labels.main_labels)
    n = answers.weight * len(answers.labels) + len(answers.easy_labels)
    networks = (answers.weight * is_main.sum(axis=1) + answers.is_right_on_easy.sum(axis=1)) / n
    same = (answers.labels.main_labels == answers.labels.dataset_labels).sum()
    dataset = (answers.weight * same + len(answers.easy_labels)) / n
    yield FIGURES.differs(
        "Figure 8: main-label accuracy of the best network and of the dataset labels",
        published="almost equal",
        recomputed=f"{100 * networks.max():.1f}% and {100 * dataset:.1f}%",
        note="the authors' best networks are of a later year",
    )


def _check_corrections(answers: Answers) -> Iterator[ReproducedFigure]:
    shares = [_find_corrected(answers, model) for model in range(N_NETWORKS)]
    recent = 100 * np.array(shares[:N_RECENT])
    yield FIGURES.statement(
        "C.1: top-5 corrections that are another object of the image, recent networks",
        published="about 20%",
        recomputed=f"{recent.min():.0f} – {recent.max():.0f}%",
        holds=bool((recent > 15).all() and (recent < 25).all()),
        note=f"the {N_RECENT} most accurate of the 64 networks, 15 to 25 being our reading of about 20; "
        f"{100 * min(shares):.0f}% for the least accurate",
    )


def _find_corrected(answers: Answers, model: int) -> float:
    """Of images whose dataset label is among the first five answers but not the first, the share where both are objects."""
    labels = answers.labels
    five, easy = answers.half[model], answers.easy[model]
    own = labels.dataset_labels
    is_corrected = (five[:, 0] != own) & (five[:, 1:] == own[:, np.newaxis]).any(axis=1)
    n_easy = int(
        ((easy[:, 0] != answers.easy_labels) & (easy[:, 1:] == answers.easy_labels[:, np.newaxis]).any(axis=1)).sum()
    )
    first = _find_objects(labels, five[:, 0])
    both = (first != NO_OBJECT) & (labels.dataset_objects != NO_OBJECT) & (first != labels.dataset_objects)
    n_both = answers.weight * (is_corrected & both).sum()
    return float(n_both / (answers.weight * is_corrected.sum() + n_easy))


def _find_objects(labels: ClassifyLabels, classes: IntArray | NDArray[np.int16]) -> CountArray:
    """Per image, the number of the object that a class means; `NO_OBJECT` where none does."""
    images = np.repeat(np.arange(len(labels)), np.diff(labels.starts))
    found = np.full(len(labels), NO_OBJECT, np.int64)
    hits = labels.classes == classes[images]
    found[images[hits]] = labels.label_objects[hits]
    return found
