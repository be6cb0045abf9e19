"""How people see what participants answer: selection frequency and main label of answers, of mistakes, and class by class.

After Tsipras et al. (2020), §5.1 and figures 8, 9 and 25. The dataset labels are scored as a participant would be: they are the
line that answers are compared with, for people do not select them always either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, divide
from regauge.estimates import Share, count_things, format_estimate, format_points, make_share
from regauge.evaluation.context.basis.answer_groups import GROUPED, tabulate_groups
from regauge.evaluation.context.basis.selections import (
    MainLabels,
    RowVotes,
    bound_means,
    find_main_labels,
    get_firsts,
    line_up_selections,
    note_unanswered,
)
from regauge.evaluation.context.basis.tables import (
    FLOAT,
    INT,
    TEXT,
    choose_participants,
    find_estimate,
    list_estimate,
    make_columns,
    make_frame,
    note_missing,
    put_limits,
    put_share,
)
from regauge.evaluation.context.basis.trends import CLASSES, TREND, follow_trends
from regauge.evaluation.context.contract import Analysis, ContextFindings, ContextMaterial, ContextNeed, ContextTable
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.frequency_means import find_information
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.stats.redraws import bootstrap_ratios
from regauge.stats.resampling import percentile_limits

DATASET = "dataset labels"
"""What the row of the dataset labels is called."""
N_BINS = 5
"""Bins of selection frequency, the last closed; a frequency of 0 has a bin of its own before them."""

PARTICIPANTS = ContextTable(
    "Answers as people see them",
    make_columns(
        {"participant": TEXT, "n": INT, "n_right": INT},
        list_estimate("top1"),
        {"n_judged": INT, "n_unjudged": INT},
        list_estimate("frequency"),
        {"frequency_least": FLOAT, "frequency_most": FLOAT},
        list_estimate("frequency_gap"),
        {"n_main": INT, "n_main_right": INT},
        list_estimate("main_label"),
        list_estimate("main_label_gap"),
    ),
    ("8",),
    points=("frequency_gap", "main_label_gap"),
)
WRONG = ContextTable(
    "Wrong answers by selection frequency",
    make_columns(
        {"participant": TEXT, "n_wrong": INT, "n_unjudged": INT, "n": INT},
        {"frequency_from": FLOAT, "frequency_to": FLOAT, "k": INT},
        list_estimate("share"),
    ),
    ("9",),
)


def analyse(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Figures 8, 9 and 25, as far as frequencies, answers to CLASSIFY and objects are known."""
    votes, mains = line_up_selections(material), find_main_labels(material)
    chosen = choose_participants(material, settings)
    columns = _rate(material, settings, votes, mains)
    tables: dict[str, pl.DataFrame] = {"participants": make_frame(PARTICIPANTS, columns)}
    answers = [said for place in chosen for said in _tell_frequency(columns, place)]
    answers += [said for place in chosen for said in _tell_main(columns, place, level=settings.level)]
    tables["wrong"], said = _sort_wrong(material, settings, votes, chosen)
    answers += said
    tables["accuracy"] = tabulate_groups(material, votes, mains=mains, level=settings.level)
    tables["trend"], tables["classes"], said = follow_trends(material, settings, votes=votes, chosen=chosen)
    answers += said
    return ContextFindings(tables, tuple(answers), (*_note(material, votes), *note_unanswered(material, mains)))


def _note(material: ContextMaterial, votes: RowVotes | None) -> list[str]:
    notes = note_missing(
        material,
        {
            ContextNeed.FREQUENCIES: "how often answers were selected, and classes by frequency",
            ContextNeed.CLASSIFY: "main labels, and accuracy by annotators' agreement",
            ContextNeed.OBJECTS: "accuracy by number of objects",
        },
    )
    if material.classify is not None and material.parts is None:
        notes.append("Which images are easy is not known, so main labels are those of the images in CLASSIFY alone.")
    if votes is not None and votes.spread is None:
        notes.append(
            "Who gave which vote is not in the counts, so the limits of mean frequencies hold for these annotators and "
            "other images."
        )
    return notes


