"""Answers to CONTAINS grids → selection frequencies, and verdicts from them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeAlias, Unpack, cast

import numpy as np

from regauge.errors import InputError
from regauge.formats.classes import check_indices
from regauge.formats.exports.writers import write_truth
from regauge.formats.responses.contains import load_contains_responses, read_contains_frame
from regauge.formats.responses.data_frames import DataFrame, is_data_frame
from regauge.formats.text import read_text
from regauge.labels.frequencies.results import aggregate, judge
from regauge.labels.frequencies.verdicts import UNJUDGED, judge_counts
from regauge.records.keywords import ContainsKeywords, choose_settings
from regauge.records.labels.contains import ContainsLabels, ContainsSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.answers import ContainsResponses
from regauge.records.taxonomy import Taxonomy
from regauge.responses.grouping import group_votes
from regauge.storage.files import write_whole
from regauge.workflows.inputs import TaxonomyLike, load_truth, open_taxonomy

ContainsLike: TypeAlias = ContainsResponses | DataFrame | str | Path | Sequence[str | Path]


def aggregate_contains(
    responses: ContainsLike,
    *,
    taxonomy: TaxonomyLike = None,
    settings: ContainsSettings | None = None,
    images: str | Path | Collection[str] | None = None,
    **keywords: Unpack[ContainsKeywords],
) -> ContainsLabels:
    """How many distinct annotators were shown each (image, class) pair and selected it, over the answers that pass screening.

    Args:
        responses: a data frame with the columns of the table in docs/formats.md; files of any format there; or a record.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record; without it classes are given by index.
        settings: when answers are dropped, whom to keep, where intervals come from, which frequency makes which verdict; or
            each of them by its keyword, as in `method="beta-binomial"`.
        images: the images that answers may be about: ids, a text file with one per line, or a truth; any by default.
        keywords: fields of `ContainsSettings`, words for choices.

    Raises:
        InputError: an answer cannot be used, or nobody is left.
    """
    chosen = choose_settings(ContainsSettings, settings, keywords=keywords)
    classes = open_taxonomy(taxonomy)
    answers, notes = _open(responses, classes)
    if images is not None:
        _check_images(answers, images, taxonomy=classes)
    return aggregate(answers, chosen, notes=notes)


def make_labels(labels: ContainsLabels, *, name: str) -> LabelSet:
    """The verdicts that the rule of the settings makes of the frequencies; a class without one is unjudged."""
    return judge(labels, name=name)


def save_labels(labels: ContainsLabels, path: Path) -> LabelSet:
    """Write the verdicts, with the counts behind them, as a truth in JSON Lines; it is named after the file."""
    label_set = make_labels(labels, name=path.stem)
    with write_whole(path, replaces=True) as partial:
        write_truth(Truth(label_sets=(label_set,), frequencies=(labels.counts,)), path=partial)
    return label_set


def describe_verdicts(labels: ContainsLabels) -> str:
    """The rule, and how many pairs it makes correct, unclear, wrong and leaves unjudged."""
    verdicts = judge_counts(labels.counts, labels.settings.verdicts, probabilities=labels.probabilities)
    named = {verdict.name.lower(): int(verdict) for verdict in reversed(Verdict)} | {"unjudged": UNJUDGED}
    parts = (f"{np.count_nonzero(verdicts == code):,} {name}" for name, code in named.items())
    return f"Verdicts by {labels.settings.verdicts.describe()}: {', '.join(parts)}."


def _open(responses: ContainsLike, taxonomy: Taxonomy | None) -> tuple[ContainsResponses, tuple[str, ...]]:
    if isinstance(responses, ContainsResponses):
        check_indices(responses.grids.classes, taxonomy)
        if not len(responses):
            raise InputError("There are no answers; at least one response is needed.")
        return responses, ()
    if is_data_frame(responses):
        votes = read_contains_frame(responses, taxonomy=taxonomy)
    else:
        paths = [responses] if isinstance(responses, str | Path) else list(cast("Sequence[str | Path]", responses))
        votes = load_contains_responses(paths, taxonomy=taxonomy)
    return group_votes(votes), votes.notes


def _check_images(
    responses: ContainsResponses, images: str | Path | Collection[str], *, taxonomy: Taxonomy | None
) -> None:
    """Refuse answers about images that are not on the list."""
    if not isinstance(images, str | Path):
        known, where = set(images), "the given images"
    elif Path(images).suffix.lower() == ".txt":
        known, where = {line.strip() for line in read_text(Path(images)).split("\n")}, str(images)
    else:
        truth = load_truth(images, taxonomy=taxonomy)
        parts = (*((truth.test_set,) if truth.test_set is not None else ()), *truth.label_sets)
        known, where = {one for part in parts for one in part.image_ids.tolist()}, str(images)
    unknown = [one for one in responses.grids.image_ids.tolist() if one not in known]
    if unknown:
        raise InputError(
            f"Image {unknown[0]!r} of the answers is not in {where} ({len(unknown):,} of "
            f"{len(responses.grids.image_ids):,} images are not); add it there, or leave out the answers about it."
        )
