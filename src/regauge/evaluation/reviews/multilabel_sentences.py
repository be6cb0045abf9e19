"""What a multi-label truth says, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from regauge.estimates import count_things, typeset
from regauge.evaluation.metrics import find_metric
from regauge.records.evaluation.multilabel_truths import MetricChanges, MultilabelTruth


def describe_truth(truth: MultilabelTruth) -> Iterator[str]:
    """How many images have several right labels, why, and what that does to the participants; what is not known is not said."""
    share, mean = truth.multilabel, truth.mean_labels
    if share.n:
        more = f"; on average these have {typeset(mean, decimals=2)} (n = {mean.n:,})" if mean.value is not None else ""
        yield f"{share} of the images that count have two or more correct labels (n = {share.n:,}){more}."
    yield f"{truth.problematic} of the images are problematic and left out (n = {truth.problematic.n:,})."
    n_empty = truth.n_images - truth.problematic.k - truth.multilabel.n
    if n_empty:
        yield f"{count_things(n_empty, 'image')} left out: no reassessed label."
    if truth.reasons:
        told = ", ".join(f"{reason} {part}" for reason, part in truth.reasons)
        yield f"Reasons for labels that are correct or unclear (n = {truth.reasons[0][1].n:,}): {told}."
    for found in truth.comparisons:
        yield describe_changes(found)


def describe_changes(found: MetricChanges) -> str:
    """The median change, and who changes rank most."""
    n = len(found.changes)
    whose = f"median of {count_things(n, 'participant')}" if n > 1 else found.changes[0].participant
    change = f"{typeset(found.median, scale=100, sign=True)} points ({whose})"
    told = f"From {name_metric(found.against)} to {name_metric(found.metric)}: {change}"
    if n == 1:
        return f"{told}."
    if not found.moved:
        return f"{told}; no rank changes."
    most = found.moved[0]
    ranks = f"{most.participant} most, from {most.rank_before} to {most.rank_after}"
    return f"{told}; {count_things(len(found.moved), 'rank changes', many='ranks change')}, that of {ranks}."


def describe_open(truth: MultilabelTruth) -> Iterator[str]:
    """How much nobody has judged yet, and which comparisons that leaves open."""
    if not truth.allows_several:
        yield f"{truth.labels} judges one class of each image, so it cannot tell which images have several."
    if truth.n_open:
        yield (
            f"{count_things(truth.n_open, 'answer or dataset label', many='answers and dataset labels')} of {truth.test_set} "
            "without verdict: images may have more correct labels than were found so far."
        )
    if any(one.median.holds_unjudged for one in truth.comparisons):
        yield "Unjudged answers count as wrong in changes; their limits hold whatever those answers turn out to be."
    yield from _describe_fewer(truth)
    for one in truth.settled:
        pairs = count_things(one.n_pairs, "pair of participants", many="pairs of participants")
        yield f"{one.n_settled:,} of {pairs} settled by bounds under {name_metric(one.metric)}."


def _describe_fewer(truth: MultilabelTruth) -> Iterator[str]:
    """Whose ranks are of fewer images than those of others."""
    for found in truth.comparisons:
        n_of = {one.participant: one.before.n or 0 for one in found.changes}
        fewer = sorted((name for name, n in n_of.items() if n < max(n_of.values())), key=lambda name: n_of[name])
        if fewer:
            first = f"{fewer[0]} (n = {n_of[fewer[0]]:,})"
            more = f" and {len(fewer) - 1:,} more have" if len(fewer) > 1 else " has"
            yield (
                f"Ranks compare participants on different numbers of images: {first}{more} fewer than the "
                f"{max(n_of.values()):,} of others."
            )
            return


def name_metric(name: str) -> str:
    """What a sentence calls a metric.

    >>> name_metric("top1"), name_metric("multilabel_strict"), name_metric("real")
    ('top-1', 'multi-label (strict)', 'ReaL')
    """
    metric = find_metric(name)
    if metric is None:
        return name
    head, *rest = metric.title.split(", ")
    # Names with capitals inside keep them.
    head = head if any(letter.isupper() for letter in head[1:]) else head.lower()
    return head + (f" ({', '.join(rest)})" if rest else "")
