"""Look for classes that annotators cannot tell apart: votes on images, and the dataset labels of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from regauge.errors import InputError
from regauge.evaluation.context.basis.ambiguity import find_ambiguous
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.targets import line_up
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.labels.objects.easy import make_truth
from regauge.records.labels.classify import ClassifySettings
from regauge.taxonomy.lint import Finding
from regauge.workflows.inputs import CountsLike, TaxonomyLike, TruthLike, load_truth, open_taxonomy
from regauge.workflows.labels.aggregate_classify import aggregate_classify


def find_ambiguous_classes(
    taxonomy: TaxonomyLike,
    truth: TruthLike,
    *,
    frequencies: CountsLike | None = None,
    classify: Sequence[str | Path] = (),
    split: str | Path | None = None,
) -> tuple[Finding, ...]:
    """A finding for every pair of classes that annotators accept on images of either class, the most ambiguous first.

    Args:
        taxonomy: the classes.
        truth: files or records with dataset labels.
        frequencies: a table of selection counts, or the record of one.
        classify: files of answers to CLASSIFY; they tell pairs that the counts do not.
        split: a file that tells which images are easy and were not asked about in CLASSIFY.

    Raises:
        InputError: there are no votes, or no dataset labels.
    """
    classes = open_taxonomy(taxonomy)
    if frequencies is None and not classify:
        raise InputError(
            "Ambiguous pairs take votes: give selection counts by `frequencies=…` or answers by `classify=…`."
        )
    if not truth:
        raise InputError("Votes are compared with dataset labels; say which these are with `truth=…`.")
    known = load_truth(truth, taxonomy=classes)
    if known.test_set is None:
        raise InputError(f"Votes are compared with dataset labels, and {known.name} has none.")
    if isinstance(frequencies, str | Path):
        frequencies = load_selection_counts(frequencies, taxonomy=classes)
    material = ContextMaterial(line_up(known), classes, counts=frequencies)
    if classify:
        settings = ClassifySettings(split=str(split or ""))
        result = aggregate_classify(classify, known.test_set, taxonomy=classes, settings=settings)
        objects = make_truth(result.labels, result.easy).objects[0]
        material = replace(material, classify=result.labels, objects=objects)
    return find_ambiguous(material)
