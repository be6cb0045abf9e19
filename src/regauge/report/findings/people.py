"""What the answers to a campaign say: how good the annotators were, where they disagree, and what it took."""

from __future__ import annotations

from collections.abc import Iterator

from regauge.estimates import Share, count_things, format_estimate, format_percent, format_plain
from regauge.records.responses.summaries import MedianShare
from regauge.report.content import CampaignPart
from regauge.report.findings.ranks import Question, ReportFinding


def find_in_campaign(part: CampaignPart, anchor: str) -> Iterator[ReportFinding]:
    """The findings of one campaign; of several, those of the one with more answers count for more."""
    # Below 9, and growing with the answers however many there are.
    size = 9 * part.pulse.n_answers / (part.pulse.n_answers + 1_000)
    summary = part.summary
    median = summary.controls or summary.agreement
    if median is not None:
        yield ReportFinding(
            Question.ANNOTATORS,
            _claim_quality(part, median),
            " ".join(_list_quality(part)),
            is_clear=median.median.low is not None,
            size=size,
            anchor=anchor,
        )
    divided = summary.divided
    if divided is not None and divided.value is not None:
        claim = f"Annotators of {part.name} are divided on {format_percent(divided.value)} of the questions."
        evidence = (
            f"Between a quarter and three quarters of them selected the class for {divided.k:,} of "
            f"{count_things(divided.n, 'pair')} of image and class: {format_estimate(divided)}."
        )
        yield ReportFinding(Question.DISPUTES, claim, evidence, is_clear=divided.k > 0, size=size, anchor=anchor)
    yield ReportFinding(Question.EFFORT, *_tell_effort(part), is_clear=True, size=size, anchor=anchor)


def _claim_quality(part: CampaignPart, found: MedianShare) -> str:
    what = "controls right" if found is part.summary.controls else "answers that agree with the majority of the others"
    if found.median.low is None:
        n = found.median.n or 0
        if n == 1:
            return f"The only annotator of {part.name} gets {format_percent(found.lowest)} of {what}."
        return (
            f"The {n} annotators of {part.name} get from {format_percent(found.lowest)} to "
            f"{format_percent(found.highest)} "
            f"of {what}."
        )
    return f"The median annotator of {part.name} gets {format_percent(found.median.value)} of {what}."


def _list_quality(part: CampaignPart) -> Iterator[str]:
    """The numbers behind the claim, a sentence each."""
    summary = part.summary
    for name, found, field in (
        ("Controls", summary.controls, "controls"),
        ("Agreement with the majority of the others", summary.agreement, "agreement"),
    ):
        if found is not None and found.median.n == 1:
            yield from _tell_alone(part, name, field)
        elif found is not None:
            yield (
                f"{name}: {format_estimate(found.median)} (median of {found.median.n:,}; {format_percent(found.lowest)} to "
                f"{format_percent(found.highest)})."
            )
    if summary.alpha is not None:
        pairs = count_things(summary.alpha.n or 0, "pair")
        yield f"Krippendorff’s α over {pairs} of image and class: {format_plain(summary.alpha, decimals=2)}."
    n_dropped = sum(one.is_dropped for one in part.annotators)
    if n_dropped:
        yield f"{count_things(n_dropped, 'annotator')} dropped."


def _tell_alone(part: CampaignPart, name: str, field: str) -> Iterator[str]:
    """The share of the only annotator who has one, with its own limits."""
    for one in part.annotators:
        share: Share[float | None] = getattr(one, field)
        if share.n and not one.is_dropped:
            yield f"{name}: {format_estimate(share)} (one annotator, {share.k:,} of {share.n:,})."


def _tell_effort(part: CampaignPart) -> tuple[str, str]:
    pulse = part.pulse
    people = count_things(len(part.annotators), "annotator")
    claim = f"{people} gave {count_things(pulse.n_answers, 'answer')} to {part.name}."
    told = []
    if pulse.median_seconds is not None:
        told.append(f"Median time per task: {pulse.median_seconds:,.0f} s (n = {pulse.n_timed:,}).")
    if pulse.cost_so_far is not None:
        told.append(f"Cost with fees: {pulse.cost_so_far:,.2f} {pulse.currency}.")
    done = pulse.progress
    told.append(f"{done.n_done:,} of {count_things(done.n_tasks, 'task')} have all the answers they need.")
    return claim, " ".join(told)
