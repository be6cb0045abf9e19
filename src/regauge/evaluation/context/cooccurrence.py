"""Which classes come together in images, as objects of their own (Tsipras et al. 2020, figures 10b and 15b)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray
from regauge.columns import ColumnTypes
from regauge.estimates import format_estimate, from_fields
from regauge.evaluation.context.basis.tables import (
    list_class,
    list_estimate,
    make_frame,
    put_class,
    put_limits,
    tell_leaving,
)
from regauge.evaluation.context.contract import Analysis, ContextFindings, ContextMaterial, ContextNeed, ContextTable
from regauge.evaluation.context.groups import choose_grouping, find_memberships
from regauge.evaluation.context.several.company import Company, RankedPairs, find_company, rank_pairs
from regauge.evaluation.context.several.images import ObjectImages, find_object_images
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.objects import NO_OBJECT
from regauge.stats.intervals import Limits
from regauge.stats.listings import ListFirmness, measure_firmness
from regauge.stats.redraws import draw_weights
from regauge.stats.weighted_shares import WeighedShares, weigh_shares

MAX_RANKED = 4_000
"""Pairs that may enter the list when images are redrawn: those that are strongest as it is."""

_PAIR = {**list_class(), **list_class("other"), "n_images": "Int64", "n": "Int64", **list_estimate("share")}
_STRONGEST = ContextTable(
    "Classes whose images most often hold another object",
    ColumnTypes({"rank": "Int64", **_PAIR, "stays": "Float64"}),
    ("15b",),
)
_PAIRS = ContextTable("All pairs of classes that come together", ColumnTypes({"rank": "Int64", **_PAIR}))
_GROUPS = ContextTable(
    "Images of one superclass that hold an object of another",
    ColumnTypes({"group": "String", "other": "String", "n_images": "Int64", "n": "Int64", **list_estimate("share")}),
    ("10b",),
)


def redraw_pairs(
    images: ObjectImages, company: Company, *, ranked: RankedPairs, settings: ContextSettings
) -> FloatArray:
    """The shares of the strongest pairs when the images of every class are redrawn [redraws, pairs].

    Every class keeps as many images of either stratum, so that only what they hold changes.
    """
    n_pairs = min(len(ranked.n), MAX_RANKED)
    used = np.flatnonzero(ranked.places < n_pairs)
    replicates = np.zeros((settings.n_bootstrap, n_pairs))
    if not used.size:
        return replicates
    order = used[np.argsort(ranked.places[used], kind="stable")]
    starts = np.searchsorted(ranked.places[order], np.arange(n_pairs))
    weights = images.image_weights
    n_classes = int(images.labels.max()) + 1
    stands_for = np.bincount(images.labels[images.labels != NO_CLASS], weights[images.labels != NO_CLASS], n_classes)
    wholes = stands_for[ranked.labels[:n_pairs]]
    # Only images of classes that have company can change anything.
    kept = np.flatnonzero(np.isin(images.labels, np.unique(ranked.labels[:n_pairs])))
    place_of = np.full(len(images), -1, np.int64)
    place_of[kept] = np.arange(len(kept))
    strata = images.labels[kept].astype(np.int64) * 2 + images.stratum[kept]
    held = place_of[company.images[order]]
    held_weights = weights[company.images[order]]
    rng = np.random.default_rng(settings.seed)
    for batch, counts in draw_weights(len(strata), rng=rng, n_resamples=settings.n_bootstrap, strata=strata):
        sums = np.add.reduceat(counts[:, held] * held_weights, starts, axis=1)
        replicates[batch] = sums / wholes
    return replicates


def count_groups(
    images: ObjectImages, company: Company, *, members: BoolArray, level: float
) -> tuple[CountArray, CountArray, WeighedShares]:
    """Images of each group that hold an object of each group beside their own [groups, groups], and images of each group."""
    n_groups = len(members)
    # A class beyond the taxonomy is in no group.
    padded = np.concatenate([members, np.zeros((n_groups, 1), np.bool_)], axis=1)
    last = members.shape[1]

    def look_up(classes: IntArray) -> BoolArray:
        return padded[:, np.where((classes == NO_CLASS) | (classes >= last), last, classes)]

    holds = np.zeros((n_groups, len(images)), np.bool_)
    for row, is_member in zip(holds, look_up(company.names), strict=True):
        row[company.images[is_member]] = True
    own = look_up(images.labels)
    k = np.zeros((n_groups, n_groups, 2), np.int64)
    for stratum in (0, 1):
        here = images.stratum == stratum
        k[:, :, stratum] = np.rint(own[:, here].astype(np.float32) @ holds[:, here].T.astype(np.float32))
    n = np.stack([own[:, images.stratum == stratum].sum(axis=1) for stratum in (0, 1)], axis=-1)
    wide = np.broadcast_to(n[:, np.newaxis], k.shape)
    return k.sum(axis=-1), wide.sum(axis=-1), weigh_shares(k, wide, weights=images.weights, level=level)


def analyse(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Pairs of classes in one image, and groups of classes."""
    images = find_object_images(material)
    company = find_company(images)
    ranked = rank_pairs(images, company, level=settings.level)
    firmness = measure_firmness(
        redraw_pairs(images, company, ranked=ranked, settings=settings), settings.n_listed, level=settings.level
    )
    pairs = _list_pairs(material, ranked)
    listed = pairs.head(settings.n_listed).with_columns(pl.Series("stays", firmness.stays))
    tables = {
        "strongest": listed.select(list(_STRONGEST.columns)),
        "superclasses": _compare_groups(material, images, company, settings),
        "pairs": pairs,
    }
    return ContextFindings(tables, tuple(_answer(tables, firmness)), tuple(_note(material, images)))


