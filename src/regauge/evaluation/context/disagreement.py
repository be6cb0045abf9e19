"""Classes on which people name another main label than the dataset, and classes that people see and participants miss.

After Tsipras et al. (2020), §4.1, appendix C.1 and figures 6, 19 and 20. A participant that still gives the dataset label where
people name another may go by marks of the dataset; where people see the label and participants do not give it, another object
is often there as well. What co-occurs is counted as the paper does it: distinct objects, by their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, divide
from regauge.estimates import Estimate, count_things, format_estimate
from regauge.evaluation.context.basis.selections import (
    MainLabels,
    RowVotes,
    find_main_labels,
    get_firsts,
    line_up_selections,
    note_unanswered,
)
from regauge.evaluation.context.basis.tables import (
    FLOAT,
    INT,
    TEXT,
    call_class,
    choose_participants,
    list_class,
    list_estimate,
    make_columns,
    make_frame,
    note_missing,
    pad,
    put_class,
    put_limits,
    put_share,
    tell_leaving,
)
from regauge.evaluation.context.contract import Analysis, ContextFindings, ContextMaterial, ContextNeed, ContextTable
from regauge.evaluation.context.several.company import find_co_occurring
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.taxonomy import Taxonomy
from regauge.stats.frequency_means import GroupedValues, find_information, limit_group_means
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.stats.listings import ListFirmness, measure_firmness
from regauge.stats.redraws import redraw_groups

FREQUENT = 0.75
"""A class whose label three of four annotators select on average has a high frequency."""

CLASSES = ContextTable(
    "Classes with other main labels",
    make_columns(
        list_class(),
        {"n": INT, "n_other": INT},
        list_estimate("share"),
        list_class("main"),
        {"n_main": INT, "n_asked": INT},
        list_estimate("annotators"),
        {"n_judged": INT},
        list_estimate("frequency"),
        {"n_main_judged": INT},
        list_estimate("main_frequency"),
        {"stays": FLOAT},
    ),
    ("6", "19"),
)
PARTICIPANTS = ContextTable(
    "Participants on these classes",
    make_columns(
        {"participant": TEXT},
        list_class(),
        {"n": INT, "n_right": INT},
        list_estimate("accuracy"),
        {"n_other": INT, "n_other_right": INT},
        list_estimate("accuracy_other"),
    ),
    ("6", "19"),
)
MISSED = ContextTable(
    "Classes that people see",
    make_columns(
        {"participant": TEXT},
        list_class(),
        {"n_judged": INT},
        list_estimate("frequency"),
        {"n": INT, "n_right": INT},
        list_estimate("accuracy"),
        list_class("beside"),
        {"n_objects_known": INT, "n_beside": INT},
        list_estimate("share_beside"),
        {"stays": FLOAT},
    ),
    ("20",),
)


def analyse(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Figures 6, 19 and 20, as far as answers to CLASSIFY, selection frequencies and predictions are known."""
    votes, mains = line_up_selections(material), find_main_labels(material)
    notes = note_missing(
        material,
        {
            ContextNeed.CLASSIFY: "classes with other main labels",
            ContextNeed.FREQUENCIES: "frequencies of both labels, and classes that people see and participants miss",
            ContextNeed.PARTICIPANTS: "accuracy of participants",
            ContextNeed.OBJECTS: "what co-occurs",
        },
    )
    chosen = choose_participants(material, settings)
    classes, participants, answers = _compare(material, settings, (votes, mains), chosen)
    missed, told = _find_missed(material, settings, votes, chosen)
    if mains is not None and not mains.is_asked.all():
        n_easy = int(((mains.labels != NO_CLASS) & ~mains.is_asked).sum())
        notes.append(
            f"People were asked about the main object of {count_things(int(mains.is_asked.sum()), 'image')}; the main label of "
            f"{count_things(n_easy, 'easy image')} is the dataset label."
        )
    notes += note_unanswered(material, mains)
    tables = {"classes": classes, "participants": participants, "missed": missed}
    return ContextFindings(tables, (*answers, *told), tuple(notes))


