"""The CLASSIFY study of Tsipras et al. (2020): its answers, all or those there are, put through the stages of this package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from regauge.arrays import CountArray
from regauge.estimates import Share
from regauge.formats.releases.folders import DataFolders
from regauge.labels.objects.summary import summarise_labels
from regauge.records.labels.objects import ClassifyLabels
from regauge.records.reproductions import FigureAgreement, ReproducedFigure
from regauge.stats.intervals import clopper_pearson
from regauge.workflows.reproduce.checks import Figures, leave_open
from regauge.workflows.reproduce.tsipras2020_study import (
    N_FOLLOW_UP,
    N_MAIN_DIFFERS,
    N_MULTI_OBJECT,
    ObjectStudy,
    study_classify,
)

FIGURES = Figures("tsipras2020")

N_STUDY = 10_000
N_NEVER_SELECTED = 119
N_KEPT_TASKS = 59_580
N_DROPPED_TASKS = 1_269
N_ANNOTATORS = 9
N_EASY = 2_923


def check_answers(data: DataFolders) -> Iterator[ReproducedFigure]:
    """Figures that need the answers alone."""
    study = study_classify(data)
    summary = summarise_labels(study.labels)
    figures = [*_check_counts(study, summary), *_check_shares(study, summary), *_check_confidence(study.labels)]
    # Of the whole study only what is counted was known when this was written.
    is_open = [study.is_whole and figure.expected is FigureAgreement.CONSISTENT for figure in figures]
    yield from (leave_open(figure) if one else figure for figure, one in zip(figures, is_open, strict=True))


def _check_counts(study: ObjectStudy, summary: dict[str, Share[float | None]]) -> Iterator[ReproducedFigure]:
    figures = replace(FIGURES, is_whole=study.is_whole)
    yield FIGURES.statement(
        "B.2: responses that our screening ignores, the authors' being done",
        published="none",
        recomputed=f"{study.n_responses - study.n_accepted:,}",
        holds=study.n_responses == study.n_accepted,
        note="the answers there are those that the authors kept",
    )
    n_tasks = N_KEPT_TASKS + N_DROPPED_TASKS
    yield figures.count(
        "B.2: tasks kept, of nine per image",
        published=(N_KEPT_TASKS, n_tasks),
        found=(study.n_responses, N_ANNOTATORS * len(study.images)),
        note=f"the paper calls {N_KEPT_TASKS:,} the total, but 6,761 × 9 − {N_DROPPED_TASKS:,} are {N_KEPT_TASKS:,}",
    )
    several = summary["several_objects"]
    yield figures.count(
        "§4.1: images with several objects, of the follow-up",
        published=(N_MULTI_OBJECT, N_FOLLOW_UP),
        found=(several.k, several.n),
    )
    yield _check_fifth(study, several)


def _check_fifth(study: ObjectStudy, several: Share[float | None]) -> ReproducedFigure:
    """More than a fifth of all 10,000 images: counted where the follow-up is whole, else from the interval of the part."""
    figure, published = (
        "§4.1: images with several objects, of all 10,000",
        f"more than a fifth ({N_MULTI_OBJECT / N_STUDY:.1%})",
    )
    if study.is_whole:
        recomputed = f"{several.k / N_STUDY:.1%}"
        return FIGURES.statement(figure, published=published, recomputed=recomputed, holds=several.k > N_STUDY / 5)
    part = N_FOLLOW_UP / N_STUDY
    low, high = (part * float(limit) for limit in clopper_pearson(several.k, several.n, level=0.99))
    return FIGURES.statement(
        figure,
        published=published,
        recomputed=f"{100 * part * several.k / several.n:.1f}% [{100 * low:.2f}, {100 * high:.2f}]",
        holds=low <= N_MULTI_OBJECT / N_STUDY <= high,
        note=f"the share of the images there, with a 99% interval, times {N_FOLLOW_UP:,} of {N_STUDY:,}{_tell_fifth(low, high)}",
    )


def _tell_fifth(low: float, high: float) -> str:
    """What the interval of a share says of a fifth where it does not show more than that."""
    if low > 1 / 5:
        return ""
    return "; it does not rule out a fifth" if high >= 1 / 5 else "; it lies below a fifth"


def _check_shares(study: ObjectStudy, summary: dict[str, Share[float | None]]) -> Iterator[ReproducedFigure]:
    figures = replace(FIGURES, is_whole=study.is_whole)
    differs = summary["main_not_dataset_object"]
    yield figures.count(
        "§4.1: main object is not the dataset's, of images with several",
        published=(N_MAIN_DIFFERS, N_MULTI_OBJECT),
        found=(differs.k, differs.n),
        expected=None,
        note="images without a dataset object count as agreeing; our partitions and main objects decide ties in their own way",
    )
    unselected = summary["dataset_label_unselected"]
    yield figures.count(
        "§4: dataset label that nobody selected in CLASSIFY",
        published=(N_NEVER_SELECTED, N_FOLLOW_UP),
        found=(unselected.k, unselected.n),
        expected=FigureAgreement.DIFFERS,
        note="" if study.is_whole else "the whole release has 121",
    )
    same = summary["main_is_dataset_label"]
    agreeing = N_FOLLOW_UP * same.k / same.n + N_EASY
    yield FIGURES.statement(
        "§5.2: main label is the dataset label",
        published="about 80%",
        recomputed=f"{100 * agreeing / (N_FOLLOW_UP + N_EASY):.1f}%",
        holds=0.75 <= agreeing / (N_FOLLOW_UP + N_EASY) < 0.85,
        note=f"with the {N_EASY:,} easy images, which count as agreeing; {100 * same.k / same.n:.1f}% "
        f"({same.k:,} of {same.n:,}) without them",
    )


def _check_confidence(labels: ClassifyLabels) -> Iterator[ReproducedFigure]:
    n_objects, confidences = labels.objects.n_objects, labels.confidences
    mean_of = {int(n): float(confidences[n_objects == n].mean()) for n in np.unique(n_objects)}
    yield FIGURES.statement(
        "Figure 16: annotators agree on the number of objects",
        published="largely",
        recomputed=f"{100 * confidences.mean():.0f}%; {_list_means(mean_of)}",
        holds=bool(confidences.mean() > 0.5),
        note=f"mean confidence, more than half being our reading of largely{_tell_doubts(n_objects, mean_of)}",
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


def _list_means(mean_of: Mapping[int, float]) -> str:
    """Means by number of objects, which need not be all from 1 on."""
    return ", ".join(f"{100 * mean:.0f}% with {n}" for n, mean in mean_of.items())


def _tell_doubts(n_objects: CountArray, mean_of: Mapping[int, float]) -> str:
    """On which images annotators agree no more than half of the time on average."""
    doubted = [n for n, mean in mean_of.items() if mean <= 0.5]
    if not doubted:
        return ""
    n_images = int(np.isin(n_objects, doubted).sum())
    return f"; it is half or less on the {n_images:,} images with {' or '.join(map(str, doubted))} objects"
