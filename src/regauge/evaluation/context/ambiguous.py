"""Pairs of classes that people cannot tell apart, and whether participants can.

After Tsipras et al. (2020), §4.2 and figures 7b and 23; `basis.ambiguity` says what makes a pair ambiguous. *Pairwise* accuracy
asks what is left when everything else is put aside: of the answers that are the dataset label or a class that is ambiguous with
it, how many are right. Somebody who names one of these at random is right by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray
from regauge.estimates import Estimate, count_things, format_estimate, format_percent
from regauge.evaluation.context.basis.ambiguity import ClassPairs, Redraws, find_by_frequency, find_by_objects
from regauge.evaluation.context.basis.selections import get_firsts, line_up_selections
from regauge.evaluation.context.basis.tables import (
    BOOL,
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
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.intervals import Limits
from regauge.stats.listings import measure_firmness

BY_FREQUENCY, BY_OBJECTS = "selection frequency", "CLASSIFY"
ALL, HIGH, LOW = "all", "high accuracy", "low accuracy"
N_EACH = 10
"""Pairs that are listed with high accuracy, and with low."""
ABOVE, BELOW, LEVEL = "above", "below", "not told apart"

PAIRS = ContextTable(
    "Ambiguous pairs of classes",
    make_columns(
        {"by": TEXT},
        list_class("first"),
        list_class("second"),
        {"n": INT},
        list_estimate("value"),
        {"n_first": INT, "of_first": FLOAT, "n_second": INT, "of_second": FLOAT, "ambiguous": BOOL, "stays": FLOAT},
    ),
    ("23",),
)
PARTICIPANTS = ContextTable(
    "Accuracy on ambiguous pairs",
    make_columns(
        {"split_by": TEXT, "pairs": TEXT, "n_pairs": INT, "participant": TEXT, "top1": FLOAT, "n": INT, "n_right": INT},
        list_estimate("accuracy"),
        {"n_within": INT},
        list_estimate("pairwise"),
        {"chance": FLOAT, "against_chance": TEXT},
    ),
    ("7b",),
)
LISTED = ContextTable(
    "Pairs with high and low accuracy",
    make_columns(
        {"participant": TEXT, "pairs": TEXT},
        list_class("first"),
        list_class("second"),
        {"value": FLOAT, "n": INT, "n_right": INT},
        list_estimate("accuracy"),
        {"n_within": INT},
        list_estimate("pairwise"),
    ),
    ("23",),
)


@dataclass(frozen=True, slots=True, eq=False)
class _PairAnswers:
    """One participant's answers on the images of both classes of every pair."""

    n: CountArray
    n_right: CountArray
    n_within: CountArray

    @property
    def is_high(self) -> BoolArray:
        """Where it is right on at least half of the images."""
        return (2 * self.n_right >= self.n) & (self.n > 0)