@dataclass(frozen=True, slots=True, eq=False)
class _Differing:
    """Per class, how often the main label is another.

    Attributes:
        order: the classes with an image of known main label, by the lower limit of the share.
        n: images with a known main label [classes].
        n_other: those of them where it is not the dataset label.
        is_other: which images these are.
        firmness: how firmly the first places are held.
    """

    order: CountArray
    n: CountArray
    n_other: CountArray
    is_other: BoolArray
    firmness: ListFirmness


def _compare(
    material: ContextMaterial,
    settings: ContextSettings,
    known: tuple[RowVotes | None, MainLabels | None],
    chosen: list[int],
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    votes, mains = known
    if mains is None:
        return make_frame(CLASSES), make_frame(PARTICIPANTS), []
    differing = _rank(material, settings, mains)
    order = differing.order
    main, n_main = _find_usual(material, mains, differing.is_other)
    # The label that is usual in the class, on all images of the class.
    usual = np.where(material.labels == NO_CLASS, NO_CLASS, main[material.labels]).astype(np.int32)
    named = np.where(mains.is_asked, divide(mains.n_named, mains.n_accepted), np.nan)
    columns: dict[str, Any] = {
        **put_class(order, material.taxonomy),
        "n": differing.n[order],
        "n_other": differing.n_other[order],
        **put_share("share", differing.n_other[order], n=differing.n[order], level=settings.level),
        **put_class(main[order], material.taxonomy, name="main"),
        "n_main": n_main[order],
        **_average(material, settings, named, ("n_asked", "annotators"), order),
        **_average_votes(material, settings, (votes, material.labels), ("n_judged", "frequency"), order),
        **_average_votes(material, settings, (votes, usual), ("n_main_judged", "main_frequency"), order),
        "stays": pad(differing.firmness.stays, len(order)),
    }
    answers = _tell(material, settings, differing, main)
    return make_frame(CLASSES, columns), _judge(material, settings, differing, chosen), answers


def _rank(material: ContextMaterial, settings: ContextSettings, mains: MainLabels) -> _Differing:
    """Classes by the lower limit of the share, so that one image of one does not come before nine of ten."""
    labels, n_classes = material.labels, material.n_classes
    is_known = (labels != NO_CLASS) & (mains.labels != NO_CLASS)
    is_other = is_known & (mains.labels != labels)
    n = np.bincount(labels[is_known], minlength=n_classes)
    n_other = np.bincount(labels[is_other], minlength=n_classes)
    low = clopper_pearson(n_other, n, level=settings.level).low
    used = np.flatnonzero(n)
    order = used[np.lexsort((used, -divide(n_other, n)[used], -low[used]))]
    shares = redraw_groups(
        is_other[is_known].astype(np.float64)[:, np.newaxis],
        labels[is_known],
        n_groups=n_classes,
        rng=np.random.default_rng([settings.seed, 8]),
        n_resamples=settings.n_bootstrap,
    )[0][:, order]
    again = np.rint(shares * n[order]).astype(np.int64)
    scores = clopper_pearson(again, np.broadcast_to(n[order], again.shape), level=settings.level).low
    firmness = measure_firmness(scores, settings.n_listed, level=settings.level)
    return _Differing(order, n, n_other, is_other, firmness)


def _find_usual(material: ContextMaterial, mains: MainLabels, is_other: BoolArray) -> tuple[CountArray, CountArray]:
    """Per class the most frequent other main label, and on how many images it is; of equal ones the lower index."""
    stride = max(material.n_classes, int(mains.labels.max(initial=0)) + 1)
    keys, counts = np.unique(
        material.labels[is_other].astype(np.int64) * stride + mains.labels[is_other], return_counts=True
    )
    usual, n_usual = np.full(material.n_classes, NO_CLASS, np.int64), np.zeros(material.n_classes, np.int64)
    rising = np.lexsort((-keys, counts))
    usual[keys[rising] // stride], n_usual[keys[rising] // stride] = keys[rising] % stride, counts[rising]
    return usual, n_usual


def _average(
    material: ContextMaterial,
    settings: ContextSettings,
    values: FloatArray,
    names: tuple[str, str],
    order: CountArray,
) -> dict[str, Any]:
    """Means of values by class, with their number and limits."""
    grouped = GroupedValues(
        np.where(material.labels == NO_CLASS, np.nan, values), np.maximum(material.labels, 0), material.n_classes
    )
    limits = limit_group_means(grouped, level=settings.level)
    return {names[0]: grouped.n[order]} | put_limits(
        names[1], grouped.means[order], limits=Limits(limits.low[order], limits.high[order])
    )


def _average_votes(
    material: ContextMaterial,
    settings: ContextSettings,
    asked: tuple[RowVotes | None, IntArray],
    names: tuple[str, str],
    order: CountArray,
) -> dict[str, Any]:
    """Mean selection frequencies of one label per image, by class; annotators are a sample where their spread is known."""
    votes, labels = asked
    if votes is None:
        return dict.fromkeys((names[0], *list_estimate(names[1])), [None] * len(order))
    selected, shown = votes.find(labels)
    values = np.where(material.labels == NO_CLASS, np.nan, divide(selected, shown))
    grouped = GroupedValues(values, np.maximum(material.labels, 0), material.n_classes)
    information = find_information(selected, shown)
    limits = limit_group_means(grouped, information=information, spread=votes.spread, level=settings.level)
    return {names[0]: grouped.n[order]} | put_limits(
        names[1], grouped.means[order], limits=Limits(limits.low[order], limits.high[order])
    )


def _judge(
    material: ContextMaterial, settings: ContextSettings, differing: _Differing, chosen: list[int]
) -> pl.DataFrame:
    """Chosen participants on the first classes: all their images, and those whose main label is another."""
    order = differing.order[: settings.n_listed]
    if material.firsts is None or not chosen:
        return make_frame(PARTICIPANTS)
    frames = []
    for place in chosen:
        n, n_right = _count_right(material, material.firsts[place], np.ones(len(material.labels), np.bool_))
        n_other, n_other_right = _count_right(material, material.firsts[place], differing.is_other)
        columns = {
            "participant": [material.participants[place]] * len(order),
            **put_class(order, material.taxonomy),
            "n": n[order],
            "n_right": n_right[order],
            **put_share("accuracy", n_right[order], n=n[order], level=settings.level),
            "n_other": n_other[order],
            "n_other_right": n_other_right[order],
            **put_share("accuracy_other", n_other_right[order], n=n_other[order], level=settings.level),
        }
        frames.append(make_frame(PARTICIPANTS, columns))
    return pl.concat(frames)


def _count_right(material: ContextMaterial, firsts: IntArray, which: BoolArray) -> tuple[CountArray, CountArray]:
    """Per class, answers on some images and those of them that are the dataset label."""
    counted = which & (firsts != NO_CLASS) & (material.labels != NO_CLASS)
    right = counted & (firsts == material.labels)
    n, n_right = (np.bincount(material.labels[one], minlength=material.n_classes) for one in (counted, right))
    return n, n_right


def _tell(material: ContextMaterial, settings: ContextSettings, differing: _Differing, main: CountArray) -> list[str]:
    n, k = int(differing.n.sum()), int(differing.n_other.sum())
    if not n:
        return []
    share = Estimate(k / n, *(float(one) for one in clopper_pearson(k, n, level=settings.level)))
    told = [f"The main label is another than the dataset label on {format_estimate(share)} of {n:,} images."]
    first = int(differing.order[0])
    if differing.n_other[first]:
        counts = f"{int(differing.n_other[first]):,} of {count_things(int(differing.n[first]), 'image')}"
        told.append(
            f"It differs most in {call_class(first, material.taxonomy)}, on {counts}, and is mostly "
            f"{call_class(int(main[first]), material.taxonomy)} there."
        )
    return told + tell_leaving(differing.firmness, "class", many="classes")


def _find_missed(
    material: ContextMaterial, settings: ContextSettings, votes: RowVotes | None, chosen: list[int]
) -> tuple[pl.DataFrame, list[str]]:
    """Classes of high frequency by how far accuracy falls short of it, with what co-occurs."""
    if votes is None or material.firsts is None or not chosen:
        return make_frame(MISSED), []
    frames, told = [], []
    for place in chosen:
        frame, firmness, n = _rank_missed(material, settings, votes, place)
        frames.append(frame)
        told += _tell_missed(frame, n, material.taxonomy) + tell_leaving(firmness, "class", many="classes")
    return pl.concat(frames), told


def _rank_missed(
    material: ContextMaterial, settings: ContextSettings, votes: RowVotes, place: int
) -> tuple[pl.DataFrame, ListFirmness, int]:
    labels, firsts = material.labels, get_firsts(material)[place]
    is_labelled = labels != NO_CLASS
    right = np.where(is_labelled & (firsts != NO_CLASS), (firsts == labels).astype(np.float64), np.nan)
    frequencies = np.where(is_labelled, votes.own_frequencies, np.nan)
    groups = np.maximum(labels, 0)
    means = [GroupedValues(one, groups, material.n_classes).means for one in (frequencies, right)]
    scores = _score(*means)
    used = np.flatnonzero(~np.isnan(scores))
    order = used[np.lexsort((used, -means[0][used], -np.round(scores[used], 9)))]
    values = np.stack([frequencies, right], axis=1)
    firmness = _redraw_missed(values[is_labelled], labels[is_labelled], (order, np.sum(means, axis=0)), settings)
    listed = order[: settings.n_listed]
    beside = find_co_occurring(material, listed, level=settings.level)
    n, n_right = _count_right(material, firsts, is_labelled)
    columns: dict[str, Any] = {
        "participant": [material.participants[place]] * len(listed),
        **put_class(listed, material.taxonomy),
        **_average_votes(material, settings, (votes, labels), ("n_judged", "frequency"), listed),
        "n": n[listed],
        "n_right": n_right[listed],
        **put_share("accuracy", n_right[listed], n=n[listed], level=settings.level),
        **put_class(beside.classes, material.taxonomy, name="beside"),
        "n_objects_known": beside.n_known,
        "n_beside": beside.n_beside,
        **put_share("share_beside", beside.n_beside, n=beside.n_known, level=settings.level),
        "stays": pad(firmness.stays, len(listed)),
    }
    return make_frame(MISSED, columns), firmness, len(order)


def _redraw_missed(
    values: FloatArray, labels: IntArray, ranked: tuple[CountArray, FloatArray], settings: ContextSettings
) -> ListFirmness:
    """How firmly the first classes are held; a class that comes in by a redraw alone takes a place too.

    Args:
        values: per image, the frequency of the label and whether the answer is right.
        labels: per image, its class.
        ranked: the classes in their order, and per class a number where it has both means.
        settings: the redraws.
    """
    order, known = ranked
    others = np.setdiff1d(np.flatnonzero(~np.isnan(known)), order)
    replicates = redraw_groups(
        values,
        labels,
        n_groups=len(known),
        rng=np.random.default_rng([settings.seed, 9]),
        n_resamples=settings.n_bootstrap,
    )
    again = _score(*(one[:, np.concatenate([order, others])] for one in replicates))
    return measure_firmness(again, min(settings.n_listed, len(order)), level=settings.level)


def _score(frequencies: FloatArray, accuracies: FloatArray) -> FloatArray:
    """How far accuracy falls short of a high frequency; NaN where the frequency is not high."""
    with np.errstate(invalid="ignore"):
        return np.where(frequencies >= FREQUENT, frequencies - accuracies, np.nan)


def _tell_missed(frame: pl.DataFrame, n: int, taxonomy: Taxonomy | None) -> list[str]:
    if not len(frame):
        return []
    row = frame.row(0, named=True)
    frequency, accuracy = (Estimate(*(row[one] for one in list_estimate(name))) for name in ("frequency", "accuracy"))
    return [
        (
            f"Of the {n:,} classes whose label at least {FREQUENT:.0%} of annotators select, {row['participant']} falls shortest "
            f"of that in {call_class(row['class'], taxonomy)}: people select the label {format_estimate(frequency)} of the "
            f"time (n = {row['n_judged']:,}), and its accuracy is {format_estimate(accuracy)} (n = {row['n']:,})."
        )
    ]


DISAGREEMENT = Analysis(
    name="disagreement",
    title="Main labels against dataset labels",
    help="Classes whose main label is often another, and classes that people see and participants miss.",
    needs=(ContextNeed.DATASET_LABELS,),
    needs_any=(ContextNeed.CLASSIFY, ContextNeed.FREQUENCIES),
    tables={"classes": CLASSES, "participants": PARTICIPANTS, "missed": MISSED},
    analyse=analyse,
)
