"""Tsipras et al. (2020): the CONTAINS study and the authors' own models, from the frames in their repository.

Neither frame was at hand when this was written: their columns are known from the authors' notebook, so that what comes out is
compared and told, and is no surprise either way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from regauge.candidates.split import split_images
from regauge.errors import MissingDataError
from regauge.evaluation.context.basis.fewer import count_rivals
from regauge.evaluation.context.basis.selections import RowVotes, bound_means, line_up_selections
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.several.answers import TOP1
from regauge.evaluation.context.validation import line_up_rivals
from regauge.evaluation.targets import Target, line_up
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_contains_counts, load_own_predictions, load_split
from regauge.formats.releases.published import name_validation_image
from regauge.records.candidates import SplitPart
from regauge.records.labels.label_set import Truth
from regauge.records.reproductions import ReproducedFigure
from regauge.workflows.reproduce.checks import Figures, Planned, format_share, leave_open
from regauge.workflows.reproduce.tsipras2020_study import ALMOST, line_up_networks

FIGURES = Figures("tsipras2020")

RIVALS = [("§4.2: images with another label selected at least as often as the dataset's", "nearly 40%")]
OFFERED = [("Figure 11: labels that people were asked about, per image", "about 14")]
PARTS = [("B.2: images in the part of the study where our rules put them", "all")]
PREDICTED = [
    ("Figure 8: mean selection frequency of the best model's answers and of the dataset labels", "almost equal")
]
DROPS = [("Figure 3: top-1 drop on images with several objects, the authors' own models", "> 10 points")]

_PARTS = {"easy": SplitPart.EASY, "mis": SplitPart.MISLABELED, "amb": SplitPart.AMBIGUOUS, "fu": SplitPart.FOLLOW_UP}

Section = tuple[Callable[[], Iterator[ReproducedFigure]], Planned]


def list_sections(data: DataFolders) -> list[Section]:
    """What needs the answers to CONTAINS or the authors' own predictions."""
    return [
        (partial(_check_rivals, data), RIVALS),
        (partial(_check_offered, data), OFFERED),
        (partial(_check_parts, data), PARTS),
        (partial(_check_predicted, data), PREDICTED),
        (partial(_check_drops, data), DROPS),
    ]


def _check_rivals(data: DataFolders) -> Iterator[ReproducedFigure]:
    votes, _ = _line_up(data)
    rivalry, n_unknown = line_up_rivals(votes)
    n = int((count_rivals(rivalry, 10) > 0).sum())
    n_images = len(rivalry.own_shown)
    share = n / n_images
    yield leave_open(
        FIGURES.statement(
            RIVALS[0][0],
            published=RIVALS[0][1],
            recomputed=format_share(n, n_images),
            holds=0.37 <= share < 0.405,
            note=f"37 to 40 being our reading of nearly 40{_tell_unknown(n_unknown)}",
        )
    )


def _check_offered(data: DataFolders) -> Iterator[ReproducedFigure]:
    counts, _ = load_contains_counts(data)
    mean = len(counts) / len(counts.image_ids)
    figure, published = OFFERED[0]
    yield leave_open(
        FIGURES.statement(figure, published=published, recomputed=f"{mean:.1f}", holds=13.5 <= mean < 14.5)
    )


def _check_parts(data: DataFolders) -> Iterator[ReproducedFigure]:
    counts, test_set = load_contains_counts(data)
    released = {name_validation_image(image): _PARTS.get(part) for image, part in load_split(data).items()}
    ours = split_images(counts, test_set)
    pairs = zip(ours.image_ids.tolist(), ours.parts, strict=True)
    n_same = sum(released.get(image) is part for image, part in pairs)
    yield leave_open(
        FIGURES.statement(
            PARTS[0][0],
            published=PARTS[0][1],
            recomputed=format_share(n_same, len(ours)),
            holds=n_same == len(ours),
            note="by the counts of CONTAINS, against the split in the repository",
        )
    )


def _check_predicted(data: DataFolders) -> Iterator[ReproducedFigure]:
    votes, target = _line_up(data)
    own = load_own_predictions(data)
    row_of = {image: row for row, image in enumerate(own.test_set.image_ids.tolist())}
    rows = [row_of[image] for image in target.image_ids.tolist()]
    firsts = np.vstack([own.answers[:, rows, 0], target.dataset_labels])
    found = [votes.find(one.astype(np.int32)) for one in firsts]
    selected, shown = (np.array(part) for part in zip(*found, strict=True))
    *means, dataset = bound_means(selected, shown, is_counted=np.ones(firsts.shape, np.bool_))[0].tolist()
    best = int(np.argmax(means))
    yield leave_open(
        FIGURES.statement(
            PREDICTED[0][0],
            published=PREDICTED[0][1],
            recomputed=f"{means[best]:.3f} ({own.models[best]}) and {dataset:.3f}",
            holds=abs(means[best] - dataset) < ALMOST,
            note=f"{ALMOST:g} being our reading of almost; an answer that nobody was asked about counts as never selected",
        )
    )


def _line_up(data: DataFolders) -> tuple[RowVotes, Target]:
    """The counts by row of the images that have any."""
    counts, test_set = load_contains_counts(data)
    material = ContextMaterial(line_up(Truth(test_set)), counts=counts)
    votes = line_up_selections(material)
    if votes is None:
        raise MissingDataError("answers to CONTAINS")
    return votes, material.target


def _tell_unknown(n: int) -> str:
    """What of images whose dataset label nobody was asked about."""
    return f"; {n:,} images whose label nobody was asked about are left out" if n else ""


def _check_drops(data: DataFolders) -> Iterator[ReproducedFigure]:
    own = load_own_predictions(data)
    answers = line_up_networks(data, own, n_networks=len(own.models))
    drops = 100 * (answers.average(TOP1, ~answers.several) - answers.average(TOP1, answers.several))
    yield leave_open(
        FIGURES.statement(
            DROPS[0][0],
            published=DROPS[0][1],
            recomputed=f"{drops.min():.1f} – {drops.max():.1f} points",
            holds=bool(drops.min() > 10),
            note=f"{len(own.models)} models on {len(answers.labels):,} images of the follow-up and the easy ones",
        )
    )
