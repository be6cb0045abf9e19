"""Networks on the images of the CLASSIFY study of Tsipras et al. (2020), with those of Recht et al. (2019) for the authors'."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regauge.errors import MissingDataError
from regauge.estimates import DEFAULT_LEVEL
from regauge.evaluation.context.several.answers import (
    ANY_OBJECT,
    TOP1,
    ChanceComparison,
    compare_with_chance,
    weigh_corrections,
)
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_released_set
from regauge.formats.releases.published import VALIDATION
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.reproductions import ReproducedFigure
from regauge.workflows.reproduce.checks import Figures, expect_to_differ
from regauge.workflows.reproduce.tsipras2020_study import ALMOST, NetworkAnswers, line_up_networks

FIGURES = Figures("tsipras2020")

VANISHED = 5
"""A gap of fewer points has virtually vanished, by our reading."""
N_NETWORKS = 64
N_RECENT = 10
_CHANCE = ContextSettings(level=0.99)


def load_answers(data: DataFolders) -> NetworkAnswers:
    """The answers of the 64 networks of Recht et al. (2019), the most accurate first."""
    released = load_released_set(data, VALIDATION)
    # The three models before AlexNet are last by accuracy; the paper has networks only.
    if len(released.models) < N_NETWORKS:
        raise MissingDataError(
            f"predictions of {N_NETWORKS} networks on {VALIDATION}; {len(released.models)} are there"
        )
    return line_up_networks(data, released, n_networks=N_NETWORKS)


def check_predictions(data: DataFolders) -> Iterator[ReproducedFigure]:
    """Figures about models, with the networks of Recht et al. (2019) in the place of the authors' own."""
    answers = load_answers(data)
    several = answers.several
    if not several.any():
        raise MissingDataError("images with several objects")
    drops = 100 * (answers.average(TOP1, ~several) - answers.average(TOP1, several))
    yield FIGURES.statement(
        "Figure 3: top-1 drop on images with several objects, every model",
        published="> 10 points",
        recomputed=f"{drops.min():.1f} – {drops.max():.1f} points",
        holds=bool(drops.min() > 10),
        note=f"{_name_part(answers)}, for {len(drops)} networks of Recht et al. (2019)",
    )
    yield from _check_any_object(answers)
    yield from _check_random(answers)
    yield from _check_main_labels(answers)
    yield from _check_corrections(answers)


def _name_part(answers: NetworkAnswers) -> str:
    return f"on the {len(answers.labels):,} images of the follow-up that are there"


def _check_any_object(answers: NetworkAnswers) -> Iterator[ReproducedFigure]:
    of_several = answers.average(ANY_OBJECT, answers.several)
    gaps = 100 * (answers.average(ANY_OBJECT, ~answers.several) - of_several)
    by_label = 100 * (answers.average(TOP1, ~answers.several) - of_several)
    yield expect_to_differ(
        FIGURES.statement(
            "Figure 4: gap between images with one and several objects when the name of any object counts",
            published="virtually vanishes",
            recomputed=f"{gaps.min():.1f} – {gaps.max():.1f} points",
            holds=bool((abs(gaps) < VANISHED).all()),
            note=f"by the name that annotators gave the one object, {int((gaps < 0).sum())} of {len(gaps)} networks do better on "
            f"several; by the dataset label of images with one object the gap is {by_label.min():.1f} – {by_label.max():.1f} "
            f"points. The paper does not say which; within {VANISHED} points being our reading of virtually",
        )
    )


OTHER_MAIN = "Figure 5: top-1 where the main object is not the dataset's, against naming one at random", "still high"


def _check_random(answers: NetworkAnswers) -> Iterator[ReproducedFigure]:
    shown = compare_with_chance(answers.answers, answers.several, settings=_CHANCE)
    yield expect_to_differ(
        FIGURES.statement(
            "§4.1: top-1 on images with several objects, against naming one at random",
            published="much better",
            recomputed=_describe(shown),
            holds=_count_above(shown) == len(shown.n),
            note=f"{_describe_level(shown)} {_name_part(answers)}",
        )
    )
    differs = answers.images.has_other_main
    figure, published = OTHER_MAIN
    if not differs.any():
        yield FIGURES.absent(figure, published, note=str(MissingDataError("images whose main object is another")))
        return
    shown = compare_with_chance(answers.answers, differs, settings=_CHANCE)
    yield expect_to_differ(
        FIGURES.statement(
            figure,
            published=published,
            recomputed=_describe(shown),
            holds=2 * _count_above(shown) > len(shown.n),
            note=f"no number is printed; {_describe_level(shown)} on {int(differs.sum()):,} images",
        )
    )


def _count_above(shown: ChanceComparison) -> int:
    """Networks whose 99% interval lies above chance."""
    return int((shown.top1_limits.low > shown.chance).sum())


def _count_below(shown: ChanceComparison) -> int:
    return int((shown.top1_limits.high < shown.chance).sum())


def _describe(shown: ChanceComparison) -> str:
    """The span of the accuracies, chance, and how many networks lie off it for certain."""
    low, high = 100 * shown.top1.min(), 100 * shown.top1.max()
    return (
        f"{low:.1f} – {high:.1f}% against {100 * shown.chance[0]:.1f}%: of {len(shown.n)} networks {_count_above(shown)} above, "
        f"{_count_below(shown)} below"
    )


def _describe_level(shown: ChanceComparison) -> str:
    """How many networks do not lie off chance for certain."""
    n_level = len(shown.n) - _count_above(shown) - _count_below(shown)
    return f"{n_level} of {len(shown.n)} cannot be told from chance"


def _check_main_labels(answers: NetworkAnswers) -> Iterator[ReproducedFigure]:
    images, labels = answers.images, answers.labels
    main_of = dict(zip(labels.objects.image_ids.tolist(), labels.main_labels.tolist(), strict=True))
    ids = answers.image_ids
    mains = np.array(
        [main_of.get(image_id, label) for image_id, label in zip(ids, images.labels.tolist(), strict=True)]
    )
    every = np.ones(len(images), np.bool_)
    networks = images.weigh(answers.answers.firsts == mains, every, level=DEFAULT_LEVEL).value
    dataset = float(images.weigh(images.labels == mains, every, level=DEFAULT_LEVEL).value)
    yield expect_to_differ(
        FIGURES.statement(
            "Figure 8: main-label accuracy of the best network and of the dataset labels",
            published="almost equal",
            recomputed=f"{100 * networks.max():.1f}% and {100 * dataset:.1f}%",
            holds=bool(abs(networks.max() - dataset) < ALMOST),
            note=f"the authors' best networks are of a later year; {100 * ALMOST:g} points being our reading of almost",
        )
    )


CORRECTIONS = "C.1: top-5 corrections that are another object of the image, recent networks", "about 20%"


def _check_corrections(answers: NetworkAnswers) -> Iterator[ReproducedFigure]:
    _, _, found = weigh_corrections(answers.answers, level=DEFAULT_LEVEL)
    recent = 100 * found.value[:N_RECENT]
    figure, published = CORRECTIONS
    if np.isnan(found.value).any():
        yield FIGURES.absent(figure, published, note=str(MissingDataError("top-5 corrections of all networks")))
        return
    yield FIGURES.statement(
        figure,
        published=published,
        recomputed=f"{recent.min():.0f} – {recent.max():.0f}%",
        holds=bool((recent > 15).all() and (recent < 25).all()),
        note=f"the {N_RECENT} most accurate of the {N_NETWORKS} networks, 15 to 25 being our reading of about 20; "
        f"{100 * found.value[-1]:.0f}% for the least accurate",
    )
