"""The CLASSIFY study of Tsipras et al. (2020): our labels and objects against those of the release, image by image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.published import ClassifiedImage
from regauge.records.reproductions import ReproducedFigure
from regauge.workflows.reproduce.checks import Figures
from regauge.workflows.reproduce.tsipras2020_study import N_MAIN_DIFFERS, N_MULTI_OBJECT, study_classify

FIGURES = Figures("tsipras2020")


def check_release(data: DataFolders) -> Iterator[ReproducedFigure]:
    """What our stages make of the answers, image by image beside what the authors made of them."""
    study = study_classify(data)
    labels, images = study.labels, study.images
    several = [row for row, image in enumerate(images) if image.n_objects > 1]
    unique = [row for row in several if labels.n_best_cuts[row] == 1]
    n_objects = sum(int(n) == image.n_objects for n, image in zip(labels.objects.n_objects, images, strict=True))
    n_main = sum(int(label) == image.main_top for label, image in zip(labels.main_labels, images, strict=True))
    n_weights = sum(weigh_cut(images[row]) == labels.cut_weights[row] for row in several)
    n_same = sum(_sort(images[row].objects) == _sort(labels.objects.get_objects(row)) for row in unique)
    for what, n, n_total, note in (
        ("number of objects by the most frequent answer", n_objects, len(images), ""),
        ("main label", n_main, len(images), ""),
        ("weight of the heaviest cut, images with several objects", n_weights, len(several), ""),
        (
            "objects where the heaviest cut is unique",
            n_same,
            len(unique),
            _tell_ties(len(several) - len(unique)),
        ),
    ):
        yield FIGURES.every(f"release: {what}", found=(n, n_total), note=note)
    n_differ = sum(image.dataset_object not in {None, image.main_object} for image in map(images.__getitem__, several))
    yield replace(FIGURES, is_whole=study.is_whole).count(
        "§4.1: main object is not the dataset's, by the release's own objects",
        published=(N_MAIN_DIFFERS, N_MULTI_OBJECT),
        found=(n_differ, len(several)),
        note="images without a dataset object count as agreeing",
    )


def _tell_ties(n_tied: int) -> str:
    """What of images that several partitions fit equally well."""
    if not n_tied:
        return ""
    return f"on the other {n_tied:,} images several partitions weigh the same, and the order decides"


def weigh_cut(image: ClassifiedImage) -> int:
    """How many pairs that one annotator selected together lie in different released objects."""
    object_of = {label: number for number, labels in enumerate(image.objects) for label in labels}
    pairs = (pair for labels in image.selected if len(labels) > 1 for pair in combinations(labels, 2))
    return sum(object_of[first] != object_of[second] for first, second in pairs)


def _sort(objects: Sequence[Sequence[int]]) -> list[list[int]]:
    return sorted(sorted(labels) for labels in objects)
