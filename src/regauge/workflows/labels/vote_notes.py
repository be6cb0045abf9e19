"""What the reader of vote labels should know, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.estimates import count_things
from regauge.labels.votes.labels import Fit
from regauge.labels.votes.tables import TaskPosterior
from regauge.records.labels.votes import Acceptance, Convergence, VoteMethod, VoteSettings
from regauge.workflows.labels.vote_campaigns import N_ANSWERS_NAMED, Campaign

ABSTENTIONS = frozenset(
    {
        "?",
        "abstain",
        "broken",
        "can not tell",
        "can't say",
        "can't tell",
        "cannot say",
        "cannot tell",
        "do not know",
        "don't know",
        "dont know",
        "idk",
        "image broken",
        "image not loaded",
        "maybe",
        "n/a",
        "na",
        "no answer",
        "not applicable",
        "not clear",
        "not sure",
        "skip",
        "skipped",
        "unanswered",
        "uncertain",
        "unclear",
        "undecided",
        "unknown",
        "unsure",
    }
)
"""Answers that are rarely true of an image, in lower case, with straight apostrophes and single spaces for _ and -."""


def describe_votes(campaign: Campaign, fit: Fit, *, settings: VoteSettings, posterior: TaskPosterior) -> Iterator[str]:
    """The sentences about votes and labels.

    Args:
        campaign: the votes that count.
        fit: what the method found.
        settings: how the labels were made.
        posterior: the labels, after any threshold.
    """
    table, n_tasks = campaign.table, len(campaign.task_ids)
    labels = f"{count_things(len(campaign.labels), 'label')}"
    if not table.is_square:
        labels = f"{len(campaign.labels):,} answers of which {table.n_truths:,} can be true"
    yield (
        f"{count_things(table.n_votes, 'vote')} of {count_things(len(campaign.annotator_ids), 'annotator')} on "
        f"{count_things(n_tasks, 'task')}, {labels}."
    )
    if settings.truths is None:
        yield from _suspect_abstentions(campaign)
    if campaign.n_abstained.any():
        yield from _describe_abstentions(campaign, fit, settings)
    n_tied = int(fit.majority.is_tied.sum())
    if n_tied:
        yield (
            f"{n_tied:,} of {n_tasks:,} tasks ({100 * n_tied / n_tasks:.1f}%) have several labels with most votes; their "
            f"majority is the one of them that comes first in {'the votes' if settings.truths is None else '`truths=…`'}."
        )
    if fit.convergence is not None and fit.convergence.converged:
        yield _describe_end(fit.convergence, settings, n_votes=table.n_votes)
    if not fit.is_complete:
        yield "With so many labels, the label of a task is taken to be one of those that somebody gave it."
    if settings.accept is not None:
        n_changed = int(np.count_nonzero(posterior.labels != fit.posterior.labels))
        yield _describe_acceptance(settings.accept, n_changed)


def looks_like_abstention(answer: str) -> bool:
    """Whether an answer sounds like none, by its name alone.

    >>> [looks_like_abstention(answer) for answer in ("Maybe", "can_not_tell", "yes", "None of them")]
    [True, True, False, False]
    """
    words = answer.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").rstrip(".!")
    return words in ABSTENTIONS or " ".join(words.replace("_", " ").replace("-", " ").split()) in ABSTENTIONS


def _suspect_abstentions(campaign: Campaign) -> Iterator[str]:
    """A sentence about answers that sound like none but can become the label of a task."""
    n_votes = np.bincount(campaign.table.counts.answers, minlength=len(campaign.labels))
    answers = [str(label) for label in campaign.labels]
    found = [place for place, answer in enumerate(answers) if n_votes[place] and looks_like_abstention(answer)]
    rest = [answer for place, answer in enumerate(answers) if place not in found]
    if not found or len(rest) < 2:
        return
    named = " and ".join(f"{answers[place]!r} ({count_things(n_votes[place], 'vote')})" for place in found)
    listed = rest if len(rest) <= N_ANSWERS_NAMED else [*rest[:2], "…"]
    kind = "an abstention" if len(found) == 1 else "abstentions"
    yield (
        f"By name {named} may be {kind}, though tasks can be labelled so here; to keep abstentions out of the labels, name the "
        f"answers that can be true: `truths={listed}`."
    )


def _describe_abstentions(campaign: Campaign, fit: Fit, settings: VoteSettings) -> Iterator[str]:
    """What became of answers that are no truth."""
    table, n_others = campaign.table, int(campaign.n_abstained.sum())
    meaning = {
        VoteMethod.MAJORITY: "they do not count",
        VoteMethod.ONE_COIN: "the model takes them to be as frequent whatever the truth, so they do not count",
        VoteMethod.DAWID_SKENE: "the model learns from every annotator what they say of the truth",
    }[settings.method]
    yield f"{n_others:,} of {table.n_votes:,} votes ({100 * n_others / table.n_votes:.1f}%) are no truth; {meaning}."
    is_without = ~table.decided.is_used
    has_label = bool((fit.posterior.labels[is_without] != NO_CLASS).any())
    if is_without.any():
        yield (
            f"{int(is_without.sum()):,} of {len(campaign.task_ids):,} tasks have no vote that is a truth, "
            f"{'so their labels rest on the other answers' if has_label else 'and so no label'}."
        )
    accuracy = "" if fit.skills is None else ", and so are accuracies"
    yield (
        f"Agreement, with the others and over the campaign, is that of the {table.decided.n_votes:,} votes that are "
        f"truths{accuracy}; the others are taken as missing."
    )


def _describe_acceptance(accept: Acceptance, n_changed: int) -> str:
    return (
        f"A task is labelled {accept.truth!r} where its probability is at least {accept.probability:g}, else by the most "
        f"probable of the other truths; this changes the labels of {n_changed:,} tasks."
    )


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