def analyse(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Figures 7b and 23, by selection frequencies where there are any, else by answers to CLASSIFY."""
    notes = note_missing(
        material,
        {
            ContextNeed.FREQUENCIES: "pairs by how often both labels are selected",
            ContextNeed.CLASSIFY: "pairs whose labels mean one object",
            ContextNeed.PARTICIPANTS: "whether participants tell the classes apart",
        },
    )
    found = dict(_find_pairs(material, settings))
    if not found:
        return ContextFindings({name: make_frame(table) for name, table in TABLES.items()}, (), tuple(notes))
    tables = [_tabulate(pairs, by, material, settings) for by, pairs in found.items()]
    answers = [text for by, pairs in found.items() for text in _tell_pairs(pairs, by, material, settings)]
    leading = next(iter(found.values()))
    participants, listed, told = _judge(material, settings, leading)
    if len(participants):
        notes.append(
            "Pairs are split by the accuracy of a participant on the same images, so its accuracy is too high on one part and "
            "too low on the other, and less so that of participants who err on the same images."
        )
    frames = {"pairs": pl.concat(tables), "participants": participants, "listed": listed}
    return ContextFindings(frames, (*answers, *told), tuple(notes))


def _find_pairs(material: ContextMaterial, settings: ContextSettings) -> Iterator[tuple[str, ClassPairs]]:
    redraws = Redraws(settings.n_bootstrap, settings.seed, settings.level)
    votes = line_up_selections(material)
    if votes is not None:
        yield BY_FREQUENCY, find_by_frequency(material, votes, redraws=redraws)
    if material.classify is not None:
        yield BY_OBJECTS, find_by_objects(material, material.classify, redraws=redraws)


def _tabulate(pairs: ClassPairs, by: str, material: ContextMaterial, settings: ContextSettings) -> pl.DataFrame:
    """All ambiguous pairs, and as many as are listed."""
    n = min(len(pairs), max(int(pairs.is_ambiguous.sum()), settings.n_listed))
    firmness = measure_firmness(pairs.replicates, settings.n_listed, level=settings.level)
    columns = {
        "by": [by] * n,
        **put_class(pairs.first[:n], material.taxonomy, name="first"),
        **put_class(pairs.second[:n], material.taxonomy, name="second"),
        "n": pairs.n[:n],
        **put_limits("value", pairs.values[:n], limits=Limits(pairs.limits.low[:n], pairs.limits.high[:n])),
        "n_first": pairs.n_first[:n],
        "of_first": pairs.of_first[:n],
        "n_second": pairs.n_second[:n],
        "of_second": pairs.of_second[:n],
        "ambiguous": pairs.is_ambiguous[:n],
        "stays": pad(firmness.stays, n),
    }
    return make_frame(PAIRS, columns)


def _tell_pairs(pairs: ClassPairs, by: str, material: ContextMaterial, settings: ContextSettings) -> list[str]:
    n = int(pairs.is_ambiguous.sum())
    counted = count_things(n, "pair of classes is", many="pairs of classes are")
    told = [f"By {by} {counted} ambiguous, of {len(pairs):,} whose labels are both accepted on images of either class."]
    if len(pairs):
        value = Estimate(*(float(part[0]) for part in (pairs.values, *pairs.limits)))
        one, two = (call_class(int(index[0]), material.taxonomy) for index in (pairs.first, pairs.second))
        told.append(f"The most ambiguous pair by {by} is {one} and {two}: {format_estimate(value)}.")
    firmness = measure_firmness(pairs.replicates, settings.n_listed, level=settings.level)
    return told + tell_leaving(firmness, "pair", many="pairs")


def _judge(
    material: ContextMaterial, settings: ContextSettings, pairs: ClassPairs
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """Everybody on all ambiguous pairs, and on those on which the named participants are good or bad."""
    firsts = material.firsts
    if firsts is None or not material.participants:
        return make_frame(PARTICIPANTS), make_frame(LISTED), []
    ambiguous = np.flatnonzero(pairs.is_ambiguous)
    frames, listed, told = [], [], []
    for place in choose_participants(material, settings):
        own = _count_answers(material, firsts[place], pairs)
        sets = {
            ALL: ambiguous,
            HIGH: ambiguous[own.is_high[ambiguous]],
            LOW: ambiguous[~own.is_high[ambiguous] & (own.n[ambiguous] > 0)],
        }
        name = material.participants[place]
        rows = {of: _measure_set(material, pairs, chosen) for of, chosen in sets.items()}
        frames += [_put_set(material, settings, (name, of, len(sets[of])), row) for of, row in rows.items()]
        listed += [_list(material, settings, (name, of), (pairs, own, sets[of][:N_EACH])) for of in (HIGH, LOW)]
        told += _tell_set(frames[-3], place) + _tell_low(frames[-1])
    return pl.concat(frames), pl.concat(listed), told


def _count_answers(material: ContextMaterial, firsts: CountArray, pairs: ClassPairs) -> _PairAnswers:
    """Answers of one participant on the images of either class, and those of them that are either class."""
    is_counted = (firsts != NO_CLASS) & (material.labels != NO_CLASS)
    labels, answers = material.labels[is_counted].astype(np.int64), firsts[is_counted].astype(np.int64)
    n = np.bincount(labels, minlength=material.n_classes)
    right = np.bincount(labels[labels == answers], minlength=material.n_classes)
    stride = max(material.n_classes, int(answers.max(initial=0)) + 1)
    wrong = labels != answers
    codes, counts = np.unique(labels[wrong] * stride + answers[wrong], return_counts=True)
    swapped = np.zeros(len(pairs), np.int64)
    for one, two in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
        wanted = one * stride + two
        at = np.minimum(np.searchsorted(codes, wanted), max(0, len(codes) - 1))
        if len(codes):
            swapped += np.where(codes[at] == wanted, counts[at], 0)
    n_right = right[pairs.first] + right[pairs.second]
    return _PairAnswers(n[pairs.first] + n[pairs.second], n_right, n_right + swapped)


def _measure_set(
    material: ContextMaterial, pairs: ClassPairs, chosen: CountArray
) -> dict[str, FloatArray | CountArray]:
    """All participants on the images of the classes of some pairs; every image counts once.

    An answer is within when it is the dataset label or a class that is paired with it. Whoever names one of these at random is
    right by one in as many, which is chance; it is averaged over the answers within.
    """
    firsts = get_firsts(material)
    n_classes = max(material.n_classes, int(firsts.max(initial=0)) + 1)
    is_paired = np.zeros((n_classes, n_classes), np.bool_)
    is_paired[pairs.first[chosen], pairs.second[chosen]] = True
    is_paired |= is_paired.T
    sizes = 1 + is_paired.sum(axis=1)
    rows = np.flatnonzero((material.labels != NO_CLASS) & (sizes[material.labels] > 1))
    labels, answers = material.labels[rows], firsts[:, rows]
    is_counted = answers != NO_CLASS
    is_right = is_counted & (answers == labels)
    is_within = is_counted & (is_right | is_paired[labels, answers])
    return {
        "n": is_counted.sum(axis=1),
        "n_right": is_right.sum(axis=1),
        "n_within": is_within.sum(axis=1),
        "chances": is_within @ (1 / sizes[labels]),
    }


def _put_set(
    material: ContextMaterial,
    settings: ContextSettings,
    head: tuple[str, str, int],
    counted: Mapping[str, FloatArray | CountArray],
) -> pl.DataFrame:
    n_participants = len(material.participants)
    split_by, of, n_pairs = head
    n, n_right, n_within = (np.asarray(counted[name], np.int64) for name in ("n", "n_right", "n_within"))
    pairwise = put_share("pairwise", n_right, n=n_within, level=settings.level)
    chance = np.where(n_within > 0, counted["chances"] / np.maximum(n_within, 1), np.nan)
    n_all = ((get_firsts(material) != NO_CLASS) & (material.labels != NO_CLASS)).sum(axis=1)
    is_told = [pairwise["pairwise_low"] > chance, pairwise["pairwise_high"] < chance, n_within > 0]
    columns = {
        "split_by": [split_by] * n_participants,
        "pairs": [of] * n_participants,
        "n_pairs": [n_pairs] * n_participants,
        "participant": material.participants,
        "top1": np.where(n_all > 0, material.n_right / np.maximum(n_all, 1), np.nan),
        "n": n,
        "n_right": n_right,
        **put_share("accuracy", n_right, n=n, level=settings.level),
        "n_within": n_within,
        **pairwise,
        "chance": chance,
        "against_chance": [word or None for word in np.select(is_told, [ABOVE, BELOW, LEVEL], default="").tolist()],
    }
    return make_frame(PARTICIPANTS, columns)


def _list(
    material: ContextMaterial,
    settings: ContextSettings,
    head: tuple[str, str],
    chosen: tuple[ClassPairs, _PairAnswers, CountArray],
) -> pl.DataFrame:
    """The first pairs of a part, with the participant's answers on each."""
    pairs, own, places = chosen
    n, n_right, n_within = own.n[places], own.n_right[places], own.n_within[places]
    columns = {
        "participant": [head[0]] * len(places),
        "pairs": [head[1]] * len(places),
        **put_class(pairs.first[places], material.taxonomy, name="first"),
        **put_class(pairs.second[places], material.taxonomy, name="second"),
        "value": pairs.values[places],
        "n": n,
        "n_right": n_right,
        **put_share("accuracy", n_right, n=n, level=settings.level),
        "n_within": n_within,
        **put_share("pairwise", n_right, n=n_within, level=settings.level),
    }
    return make_frame(LISTED, columns)


def _tell_set(frame: pl.DataFrame, place: int) -> list[str]:
    """How the named participant does on all ambiguous pairs."""
    row = frame.row(place, named=True)
    if not row["n_within"]:
        return []
    accuracy, pairwise = (Estimate(*(row[name] for name in list_estimate(of))) for of in ("accuracy", "pairwise"))
    return [
        (
            f"On the {row['n']:,} images of ambiguous pairs {row['participant']} is right on {format_estimate(accuracy)}; of "
            f"its {row['n_within']:,} answers within a pair {format_estimate(pairwise)} are right, and "
            f"{format_percent(row['chance'])} would be by chance."
        )
    ]


def _tell_low(frame: pl.DataFrame) -> list[str]:
    """How many participants tell the classes of the hard pairs apart."""
    words: Sequence[str | None] = frame["against_chance"].to_list()
    known = [word for word in words if word]
    if not known:
        return []
    return [
        (
            f"On pairs with low accuracy of {frame['split_by'][0]}, of {count_things(len(known), 'participant')} "
            f"{known.count(ABOVE):,} above chance within a pair, {known.count(BELOW):,} below, {known.count(LEVEL):,} not told "
            "apart."
        )
    ]


TABLES = {"pairs": PAIRS, "participants": PARTICIPANTS, "listed": LISTED}
AMBIGUOUS = Analysis(
    name="ambiguous",
    title="Ambiguous classes",
    help="Pairs of classes that people accept on images of either, and whether participants tell them apart.",
    needs=(ContextNeed.DATASET_LABELS,),
    needs_any=(ContextNeed.CLASSIFY, ContextNeed.FREQUENCIES),
    tables=TABLES,
    analyse=analyse,
)
