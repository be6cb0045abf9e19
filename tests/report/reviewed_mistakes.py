"""Small reviews of mistakes for tests of reports."""

from __future__ import annotations

import numpy as np

from regauge.estimates import Estimate, make_share
from regauge.mistakes.finding import share_of
from regauge.mistakes.sampling import share_of_sample
from regauge.mistakes.summary import summarise_mistakes
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.mistakes.flows import AccuracyChange, FlowStep, MistakeFlow
from regauge.records.mistakes.summaries import FileSummary, MistakesSettings
from regauge.report.content import ReviewedMistakes

CHANGES = (
    AccuracyChange(
        "all",
        make_share(80, 100, limits=(0.71, 0.87), method="clopper-pearson"),
        make_share(88, 99, limits=(0.81, 0.94), method="clopper-pearson"),
        Estimate(0.08, 0.03, 0.15, n=99, method="tango"),
    ),
    AccuracyChange("organism", share_of(0, 0, level=0.95), share_of(0, 0, level=0.95), Estimate(None, None, None, n=0)),
)


def summarise(n_major: int, n: int, *, n_borderline: int = 0) -> FileSummary:
    """So many coded mistakes, all fine-grained."""
    severities = np.array([0] * n_major + [2] * n_borderline + [1] * (n - n_major - n_borderline), np.int8)
    ids = np.array([f"i{place}" for place in range(n)])
    coded = CodedMistakes("vit", ids, np.ones(n, np.int32), categories=np.zeros(n, np.int8), severities=severities)
    (file,) = summarise_mistakes([coded], MistakesSettings(), rng=np.random.default_rng(0)).files
    return file


def make_flow(n: int, n_overturned: int, *, participant: str = "vit", is_coded: bool = True) -> MistakeFlow:
    """So many mistakes, of which another label set takes some away."""
    left = n - n_overturned
    steps = [FlowStep("people@1", "people@2", n, n, (("correct", n_overturned),) if n_overturned else (), left)]
    steps += [FlowStep("people@2", "coded@1", left, 0, (), left, is_coding=True)] if is_coded else []
    ends = (("major", left), ("minor", 0), ("borderline", 0)) if is_coded else ()
    share = share_of_sample(n_overturned, n, n_whole=n)
    coding = "coded@1" if is_coded else ""
    return MistakeFlow(participant, "drawn", ("people@1", "people@2"), tuple(steps), left, 0, ends, share, coding)


def make_review(
    n_major: int = 20, n: int = 100, *, participant: str = "vit", n_overturned: int = 40, n_borderline: int = 5
) -> ReviewedMistakes:
    """A review that overturned some mistakes and coded the rest."""
    return ReviewedMistakes(
        participant=participant,
        test_set="drawn",
        flow=make_flow(n + n_overturned, n_overturned, participant=participant),
        summary=summarise(n_major, n, n_borderline=n_borderline),
        coding="coded@1",
        accuracies=CHANGES,
        notes=("A note.",),
    )


def make_uncoded(n: int = 50, n_overturned: int = 10) -> ReviewedMistakes:
    """A review whose remaining mistakes nobody coded."""
    return ReviewedMistakes("vit", "drawn", make_flow(n, n_overturned, is_coded=False))
