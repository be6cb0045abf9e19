"""Votes → labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias, Unpack

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS, CountArray, FloatArray, IdArray, IntArray, divide
from regauge.errors import InputError
from regauge.estimates import Estimate
from regauge.formats.columns import find_repeated_row
from regauge.formats.responses.data_frames import DataFrame, is_data_frame, read_gold, read_votes
from regauge.formats.responses.votes import load_gold, load_votes
from regauge.labels.votes.confusions import Confusions
from regauge.labels.votes.labels import Fit, accept, count_for, find_warnings, fit_votes
from regauge.labels.votes.skills import Skills
from regauge.labels.votes.tables import TaskPosterior, VoteTable
from regauge.records.keywords import VoteKeywords, choose_settings
from regauge.records.labels.votes import (
    ANNOTATOR_COLUMNS,
    CHANCE_PREFIX,
    CLASS_COLUMNS,
    CONFUSION_COLUMNS,
    LABEL_COLUMNS,
    MAX_UNNAMED_TRUTHS,
    Acceptance,
    GoldLabels,
    VoteLabels,
    VoteSettings,
)
from regauge.records.responses.votes import Votes
from regauge.stats.agreement.coefficients import limit_agreement, measure_agreement
from regauge.stats.agreement.cohen import compare_with_others, mean_pairwise_kappa
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.workflows.labels.vote_campaigns import Campaign, list_answers, prepare_campaign
from regauge.workflows.labels.vote_notes import describe_votes

VotesLike: TypeAlias = Votes | DataFrame | str | Path | Sequence[str | Path]
GoldLike: TypeAlias = GoldLabels | DataFrame | str | Path | None

AGREEMENT_INTERVAL = "score, over tasks"

_FEWEST_SHOWN = 1e-6
"""Confusions with a smaller expected count are not listed."""


def aggregate_votes(
    votes: VotesLike, *, gold: GoldLike = None, settings: VoteSettings | None = None, **keywords: Unpack[VoteKeywords]
) -> VoteLabels:
    """One label per task with its probability, the majority beside it, every annotator's skill, and how far they agree.

    Args:
        votes: a data frame of pandas or polars with the columns task, worker (or annotator) and label; files of any format in
            docs/formats.md, read together; or a record.
        gold: labels that are known, as a file or data frame `task,label` or a record; they are clamped.
        settings: the method, its prior, and when to stop; or each of them by its keyword, as in `method="dawid-skene"`.
        keywords: fields of `VoteSettings`, words for choices.

    >>> tasks, annotators, answers = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 1, 1]
    >>> votes = Votes(["a", "b"], ["x", "y", "z"], ["cat", "dog"], tasks, annotators, answers)
    >>> aggregate_votes(votes).frame.select("task", "label", "probability", "n_votes").rows()
    [('a', 'cat', 0.6666666666666666, 3), ('b', 'dog', 1.0, 3)]
    """
    settings = choose_settings(VoteSettings, settings, keywords=keywords)
    whole, notes = _open(votes)
    campaign = prepare_campaign(whole, _open_gold(gold), settings=settings)
    fit = fit_votes(campaign.table, settings)
    chances = fit.find_chances() if settings.lists_truths(campaign.table.n_truths) else None
    posterior = _accept(campaign, fit, chances, settings.accept)
    measured = _measure(campaign, settings) if settings.with_agreement else None
    return VoteLabels(
        frame=_make_frame(campaign, fit._replace(posterior=posterior), chances),
        annotators=_describe_annotators(campaign, fit, settings),
        classes=_describe_classes(campaign, fit, measured),
        confusions=_list_confusions(campaign, fit.confusions),
        agreement=measured.coefficients if measured is not None else {},
        convergence=fit.convergence,
        settings=settings,
        notes=(*notes, *campaign.notes, *describe_votes(campaign, fit, settings=settings, posterior=posterior)),
        warnings=tuple(find_warnings(campaign.table, fit)),
    )


def _accept(campaign: Campaign, fit: Fit, chances: FloatArray | None, acceptance: Acceptance | None) -> TaskPosterior:
    """The labels of the tasks, with the threshold that was set for one truth."""
    if acceptance is None:
        return fit.posterior
    if acceptance.truth not in campaign.truths or len(campaign.truths) < 2:
        raise InputError(
            f"{acceptance.truth!r} can only be accepted if it is one of several truths; the answers are "
            f"{list_answers(campaign.labels)}."
        )
    if chances is None:
        raise InputError(
            f"With more than {MAX_UNNAMED_TRUTHS} answers a threshold needs the truths; name them with `truths=…`."
        )
    place = campaign.truths.index(acceptance.truth)
    return accept(fit.posterior, chances, truth=place, probability=acceptance.probability)


def _open(votes: VotesLike) -> tuple[Votes, tuple[str, ...]]:
    if isinstance(votes, Votes):
        return _check_once(votes), ()
    if isinstance(votes, str | Path) or not is_data_frame(votes):
        loaded = load_votes([votes] if isinstance(votes, str | Path) else list(votes))  # type: ignore[arg-type]
        return loaded.votes, loaded.notes
    return _check_once(read_votes(votes)), ()


def _open_gold(gold: GoldLike) -> GoldLabels | None:
    if gold is None or isinstance(gold, GoldLabels):
        return gold
    return load_gold(gold) if isinstance(gold, str | Path) else read_gold(gold)


def _check_once(votes: Votes) -> Votes:
    if not len(votes):
        raise InputError("There are no votes.")
    repeated = find_repeated_row(votes.tasks.astype(np.int64) * len(votes.annotator_ids) + votes.annotators)
    if repeated is not None:
        who, task = votes.annotator_ids[votes.annotators[repeated[0]]], votes.task_ids[votes.tasks[repeated[0]]]
        raise InputError(
            f"Annotator {str(who)!r} votes on task {str(task)!r} twice; an annotator has one vote per task, so keep one."
        )
    return votes


def _make_frame(campaign: Campaign, fit: Fit, chances: FloatArray | None) -> pl.DataFrame:
    majority = fit.majority
    columns = {
        "task": _to_series(campaign.task_ids),
        "label": _name(campaign.labels, fit.posterior.labels),
        "probability": fit.posterior.probabilities,
        "n_votes": campaign.table.counts.n_votes_by_task,
        "n_agree": count_for(campaign.table, fit.posterior),
        "majority": _name(campaign.labels, majority.labels),
        "share": majority.shares,
        "low": majority.limits.low,
        "high": majority.limits.high,
        "tied": majority.is_tied,
        "gold": campaign.table.gold != NO_CLASS,
        "n_abstained": campaign.n_abstained,
    }
    frame = pl.DataFrame(columns, schema=dict(LABEL_COLUMNS))
    if chances is not None:
        names = (f"{CHANCE_PREFIX}{truth}" for truth in campaign.truths)
        frame = frame.with_columns(pl.Series(name, column) for name, column in zip(names, chances.T, strict=True))
    return frame.fill_nan(None) if (fit.posterior.labels == NO_CLASS).any() or campaign.n_abstained.any() else frame


def _describe_annotators(campaign: Campaign, fit: Fit, settings: VoteSettings) -> pl.DataFrame:
    table, level = campaign.table.decided, settings.level
    others = compare_with_others(campaign.comparable, table.annotators, n_annotators=table.n_annotators, level=level)
    agreement = clopper_pearson(others.n_equal, others.n, level=level)
    n_gold, n_right = _count_gold(table)
    gold = clopper_pearson(n_right, n_gold, level=level)
    n_votes = campaign.table.n_votes_by_annotator
    columns = {
        "annotator": _to_series(campaign.annotator_ids),
        "n_votes": n_votes,
        **_describe_skills(fit.skills, table.n_annotators),
        "n_compared": others.n,
        "n_agree": others.n_equal,
        "agreement": divide(others.n_equal, others.n),
        "agreement_low": agreement.low,
        "agreement_high": agreement.high,
        "kappa": others.kappa,
        "kappa_low": others.limits.low,
        "kappa_high": others.limits.high,
        "n_gold": n_gold,
        "n_gold_correct": n_right,
        "gold_accuracy": divide(n_right, n_gold),
        "gold_low": gold.low,
        "gold_high": gold.high,
        "n_abstained": n_votes - table.n_votes_by_annotator,
    }
    return pl.DataFrame(columns, schema=dict(ANNOTATOR_COLUMNS)).fill_nan(None)


def _describe_skills(skills: Skills | None, n_annotators: int) -> dict[str, FloatArray]:
    if skills is None:
        return dict.fromkeys(("accuracy", "low", "high", "n_effective"), np.full(n_annotators, np.nan))
    limits = skills.limits
    return {"accuracy": skills.accuracy, "low": limits.low, "high": limits.high, "n_effective": skills.n_effective}


def _count_gold(table: VoteTable) -> tuple[CountArray, CountArray]:
    """Per annotator, votes on tasks with a known label, and how many of them are right."""
    gold = np.repeat(table.gold, table.counts.n_votes_by_task)
    is_known, is_right = gold != NO_CLASS, gold == table.counts.answers
    n, n_right = (np.bincount(table.annotators[kept], minlength=table.n_annotators) for kept in (is_known, is_right))
    return n, n_right


def _describe_classes(campaign: Campaign, fit: Fit, measured: _Measured | None) -> pl.DataFrame:
    n = len(campaign.labels)

    def fill(column: FloatArray | None) -> FloatArray:
        """Truths come first; other answers have no value."""
        found = np.full(n, np.nan)
        found[: campaign.table.n_truths] = np.nan if column is None else column
        return found

    columns = {
        "label": _to_series(campaign.labels),
        "n_votes": np.bincount(campaign.table.counts.answers, minlength=n),
        "prevalence": fill(fit.prevalence),
        "alpha": fill(None if measured is None else measured.class_alphas),
        "alpha_low": fill(None if measured is None else measured.class_limits.low),
        "alpha_high": fill(None if measured is None else measured.class_limits.high),
    }
    return pl.DataFrame(columns, schema=dict(CLASS_COLUMNS)).fill_nan(None)


class _Measured(NamedTuple):
    coefficients: Mapping[str, Estimate[float | None]]
    class_alphas: FloatArray
    class_limits: Limits


def _measure(campaign: Campaign, settings: VoteSettings) -> _Measured:
    """The coefficients of the whole campaign, and alpha of each label against the rest; answers that are no truth are missing."""
    table, level = campaign.table.decided, settings.level
    counts = campaign.comparable
    found, limits = measure_agreement(counts), limit_agreement(counts, level=level)
    n_pairable = int(np.count_nonzero(counts.n_votes_by_task >= 2))
    pairs = mean_pairwise_kappa(counts, table.annotators, n_annotators=table.n_annotators, level=level)
    coefficients = {
        "krippendorff_alpha": _make_coefficient(found.alpha, limits.alpha, n=n_pairable),
        "fleiss_kappa": _make_coefficient(found.kappa, limits.kappa, n=n_pairable),
        "mean_cohen_kappa": _make_coefficient(pairs.value, pairs.limits, n=pairs.n_pairs),
    }
    return _Measured(coefficients, found.class_alphas, limits.class_alphas)


def _make_coefficient(value: float | FloatArray, limits: Limits, *, n: int) -> Estimate[float | None]:
    found, low, high = (None if np.isnan(one) else float(one) for one in (value, limits.low, limits.high))
    return Estimate(found, low, high, n=n, method=AGREEMENT_INTERVAL)


def _list_confusions(campaign: Campaign, confusions: Confusions | None) -> pl.DataFrame:
    """What every annotator answered when which label was true, by annotator, true label and answer."""
    if confusions is None:
        return pl.DataFrame(schema=dict(CONFUSION_COLUMNS))
    cells, prior = confusions.cells, confusions.prior
    n_truths = campaign.table.n_truths
    _, column = np.unique(cells.annotators.astype(np.int64) * n_truths + cells.truths, return_inverse=True)
    totals = np.bincount(column, cells.counts)[column]
    by_prior = prior.spread(cells.annotators, cells.answers, n_truths=n_truths)
    added = np.where(cells.truths == cells.answers, by_prior.if_right, by_prior.if_wrong)
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


def _to_series(texts: IdArray) -> pl.Series:
    return pl.Series(texts.tolist(), dtype=pl.String)


def _name(texts: IdArray, codes: IntArray) -> pl.Series:
    """The texts of these numbers; null for `NO_CLASS`."""
    has_all = not (codes == NO_CLASS).any()
    return _to_series(texts).gather(codes if has_all else pl.Series(codes).replace(NO_CLASS, None))