def _rate(
    material: ContextMaterial, settings: ContextSettings, votes: RowVotes | None, mains: MainLabels | None
) -> dict[str, Any]:
    """Every participant and the dataset labels, with their gaps to the dataset labels on the same images."""
    has_label = material.labels != NO_CLASS
    firsts = np.vstack([get_firsts(material), material.labels])
    is_counted = (firsts != NO_CLASS) & has_label
    n, n_right = is_counted.sum(axis=1), (is_counted & (firsts == material.labels)).sum(axis=1)
    names = [*material.participants, DATASET]
    columns: dict[str, Any] = {"participant": names, "n": n, "n_right": n_right}
    columns |= put_share("top1", n_right, n=n, level=settings.level)
    columns |= _rate_frequencies(votes, firsts, is_counted, settings)
    columns |= _rate_mains(mains, firsts, is_counted, settings)
    return columns


def _rate_frequencies(
    votes: RowVotes | None, firsts: CountArray, is_counted: BoolArray, settings: ContextSettings
) -> dict[str, Any]:
    """Mean selection frequencies of answers, their bounds, and their gaps to the dataset labels."""
    n = len(firsts)
    if votes is None:
        nothing = dict.fromkeys(list_estimate("frequency") | list_estimate("frequency_gap"), [None] * n)
        return nothing | dict.fromkeys(("n_judged", "n_unjudged", "frequency_least", "frequency_most"), [None] * n)
    found = [votes.find(one.astype(np.int32)) for one in firsts]
    selected, shown = np.array([one[0] for one in found]), np.array([one[1] for one in found])
    is_known = np.isin(np.arange(firsts.shape[1]), votes.rows)
    selected, shown = (np.where(is_counted & is_known, one, 0) for one in (selected, shown))
    n_judged, n_unjudged = (shown > 0).sum(axis=1), (is_counted & is_known & (shown == 0)).sum(axis=1)
    means = _measure_means(selected, shown, votes, settings)
    least, most = bound_means(selected, shown, is_counted=is_counted & is_known)
    return {
        "n_judged": n_judged,
        "n_unjudged": n_unjudged,
        **means,
        "frequency_least": least,
        "frequency_most": most,
    }


def _measure_means(
    selected: CountArray, shown: CountArray, votes: RowVotes, settings: ContextSettings
) -> dict[str, FloatArray]:
    """Means and gaps; images are redrawn, and annotators too where their spread is known."""
    rng = np.random.default_rng(settings.seed)
    known = shown > 0
    frequencies = np.where(known, selected / np.maximum(shown, 1), 0.0)
    information = np.where(known, find_information(selected, shown), 0.0)
    both = known & known[-1]
    gaps = np.where(both, frequencies - frequencies[-1], 0.0)
    n, n_both = known.sum(axis=1), both.sum(axis=1)
    above, below = np.vstack([frequencies, gaps]).T, np.vstack([known, both]).T.astype(np.float64)
    replicates = bootstrap_ratios(above, below, rng=rng, n_resamples=settings.n_bootstrap)
    if votes.spread is not None:
        spread = votes.spread
        shifts = np.sqrt(spread.variance / spread.n_effective) * rng.standard_t(
            max(1, spread.n_annotators - 1), settings.n_bootstrap
        )
        moved = divide(information.sum(axis=1), n)
        differs = divide(np.where(both, information - information[-1], 0.0).sum(axis=1), n_both)
        replicates += shifts[:, np.newaxis] * np.concatenate([moved, differs])
    limits = percentile_limits(replicates, level=settings.level)
    means, mean_gaps = divide(frequencies.sum(axis=1), n), divide(gaps.sum(axis=1), n_both)
    p = len(n)
    own = Limits(np.clip(limits.low[:p], 0, 1), np.clip(limits.high[:p], 0, 1))
    return put_limits("frequency", means, limits=own) | put_limits(
        "frequency_gap", mean_gaps, limits=Limits(limits.low[p:], limits.high[p:])
    )


def _rate_mains(
    mains: MainLabels | None, firsts: CountArray, is_counted: BoolArray, settings: ContextSettings
) -> dict[str, Any]:
    """Accuracy by main labels, and its gaps to that of the dataset labels."""
    if mains is None:
        names = {"n_main", "n_main_right"} | list_estimate("main_label").keys() | list_estimate("main_label_gap").keys()
        return dict.fromkeys(names, [None] * len(firsts))
    is_known = is_counted & (mains.labels != NO_CLASS)
    is_right = is_known & (firsts == mains.labels)
    both = is_known & is_known[-1]
    gaps = np.where(both, is_right.astype(np.float64) - is_right[-1], 0.0)
    replicates = bootstrap_ratios(
        gaps.T,
        both.T.astype(np.float64),
        rng=np.random.default_rng([settings.seed, 1]),
        n_resamples=settings.n_bootstrap,
    )
    n, k = is_known.sum(axis=1), is_right.sum(axis=1)
    limits = percentile_limits(replicates, level=settings.level)
    means = divide(gaps.sum(axis=1), both.sum(axis=1))
    shares = put_share("main_label", k, n=n, level=settings.level)
    return {"n_main": n, "n_main_right": k, **shares, **put_limits("main_label_gap", means, limits=limits)}


