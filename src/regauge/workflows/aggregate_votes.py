"""Votes → labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

from regauge.errors import InputError
from regauge.formats.columns import find_repeated_row
from regauge.formats.votes import load_gold, load_votes
from regauge.labels.confusions import Confusions
from regauge.labels.vote_labels import Fit, count_for, find_warnings, fit_votes
from regauge.labels.vote_tables import VoteTable, make_vote_table
from regauge.records.arrays import NO_CLASS, CountArray, FloatArray, IdArray, IntArray
from regauge.records.responses import Votes
from regauge.records.vote_labels import (
    ANNOTATOR_COLUMNS,
    CLASS_COLUMNS,
    CONFUSION_COLUMNS,
    LABEL_COLUMNS,
    Coefficient,
    Convergence,
    GoldLabels,
    VoteLabels,
    VoteSettings,
)
from regauge.stats.agreement.coefficients import limit_agreement, measure_agreement
from regauge.stats.agreement.cohen import compare_with_others, mean_pairwise_kappa
from regauge.stats.intervals import Limits, clopper_pearson

VotesLike: TypeAlias = Votes | str | Path | Sequence[str | Path]
GoldLike: TypeAlias = GoldLabels | str | Path | None

AGREEMENT_INTERVAL = "score, over tasks"

_FEWEST_SHOWN = 1e-6
"""Confusions with a smaller expected count are not listed."""


class _Campaign(NamedTuple):
    """Votes that count: those of tasks with enough of them, with the labels that are known."""

    task_ids: IdArray
    annotator_ids: IdArray
    labels: IdArray
    annotators: IntArray
    table: VoteTable
    notes: tuple[str, ...]


def aggregate_votes(votes: VotesLike, *, gold: GoldLike = None, settings: VoteSettings | None = None) -> VoteLabels:
    """One label per task with its probability, the majority beside it, every annotator's skill, and how far they agree.

    Args:
        votes: files of any format in docs/formats.md, read together, or a record.
        gold: labels that are known, as a file `task,label` or a record; they are clamped.
        settings: the method, its prior, and when to stop.

    >>> tasks, annotators, answers = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 1, 1]
    >>> votes = Votes(["a", "b"], ["x", "y", "z"], ["cat", "dog"], tasks, annotators, answers)
    >>> aggregate_votes(votes).frame.select("task", "label", "probability", "n_votes").rows()
    [('a', 'cat', 0.6666666666666666, 3), ('b', 'dog', 1.0, 3)]
    """
    settings = settings or VoteSettings()
    whole, notes = _open(votes)
    campaign = _prepare(whole, load_gold(gold) if isinstance(gold, str | Path) else gold, settings)
    fit = fit_votes(campaign.table, settings)
    measured = _measure(campaign, settings) if settings.with_agreement else None
    return VoteLabels(
        frame=_make_frame(campaign, fit),
        annotators=_describe_annotators(campaign, fit, settings),
        classes=_describe_classes(campaign, fit, measured),
        confusions=_list_confusions(campaign, fit.confusions),
        agreement=measured.coefficients if measured is not None else (),
        convergence=fit.convergence,
        settings=settings,
        notes=(*notes, *campaign.notes, *_describe(campaign, fit, settings)),
        warnings=tuple(find_warnings(campaign.table, fit)),
    )


def _open(votes: VotesLike) -> tuple[Votes, tuple[str, ...]]:
    if not isinstance(votes, Votes):
        loaded = load_votes([votes] if isinstance(votes, str | Path) else list(votes))
        return loaded.votes, loaded.notes
    if not len(votes):
        raise InputError("There are no votes.")
    repeated = find_repeated_row(votes.tasks.astype(np.int64) * len(votes.annotator_ids) + votes.annotators)
    if repeated is not None:
        who, task = votes.annotator_ids[votes.annotators[repeated[0]]], votes.task_ids[votes.tasks[repeated[0]]]
        raise InputError(
            f"Annotator {str(who)!r} votes on task {str(task)!r} twice; an annotator has one vote per task, so keep one."
        )
    return votes, ()


def _prepare(votes: Votes, gold: GoldLabels | None, settings: VoteSettings) -> _Campaign:
    n_by_task = np.bincount(votes.tasks, minlength=len(votes.task_ids))
    is_kept = n_by_task >= settings.min_votes
    if not is_kept.any():
        raise InputError(
            f"No task has {settings.min_votes:,} votes, the most being {n_by_task.max():,}; lower --min-votes."
        )
    counted = is_kept[votes.tasks]
    tasks, task_ids = _renumber(votes.tasks[counted], votes.task_ids)
    annotators, annotator_ids = _renumber(votes.annotators[counted], votes.annotator_ids)
    notes = []
    if not is_kept.all():
        n_left = len(is_kept) - len(task_ids)
        notes.append(
            f"{n_left:,} of {len(is_kept):,} tasks have fewer than {settings.min_votes:,} votes and are left out."
        )
    known, labels, found = _match_gold(task_ids, votes.labels, gold)
    sizes = (len(task_ids), len(annotator_ids), len(labels))
    table = make_vote_table(tasks, votes.answers[counted], annotators=annotators, sizes=sizes, gold=known)
    return _Campaign(task_ids, annotator_ids, labels, annotators, table, (*notes, *found))


def _renumber(codes: IntArray, texts: IdArray) -> tuple[IntArray, IdArray]:
    """The codes without gaps, and the texts that occur; the order stays."""
    is_used = np.bincount(codes, minlength=len(texts)) > 0
    if is_used.all():
        return codes, texts
    return (np.cumsum(is_used) - 1).astype(np.int32)[codes], texts[is_used]


def _match_gold(
    task_ids: IdArray, labels: IdArray, gold: GoldLabels | None
) -> tuple[IntArray | None, IdArray, list[str]]:
    """The known label of every task, the labels with those that nobody voted for, and what was found."""
    if gold is None:
        return None, labels, []
    place_of = {task: place for place, task in enumerate(task_ids.tolist())}
    label_of = {label: code for code, label in enumerate(labels.tolist())}
    known = np.full(len(task_ids), NO_CLASS, np.int32)
    n_matched = 0
    for task, label in zip(gold.task_ids.tolist(), gold.labels.tolist(), strict=True):
        if task in place_of:
            known[place_of[task]] = label_of.setdefault(label, len(label_of))
            n_matched += 1
    if not n_matched:
        raise InputError(
            f"None of the {len(gold):,} tasks with a known label has a vote, the first being {str(gold.task_ids[0])!r}; "
            "check that the two files call tasks the same."
        )
    found = [f"{n_matched:,} of {len(task_ids):,} tasks have a known label, which is kept whatever the votes."]
    if n_matched < len(gold):
        found.append(f"{len(gold) - n_matched:,} tasks with a known label have no vote that counts and are left out.")
    return known, np.array(list(label_of)), found


def _make_frame(campaign: _Campaign, fit: Fit) -> pl.DataFrame:
    majority = fit.majority
    columns = {
        "task": _to_series(campaign.task_ids),
        "label": _name(campaign.labels, fit.posterior.labels),
        "probability": fit.posterior.probabilities,
        "n_votes": majority.n_votes,
        "n_agree": count_for(campaign.table, fit.posterior),
        "majority": _name(campaign.labels, majority.labels),
        "share": majority.shares,
        "low": majority.limits.low,
        "high": majority.limits.high,
        "tied": majority.is_tied,
        "gold": campaign.table.gold != NO_CLASS,
    }
    return pl.DataFrame(columns, schema=dict(LABEL_COLUMNS))


def _describe_annotators(campaign: _Campaign, fit: Fit, settings: VoteSettings) -> pl.DataFrame:
    table, level = campaign.table, settings.level
    others = compare_with_others(table.counts, campaign.annotators, n_annotators=table.n_annotators, level=level)
    agreement = clopper_pearson(others.n_equal, others.n, level=level)
    skills = fit.skills
    n_gold, n_right = _count_gold(table)
    gold = clopper_pearson(n_right, n_gold, level=level)
    nothing = np.full(table.n_annotators, np.nan)
    columns = {
        "annotator": _to_series(campaign.annotator_ids),
        "n_votes": table.n_votes_by_annotator,
        "accuracy": nothing if skills is None else skills.accuracy,
        "low": nothing if skills is None else skills.limits.low,
        "high": nothing if skills is None else skills.limits.high,
        "n_effective": nothing if skills is None else skills.n_effective,
        "n_compared": others.n,
        "n_agree": others.n_equal,
        "agreement": _divide(others.n_equal, others.n),
        "agreement_low": agreement.low,
        "agreement_high": agreement.high,
        "kappa": others.kappa,
        "kappa_low": others.limits.low,
        "kappa_high": others.limits.high,
        "n_gold": n_gold,
        "n_gold_correct": n_right,
        "gold_accuracy": _divide(n_right, n_gold),
        "gold_low": gold.low,
        "gold_high": gold.high,
    }
    return pl.DataFrame(columns, schema=dict(ANNOTATOR_COLUMNS)).fill_nan(None)


def _count_gold(table: VoteTable) -> tuple[CountArray, CountArray]:
    """Per annotator, votes on tasks with a known label, and how many of them are right."""
    gold = np.repeat(table.gold, table.counts.n_votes_by_task)
    is_known, is_right = gold != NO_CLASS, gold == table.counts.answers
    n, n_right = (np.bincount(table.annotators[kept], minlength=table.n_annotators) for kept in (is_known, is_right))
    return n, n_right


def _describe_classes(campaign: _Campaign, fit: Fit, measured: _Measured | None) -> pl.DataFrame:
    n = len(campaign.labels)
    nothing = np.full(n, np.nan)
    columns = {
        "label": _to_series(campaign.labels),
        "n_votes": np.bincount(campaign.table.counts.answers, minlength=n),
        "prevalence": fit.prevalence,
        "alpha": nothing if measured is None else measured.class_alphas,
        "alpha_low": nothing if measured is None else measured.class_limits.low,
        "alpha_high": nothing if measured is None else measured.class_limits.high,
    }
    return pl.DataFrame(columns, schema=dict(CLASS_COLUMNS)).fill_nan(None)


class _Measured(NamedTuple):
    coefficients: tuple[Coefficient, ...]
    class_alphas: FloatArray
    class_limits: Limits


def _measure(campaign: _Campaign, settings: VoteSettings) -> _Measured:
    """The coefficients of the whole campaign, and alpha of each label against the rest."""
    counts, level = campaign.table.counts, settings.level
    found, limits = measure_agreement(counts), limit_agreement(counts, level=level)
    n_pairable = int(np.count_nonzero(counts.n_votes_by_task >= 2))
    pairs = mean_pairwise_kappa(counts, campaign.annotators, n_annotators=campaign.table.n_annotators, level=level)
    coefficients = (
        _make_coefficient("krippendorff_alpha", found.alpha, limits.alpha, n=n_pairable),
        _make_coefficient("fleiss_kappa", found.kappa, limits.kappa, n=n_pairable),
        _make_coefficient("mean_cohen_kappa", pairs.value, pairs.limits, n=pairs.n_pairs),
    )
    return _Measured(coefficients, found.class_alphas, limits.class_alphas)


def _make_coefficient(name: str, value: float | FloatArray, limits: Limits, *, n: int) -> Coefficient:
    found, low, high = (None if np.isnan(one) else float(one) for one in (value, limits.low, limits.high))
    return Coefficient(name, found, low, high, interval=AGREEMENT_INTERVAL, n=n)


def _list_confusions(campaign: _Campaign, confusions: Confusions | None) -> pl.DataFrame:
    """What every annotator answered when which label was true, by annotator, true label and answer."""
    if confusions is None:
        return pl.DataFrame(schema=dict(CONFUSION_COLUMNS))
    cells, prior = confusions.cells, confusions.prior
    n_labels = len(campaign.labels)
    _, column = np.unique(cells.annotators.astype(np.int64) * n_labels + cells.truths, return_inverse=True)
    totals = np.bincount(column, cells.counts)[column]
    right = prior.right[cells.annotators]
    added = prior.strength * np.where(cells.truths == cells.answers, right, (1 - right) / max(n_labels - 1, 1))
    shares = (cells.counts + added) / np.maximum(totals + prior.strength, np.finfo(np.float64).tiny)
    kept = np.flatnonzero(cells.counts >= _FEWEST_SHOWN)
    kept = kept[np.lexsort((cells.answers[kept], cells.truths[kept], cells.annotators[kept]))]
    columns = {
        "annotator": _name(campaign.annotator_ids, cells.annotators[kept]),
        "true_label": _name(campaign.labels, cells.truths[kept]),
        "label": _name(campaign.labels, cells.answers[kept]),
        "n": cells.counts[kept],
        "probability": shares[kept],
    }
    return pl.DataFrame(columns, schema=dict(CONFUSION_COLUMNS))


def _describe(campaign: _Campaign, fit: Fit, settings: VoteSettings) -> Iterator[str]:
    """What the reader should know, a sentence each."""
    n_tasks, n_tied = len(campaign.task_ids), int(fit.majority.is_tied.sum())
    yield (
        f"{campaign.table.n_votes:,} votes of {len(campaign.annotator_ids):,} annotators on {n_tasks:,} tasks, "
        f"{len(campaign.labels):,} labels."
    )
    if n_tied:
        yield (
            f"{n_tied:,} of {n_tasks:,} tasks ({100 * n_tied / n_tasks:.1f}%) have several labels with most votes; their "
            "majority is the one of them that comes first in the votes."
        )
    if fit.convergence is not None and fit.convergence.converged:
        yield _describe_end(fit.convergence, settings, n_votes=campaign.table.n_votes)
    if not fit.is_complete:
        yield "With so many labels, the label of a task is taken to be one of those that somebody gave it."


def _describe_end(fit: Convergence, settings: VoteSettings, *, n_votes: int) -> str:
    """After how many passes a fit ended, and by which rule."""
    what = "log-posterior" if settings.prior else "log-likelihood"
    if not settings.is_crowd_kit:
        return (
            f"The fit converged after {fit.n_iterations:,} iterations: the last raised the {what} by less than "
            f"{settings.step_tolerance:g} per vote."
        )
    return (
        f"The fit ended after {fit.n_iterations:,} iterations by crowd-kit's rule; the last raised the {what} by "
        f"{fit.last_gain / n_votes:.1g} per vote."
    )


def _to_series(texts: IdArray) -> pl.Series:
    return pl.Series(texts.tolist(), dtype=pl.String)


def _name(texts: IdArray, codes: IntArray) -> pl.Series:
    return _to_series(texts).gather(codes)


def _divide(part: CountArray, whole: CountArray) -> FloatArray:
    share: FloatArray = np.divide(part, whole, out=np.full(whole.size, np.nan), where=whole > 0)
    return share
