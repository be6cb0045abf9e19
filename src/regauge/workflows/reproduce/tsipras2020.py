"""Tsipras, Santurkar, Engstrom, Ilyas, Madry (2020), From ImageNet to Image Classification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from regauge.candidates.potential import find_potential_labels
from regauge.formats.published import VALIDATION, load_released_set, load_split, name_validation_image
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.reproductions import ReproducedFigure, Reproduction
from regauge.records.testsets import TestSet
from regauge.taxonomy.groups import find_groups
from regauge.workflows.reproduce.checks import Figures
from regauge.workflows.reproduce.tsipras2020_objects import (
    N_FOLLOW_UP,
    check_answers,
    check_predictions,
    count_selected_among,
    study_classify,
)

TITLE = "Tsipras et al. 2020, From ImageNet to Image Classification"
FIGURES = Figures("tsipras2020")

SUPERCLASS_SIZES = "130 88 59 60 61 63 172 90 92 117 68"

APPENDIX_ACCURACIES = {
    "alexnet": "56.52 / 79.07",
    "vgg16": "71.59 / 90.38",
    "resnet50": "76.13 / 92.86",
    "densenet161": "77.14 / 93.56",
    "resnet101": "77.37 / 93.55",
}
"""Appendix Table 1, the rows whose models are the released ones of Recht et al. (2019)."""

STAND_INS = (
    *APPENDIX_ACCURACIES,
    "inception_v3",
    "inception_v1_tf",
    "mobilenet_v1_tf",
    "resnext101_32x4d",
    "pnasnet5large",
)
"""Ten models for potential labels: those of the paper where Recht et al. have them, then the nearest of their kind."""


def reproduce(folder: Path) -> Reproduction:
    """What the split and the released half of the CLASSIFY study give."""
    sections = (
        (_check_superclasses, "Appendix A.1.1: superclasses"),
        (partial(_check_split, folder), "Sections 3 and 4: the split"),
        (partial(_check_potential, folder), "Section 3.1: potential labels"),
        (partial(check_answers, folder), "Section 4: objects"),
        (partial(_check_models, folder), "Appendix Table 1"),
        (partial(check_predictions, folder), "Figures 3, 4, 5, 8 and 21"),
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
        "B.2: easy images and those with too few annotators",
        published=f"{10_000 - N_FOLLOW_UP - 150:,}",
        recomputed=f"{sizes['easy'] + sizes['amb']:,}",
        note=f"what the printed sizes leave of 10,000: {sizes['easy']:,} easy and {sizes['amb']:,} with too few",
    )
    yield FIGURES.equal(
        "§4: images that nobody said contain their label", published="150", recomputed=f"{sizes['mis']:,}"
    )


def _check_models(folder: Path) -> Iterator[ReproducedFigure]:
    released = load_released_set(folder, VALIDATION)
    hits = released.answers == released.test_set.labels[np.newaxis, :, np.newaxis]
    for model, published in APPENDIX_ACCURACIES.items():
        own = hits[released.models.index(model)]
        recomputed = f"{100 * own[:, 0].mean():.2f} / {100 * own.any(axis=1).mean():.2f}"
        yield FIGURES.equal(f"Appendix Table 1: {model}, top-1 / top-5", published=published, recomputed=recomputed)


def _check_potential(folder: Path) -> Iterator[ReproducedFigure]:
    released = load_released_set(folder, VALIDATION)
    chosen = np.isin(released.test_set.image_ids, [name_validation_image(image) for image in load_split(folder)])
    images = TestSet("study", released.test_set.image_ids[chosen], released.test_set.labels[chosen])
    per_class = np.bincount(images.labels)
    yield FIGURES.equal(
        "§3: images of every class", published="10", recomputed="10" if (per_class == 10).all() else "not always 10"
    )
    found = find_potential_labels(map(released.get_predictions, STAND_INS), images)
    yield FIGURES.differs(
        "§3.1: potential labels per image",
        published="about 14",
        recomputed=f"{len(found) / len(images):.1f}",
        note="from the dataset label and five answers of ten models; five of the authors' ten are the released ones, the others "
        f"stand in for models of that kind: {', '.join(STAND_INS[5:])}",
    )
    study = study_classify(folder)
    n_found, n_selected = count_selected_among(study.labels, found)
    yield FIGURES.differs(
        "§3.1: labels selected in CLASSIFY that are potential labels",
        published="all",
        recomputed=f"{100 * n_found / n_selected:.1f}% ({n_found:,} of {n_selected:,})",
        note="by the same ten models; the predictions of the authors' other five are not in the folder given",
    )


def _list_absent() -> Iterator[ReproducedFigure]:
    answers = "the answers of the CONTAINS study are not in the folder given"
    yield FIGURES.absent("§4.2: images with another label selected as often as the dataset's", "40%", note=answers)
    yield FIGURES.absent("Figures 7–9: selection frequencies of predictions", "", note=answers)
    yield FIGURES.absent(
        "B.2: which images are easy, ambiguous or mislabeled",
        "",
        note=f"{answers}; only the size of each part can be compared",
    )
    yield FIGURES.absent(
        "Figures 11 and 13: histograms of labels offered",
        "",
        note="the labels that annotators were offered are not in the folder given",
    )