def _tell_frequency(columns: Mapping[str, Any], participant: int) -> list[str]:
    if columns["frequency"][participant] is None or np.isnan(columns["frequency_gap"][participant]):
        return []
    best, dataset, gap = (
        find_estimate(columns[column][place] for column in list_estimate(name))
        for name, place in (("frequency", participant), ("frequency", -1), ("frequency_gap", participant))
    )
    return [
        (
            f"People select the first answer of {columns['participant'][participant]} {format_estimate(best)} of the time "
            f"(n = {columns['n_judged'][participant]:,}), and the dataset label {format_estimate(dataset)}: "
            f"{format_points(gap, sign=True)} points on the same images."
        )
    ]


def _tell_main(columns: Mapping[str, Any], participant: int, *, level: float) -> list[str]:
    if columns["n_main"][participant] is None or not columns["n_main"][participant]:
        return []
    best, dataset = (
        format_estimate(_make_share(int(columns["n_main_right"][place]), int(columns["n_main"][place]), level))
        for place in (participant, -1)
    )
    return [
        (
            f"The first answer of {columns['participant'][participant]} is the main label on {best} of "
            f"{count_things(int(columns['n_main'][participant]), 'image')}, and the dataset label on {dataset}."
        )
    ]


def _sort_wrong(
    material: ContextMaterial, settings: ContextSettings, votes: RowVotes | None, chosen: Sequence[int]
) -> tuple[pl.DataFrame, list[str]]:
    """Wrong answers in bins of their selection frequency, in whole numbers; those that nobody was asked about are apart."""
    if votes is None or material.firsts is None:
        return make_frame(WRONG), []
    counts, n_wrong, n_unjudged, n_half = [], [], [], []
    for firsts in material.firsts:
        is_wrong = (firsts != NO_CLASS) & (material.labels != NO_CLASS) & (firsts != material.labels)
        selected, shown = votes.find(firsts)
        judged = is_wrong & (shown > 0)
        bins = 1 + np.minimum(N_BINS * selected[judged] // shown[judged], N_BINS - 1)
        bins[selected[judged] == 0] = 0
        counts.append(np.bincount(bins, minlength=N_BINS + 1))
        n_wrong.append(int(is_wrong.sum()))
        n_unjudged.append(int((is_wrong & (shown == 0)).sum()))
        n_half.append(int((2 * selected[judged] >= shown[judged]).sum()))
    k = np.concatenate(counts)
    n = np.repeat([one.sum() for one in counts], N_BINS + 1)
    edges = np.arange(N_BINS + 1) / N_BINS
    columns = {
        "participant": np.repeat(material.participants, N_BINS + 1),
        "n_wrong": np.repeat(n_wrong, N_BINS + 1),
        "n_unjudged": np.repeat(n_unjudged, N_BINS + 1),
        "n": n,
        "frequency_from": np.tile(np.append(0, edges[:-1]), len(counts)),
        "frequency_to": np.tile(edges, len(counts)),
        "k": k,
        **put_share("share", k, n=n, level=settings.level),
    }
    told = [
        said
        for place in chosen
        for said in _tell_wrong(
            material.participants[place], n_half[place], int(counts[place].sum()), level=settings.level
        )
    ]
    return make_frame(WRONG, columns), told


def _tell_wrong(name: str, k: int, n: int, *, level: float) -> list[str]:
    if not n:
        return []
    share = _make_share(k, n, level)
    return [
        (
            f"Of {count_things(n, 'wrong answer')} of {name} that people were asked about, at least half of them selected "
            f"{format_estimate(share)}."
        )
    ]


def _make_share(k: int, n: int, level: float) -> Share[float | None]:
    return make_share(k, n, limits=list(map(float, clopper_pearson(k, n, level=level))), method="clopper-pearson")


FREQUENCIES = Analysis(
    name="frequencies",
    title="Answers as people see them",
    help="How often people select what participants answer, and where accuracy does not follow that.",
    needs=(ContextNeed.DATASET_LABELS, ContextNeed.PARTICIPANTS),
    tables={"participants": PARTICIPANTS, "wrong": WRONG, "accuracy": GROUPED, "trend": TREND, "classes": CLASSES},
    analyse=analyse,
)