def _list_pairs(material: ContextMaterial, ranked: RankedPairs) -> pl.DataFrame:
    found = ranked.shares
    return make_frame(
        _PAIRS,
        {
            "rank": np.arange(1, len(ranked.n) + 1),
            **put_class(ranked.labels, material.taxonomy),
            **put_class(ranked.others, material.taxonomy, name="other"),
            "n_images": ranked.n_images,
            "n": ranked.n,
            **put_limits("share", found.value, limits=Limits(found.low, found.high)),
        },
    )


def _compare_groups(
    material: ContextMaterial, images: ObjectImages, company: Company, settings: ContextSettings
) -> pl.DataFrame:
    grouping = choose_grouping(material.taxonomy)
    if grouping is None or material.taxonomy is None:
        return make_frame(_GROUPS)
    names, members = find_memberships(material.taxonomy, grouping)
    k, n, found = count_groups(images, company, members=members, level=settings.level)
    columns: dict[str, Any] = {
        "group": [name for name in names for _ in names],
        "other": [other for _ in names for other in names],
        "n_images": k.ravel(),
        "n": n.ravel(),
        **put_limits("share", found.value.ravel(), limits=Limits(found.low.ravel(), found.high.ravel())),
    }
    return make_frame(_GROUPS, columns).sort("share", descending=True, nulls_last=True, maintain_order=True)


def _answer(tables: dict[str, pl.DataFrame], firmness: ListFirmness) -> Iterator[str]:
    """The strongest pair, how firm the list is, and the two groups that come together most."""
    strongest = tables["strongest"].to_dicts()
    if not strongest:
        yield "No image holds an object beside the one of its dataset label."
        return
    first = strongest[0]
    yield (
        f"Strongest pair: {_tell(first)} of the images of {_name(first, 'class')} also hold {_name(first, 'other')} "
        f"(n = {first['n']:,})."
    )
    yield from tell_leaving(firmness, "pair")
    groups = tables["superclasses"]
    if groups.height:
        apart = groups.filter((pl.col("group") != pl.col("other")) & (pl.col("n_images") > 0))
        for row in apart.sort("share", descending=True, maintain_order=True).head(1).to_dicts():
            yield (
                f"Superclasses that come together most: {_tell(row)} of the images of {row['group']} hold an object of "
                f"{row['other']} (n = {row['n']:,})."
            )


def _tell(row: dict[str, Any]) -> str:
    return format_estimate(from_fields(row, "share"))


def _name(row: dict[str, Any], prefix: str) -> str:
    name = row[f"{prefix}_name"]
    return f"class {row[prefix]}" if name is None else str(name)


def _note(material: ContextMaterial, images: ObjectImages) -> Iterator[str]:
    """What the reader should know, and what was left out."""
    yield from images.notes
    n_without = int((images.has_several & (images.dataset_objects == NO_OBJECT) & (images.labels != NO_CLASS)).sum())
    if n_without:
        yield (
            f"Images with several objects none of which holds the dataset label: {n_without:,}; nothing comes together with "
            "the label there."
        )
    if choose_grouping(material.taxonomy) is None:
        yield "Superclasses left out: no groups of classes in the taxonomy."


COOCCURRENCE = Analysis(
    name="cooccurrence",
    title="Classes that come together",
    help="Find the pairs of classes, and of superclasses, that come together in images as objects of their own.",
    needs=(ContextNeed.DATASET_LABELS, ContextNeed.OBJECTS),
    tables={"strongest": _STRONGEST, "superclasses": _GROUPS, "pairs": _PAIRS},
    analyse=analyse,
)
