"""Tsipras, Santurkar, Engstrom, Ilyas, Madry (2020), From ImageNet to Image Classification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from regauge.formats.published import (
    VALIDATION,
    ClassifiedImage,
    load_classified_images,
    load_released_set,
    load_split,
    name_validation_image,
)
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.arrays import BoolArray
from regauge.records.reproductions import Agreement, ReproducedFigure, Reproduction
from regauge.taxonomy.groups import find_groups
from regauge.workflows.reproduce.checks import Figures

TITLE = "Tsipras et al. 2020, From ImageNet to Image Classification"
FIGURES = Figures("tsipras2020")

SUPERCLASS_SIZES = "130 88 59 60 61 63 172 90 92 117 68"
N_FOLLOW_UP = 6_761
N_MULTI_OBJECT = 2_156

APPENDIX_ACCURACIES = {
    "alexnet": "56.52 / 79.07",
    "vgg16": "71.59 / 90.38",
    "resnet50": "76.13 / 92.86",
    "densenet161": "77.14 / 93.56",
    "resnet101": "77.37 / 93.55",
}
"""Appendix Table 1, the rows whose models are the released ones of Recht et al. (2019)."""


def reproduce(folder: Path) -> Reproduction:
    """What the split and the released half of the CLASSIFY study give."""
    sections = (
        (_check_superclasses, "Appendix A.1.1: superclasses"),
        (partial(_check_split, folder), "Sections 3 and 4: the split"),
        (partial(_check_classify, folder), "Section 4: objects"),
        (partial(_check_models, folder), "Appendix Table 1 and Figure 3"),
    )
    figures = [figure for make, name in sections for figure in FIGURES.attempt(make, figure=name)]
    return Reproduction("tsipras2020", TITLE, (*figures, *_list_absent()))


def _check_superclasses() -> Iterator[ReproducedFigure]:
    groups = find_groups(load_taxonomy("imagenet-1k"), "superclass")
    sizes = " ".join(str(len(members)) for members in groups.values())
    yield FIGURES.equal(
        "A.1.1: sizes of the superclasses", published=SUPERCLASS_SIZES, recomputed=sizes, note="derived from WordNet"
    )


def _check_split(folder: Path) -> Iterator[ReproducedFigure]:
    sizes = Counter(load_split(folder).values())
    yield FIGURES.equal("§3: images in the study", published="10,000", recomputed=f"{sizes.total():,}")
    yield FIGURES.equal(
        "§3.2: images in the follow-up study", published=f"{N_FOLLOW_UP:,}", recomputed=f"{sizes['fu']:,}"
    )
    yield FIGURES.equal(
        "§4: images that nobody said contain their label", published="150", recomputed=f"{sizes['mis']:,}"
    )


def _check_classify(folder: Path) -> Iterator[ReproducedFigure]:
    images = load_classified_images(folder)
    multi = [image for image in images if image.n_objects > 1]
    yield FIGURES.sample(
        "§4.1: images with several objects, of the follow-up",
        f"{100 * N_MULTI_OBJECT / N_FOLLOW_UP:.1f}% ({N_MULTI_OBJECT:,} of {N_FOLLOW_UP:,})",
        share=N_MULTI_OBJECT / N_FOLLOW_UP,
        count=(len(multi), len(images)),
    )
    judged = [image for image in multi if image.dataset_object is not None]
    disagreeing = sum(image.main_object != image.dataset_object for image in judged)
    yield FIGURES.sample(
        "§4.1: main object is not the dataset's, of images with several",
        f"{100 * 650 / N_MULTI_OBJECT:.1f}% (650 of {N_MULTI_OBJECT:,})",
        share=650 / N_MULTI_OBJECT,
        count=(disagreeing, len(multi)),
        note="images without a dataset object count as agreeing",
    )
    unseen = sum(all(image.label not in labels for labels in image.selected) for image in images)
    yield FIGURES.sample(
        "§4: dataset label that nobody selected in CLASSIFY",
        f"{100 * 119 / N_FOLLOW_UP:.1f}% (119 of {N_FOLLOW_UP:,})",
        share=119 / N_FOLLOW_UP,
        count=(unseen, len(images)),
    )
    yield from _check_released_rules(images)


def _check_released_rules(images: Sequence[ClassifiedImage]) -> Iterator[ReproducedFigure]:
    """The released number of objects is the most frequent number of labels selected, the first seen winning a tie."""
    n_equal = sum(Counter(map(len, image.selected)).most_common(1)[0][0] == image.n_objects for image in images)
    yield FIGURES.equal(
        "release: number of objects by the most frequent answer",
        published=f"{len(images):,}",
        recomputed=f"{n_equal:,}",
    )


def _check_models(folder: Path) -> Iterator[ReproducedFigure]:
    released = load_released_set(folder, VALIDATION)
    labels = released.test_set.labels
    hits = released.answers == labels[np.newaxis, :, np.newaxis]
    for model, published in APPENDIX_ACCURACIES.items():
        own = hits[released.models.index(model)]
        recomputed = f"{100 * own[:, 0].mean():.2f} / {100 * own.any(axis=1).mean():.2f}"
        yield FIGURES.equal(f"Appendix Table 1: {model}, top-1 / top-5", published=published, recomputed=recomputed)
    yield from _check_drop(
        folder, {name: row for row, name in enumerate(released.test_set.image_ids.tolist())}, hits[:, :, 0]
    )


def _check_drop(folder: Path, row_of: dict[str, int], is_right: BoolArray) -> Iterator[ReproducedFigure]:
    split = load_split(folder)
    images = load_classified_images(folder)
    multi = [row_of[name_validation_image(image.image)] for image in images if image.n_objects > 1]
    single = [row_of[name_validation_image(image.image)] for image in images if image.n_objects == 1]
    single += [row_of[name_validation_image(image)] for image, part in split.items() if part == "easy"]
    # The three models before AlexNet are last by accuracy; the paper has networks only.
    networks = np.argsort(-is_right.mean(axis=1))[:64]
    drops = 100 * (is_right[networks][:, single].mean(axis=1) - is_right[networks][:, multi].mean(axis=1))
    yield ReproducedFigure(
        paper=FIGURES.paper,
        figure="Figure 3: top-1 drop on images with several objects, every model",
        published="> 10 points",
        recomputed=f"{drops.min():.1f} – {drops.max():.1f} points",
        agreement=Agreement.CONSISTENT if drops.min() > 10 else Agreement.DIFFERS,
        expected=Agreement.CONSISTENT,
        note="on the released half, for the 64 networks of Recht et al. (2019); the authors' own predictions were not released",
    )


def _list_absent() -> Iterator[ReproducedFigure]:
    answers = "the answers of the CONTAINS study were not released"
    yield FIGURES.absent("§4.2: images with another label selected as often as the dataset's", "40%", note=answers)
    yield FIGURES.absent("Figures 7–9: selection frequencies of predictions", "", note=answers)
