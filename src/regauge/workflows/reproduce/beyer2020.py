"""Beyer, Hénaff, Kolesnikov, Zhai, van den Oord (2020), Are we done with ImageNet? The reassessed labels (ReaL)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

import numpy as np

from regauge.errors import FormatError, MissingDataError
from regauge.estimates import join_words
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_images
from regauge.formats.releases.published import VALIDATION, name_validation_image
from regauge.formats.releases.reassessed import load_label_lists, load_scores, load_votes
from regauge.records.reproductions import Basis, ReproducedFigure, Reproduction
from regauge.workflows.reproduce.checks import Figures

TITLE = "Beyer et al. 2020, Are we done with ImageNet? The reassessed labels"
FIGURES = Figures("beyer2020")

LISTS = "real.json", "real2020_labels.json"
KEPT = 0.8
"""A label is kept whose score is at least this."""

COUNTS = [
    ("release: validation images", "50,000"),
    ("release: images without a label", "3,163"),
    ("release: labels", "57,553"),
    ("release: images with more than one label", "7,443"),
]
ACCURACY = [("release: share of images whose dataset label is among their labels", "90.02%")]
SCORES = [
    ("release: labels that people were asked about", "184,962"),
    ("release: images asked about whose labels are those with a score of 0.8 or more", "all"),
    ("release: images that nobody was asked about keep their dataset label", "all"),
]
VOTES = {
    "raters.npz": ("release: people, questions and answers", "85, 184,962 and 924,810"),
    "golden.npz": ("release: experts, questions and answers", "5, 1,135 and 5,675"),
    "raters_golden.npz": ("release: people asked the experts' questions, and questions", "78 and 1,135"),
}


def reproduce(data: DataFolders) -> Reproduction:
    """How the files of the release fit together; the paper itself is not checked figure by figure."""
    figures = FIGURES.gather(
        (partial(_check_counts, data), COUNTS),
        (partial(_check_accuracy, data), ACCURACY),
        (partial(_check_scores, data), SCORES[:2]),
        (partial(_check_unasked, data), SCORES[2:]),
        *((partial(_check_votes, data, name), [planned]) for name, planned in VOTES.items()),
    )
    return Reproduction("beyer2020", TITLE, figures)


def _check_counts(data: DataFolders) -> Iterator[ReproducedFigure]:
    sizes = np.array([len(labels) for labels in _load_lists(data)])
    found = (len(sizes), (sizes == 0).sum(), sizes.sum(), (sizes > 1).sum())
    for (figure, published), n in zip(COUNTS, found, strict=True):
        yield FIGURES.equal(figure, published=published, recomputed=f"{int(n):,}", basis=Basis.ROWS)


def _check_accuracy(data: DataFolders) -> Iterator[ReproducedFigure]:
    lists, label_of = _load_lists(data), _index_labels(data)
    hits = [label_of[number] in labels for number, labels in enumerate(lists, start=1) if labels]
    figure, published = ACCURACY[0]
    yield FIGURES.equal(
        figure,
        published=published,
        recomputed=f"{100 * np.mean(hits):.2f}%",
        note=f"{sum(hits):,} of {len(hits):,} images with labels",
    )


def _index_labels(data: DataFolders) -> dict[int, int]:
    """The dataset label of each validation image that has a list, by number."""
    images = load_images(data, VALIDATION)
    label_of = dict(zip(images.image_ids.tolist(), images.labels.tolist(), strict=True))
    numbers = {number: name_validation_image(number) for number in range(1, len(_load_lists(data)) + 1)}
    lacking = next((name for name in numbers.values() if name not in label_of), None)
    if lacking is not None:
        raise MissingDataError(f"the dataset label of {lacking}")
    return {number: label_of[name] for number, name in numbers.items()}


def _gather_kept(data: DataFolders) -> tuple[int, dict[int, set[int]]]:
    """How many labels people were asked about, and per image those that are kept."""
    path = data.get("scores.npz")
    scores = load_scores(path)
    number_of = {name_validation_image(number): number for number in range(1, len(_load_lists(data)) + 1)}
    kept: defaultdict[int, set[int]] = defaultdict(set)
    for image, label, score in zip(
        scores.image_ids.tolist(), scores.classes.tolist(), scores.scores.tolist(), strict=True
    ):
        if image not in number_of:
            raise FormatError(
                path, f"a score is of one of the {len(number_of):,} images with label lists, not of {image}."
            )
        kept[number_of[image]].update([label] if score >= KEPT else [])
    return len(scores.scores), dict(kept)


def _load_lists(data: DataFolders) -> list[list[int]]:
    path = data.get(*LISTS)
    lists = load_label_lists(path)
    if not lists:
        raise FormatError(path, "the list of label lists is empty.")
    return lists


def _check_scores(data: DataFolders) -> Iterator[ReproducedFigure]:
    lists = _load_lists(data)
    n_asked, kept = _gather_kept(data)
    yield FIGURES.equal(SCORES[0][0], published=SCORES[0][1], recomputed=f"{n_asked:,}", basis=Basis.ROWS)
    n_same = sum(set(lists[number - 1]) == labels for number, labels in kept.items())
    yield FIGURES.every(SCORES[1][0], found=(n_same, len(kept)), note="scores.npz against real.json")


def _check_unasked(data: DataFolders) -> Iterator[ReproducedFigure]:
    lists, label_of = _load_lists(data), _index_labels(data)
    _, kept = _gather_kept(data)
    rest = [number for number in range(1, len(lists) + 1) if number not in kept]
    n_same = sum(lists[number - 1] == [label_of[number]] for number in rest)
    yield FIGURES.every(SCORES[2][0], found=(n_same, len(rest)))


def _check_votes(data: DataFolders, name: str) -> Iterator[ReproducedFigure]:
    votes = load_votes(data.get(name))
    n_people, n_questions = votes.answers.shape
    parts = [f"{n_people:,}", f"{n_questions:,}", f"{votes.n_answers:,}"]
    figure, published = VOTES[name]
    shown = parts[:2] if name == "raters_golden.npz" else parts
    per_question = np.unique(votes.n_per_question).tolist()
    make = FIGURES.equal if name == "golden.npz" else FIGURES.untried
    yield make(
        figure,
        published=published,
        recomputed=join_words(shown),
        basis=Basis.ROWS,
        note=f"{per_question[0]} to {per_question[-1]} answers a question"
        if len(per_question) > 1
        else f"{per_question[0]} answers to every question",
    )
