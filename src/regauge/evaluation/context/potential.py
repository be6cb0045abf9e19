"""How many labels people were asked about per image, and how many they were offered (Tsipras et al. 2020, figures 11 and 13)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import regauge.frames as pl
from regauge.arrays import CountArray, IdArray, divide
from regauge.columns import ColumnTypes
from regauge.estimates import format_plain, from_fields
from regauge.evaluation.context.basis.tables import list_estimate, make_frame, put_limits
from regauge.evaluation.context.contract import Analysis, ContextFindings, ContextMaterial, ContextNeed, ContextTable
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.count_means import estimate_count_mean
from regauge.stats.intervals import clopper_pearson

POTENTIAL_LABELS, CANDIDATE_LABELS = "potential labels", "candidates for CLASSIFY"

_HISTOGRAM = {"n_labels": "Int64", "n_images": "Int64", "n": "Int64", **list_estimate("share")}
_MEANS = ContextTable(
    "Labels per image",
    ColumnTypes(
        {
            "what": "String",
            "n": "Int64",
            **list_estimate("mean"),
            "median": "Float64",
            "least": "Int64",
            "most": "Int64",
        }
    ),
    ("11", "13"),
    plain=("mean", "median"),
)
_POTENTIAL = ContextTable("Potential labels per image, about which people were asked", ColumnTypes(_HISTOGRAM), ("11",))
_CANDIDATES = ContextTable("Candidates per image, which CLASSIFY offers", ColumnTypes(_HISTOGRAM), ("13",))


def count_potential(material: ContextMaterial) -> CountArray | None:
    """Potential labels of each image that has some; where none are given, those with selection counts."""
    if material.potential is not None:
        return _keep_known(material, material.potential.image_ids, np.diff(material.potential.starts))
    if material.counts is not None:
        counts = material.counts
        per_image = np.bincount(counts.images, minlength=len(counts.image_ids))
        return _keep_known(material, counts.image_ids, per_image)
    return None


def count_candidates(material: ContextMaterial) -> CountArray | None:
    """Candidates of each image that has some; where none are given, those that the answers to CLASSIFY say were offered."""
    if material.candidates is not None:
        rows = material.candidates
        per_image = np.bincount(rows.images[rows.is_candidate], minlength=len(rows.image_ids))
        return _keep_known(material, rows.image_ids, per_image)
    responses = material.responses
    if responses is not None and responses.candidate_starts is not None:
        return _keep_known(material, responses.image_ids, np.diff(responses.candidate_starts))
    return None


def _keep_known(material: ContextMaterial, image_ids: IdArray, counts: CountArray) -> CountArray:
    """The counts of images of the target that have any."""
    rows = find_target_rows(material.target, image_ids)
    return np.asarray(counts[(rows != NO_PAIR) & (counts > 0)], np.int64)


def analyse(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Histograms and means of both."""
    found = {POTENTIAL_LABELS: count_potential(material), CANDIDATE_LABELS: count_candidates(material)}
    tables = {
        "means": _average({name: counts for name, counts in found.items() if counts is not None}, settings),
        "potential": _count(_POTENTIAL, found[POTENTIAL_LABELS], settings),
        "candidates": _count(_CANDIDATES, found[CANDIDATE_LABELS], settings),
    }
    return ContextFindings(tables, tuple(_answer(tables["means"])), tuple(_note(material, found)))


def _average(found: dict[str, CountArray], settings: ContextSettings) -> pl.DataFrame:
    rng = np.random.default_rng(settings.seed)
    means = [estimate_count_mean(counts, least=1, rng=rng, level=settings.level) for counts in found.values()]
    has_any = [counts.size > 0 for counts in found.values()]
    columns = {
        "what": list(found),
        "n": [counts.size for counts in found.values()],
        "mean": [mean.value for mean in means],
        "mean_low": [mean.low for mean in means],
        "mean_high": [mean.high for mean in means],
        "median": [
            float(np.median(counts)) if has else None for has, counts in zip(has_any, found.values(), strict=True)
        ],
        "least": [int(counts.min()) if has else None for has, counts in zip(has_any, found.values(), strict=True)],
        "most": [int(counts.max()) if has else None for has, counts in zip(has_any, found.values(), strict=True)],
    }
    return make_frame(_MEANS, columns)


def _count(table: ContextTable, counts: CountArray | None, settings: ContextSettings) -> pl.DataFrame:
    if counts is None or not counts.size:
        return make_frame(table)
    numbers = np.arange(int(counts.min()), int(counts.max()) + 1)
    k = np.bincount(counts, minlength=int(numbers[-1]) + 1)[numbers]
    n = np.full(len(numbers), counts.size)
    limits = clopper_pearson(k, n, level=settings.level)
    columns = {"n_labels": numbers, "n_images": k, "n": n}
    return make_frame(table, columns | put_limits("share", divide(k, n), limits=limits))


def _answer(means: pl.DataFrame) -> Iterator[str]:
    for row in means.filter(pl.col("n") > 0).to_dicts():
        mean = format_plain(from_fields(row, "mean"), decimals=2)
        yield f"Labels per image, {row['what']}: {mean} on average, {row['least']:,} to {row['most']:,} (n = {row['n']:,})."


def _note(material: ContextMaterial, found: dict[str, CountArray | None]) -> Iterator[str]:
    if material.potential is None and material.counts is not None:
        yield "Potential labels are those with selection counts."
    for name, counts in found.items():
        if counts is None:
            yield f"Left out, as nothing says which they were: {name}."
        elif not counts.size:
            yield f"No image of {material.target.name} has {name}."


POTENTIAL = Analysis(
    name="potential",
    title="Labels that people were asked about",
    help="Count the labels per image that people were asked about in CONTAINS and offered in CLASSIFY.",
    needs=(),
    tables={"means": _MEANS, "potential": _POTENTIAL, "candidates": _CANDIDATES},
    analyse=analyse,
    needs_any=(ContextNeed.POTENTIAL, ContextNeed.FREQUENCIES, ContextNeed.CANDIDATES),
)
