"""Where somebody's model stands among published ones, and how two metrics judge its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from regauge.errors import InputError
from regauge.estimates import Estimate, Share, to_fields
from regauge.records.evaluation.accuracies import SetAccuracies
from regauge.records.evaluation.fits import Baseline, ShiftFit

RESIDUAL_FIELDS = ("beside_residual", "beside_residual_low", "beside_residual_high")
"""What rows call the distance from the line through published models, and its limits."""


@dataclass(frozen=True, slots=True)
class PublishedRank:
    """The rank of a model among published models under one metric on one test set.

    Attributes:
        model: the model.
        test_set: the set, as the published table calls it.
        metric: the metric.
        accuracy: the model's accuracy, with its limits.
        n_published: how many published models there are; with the model itself one more.
        rank: 1 for the best; a model that is as accurate as another has the better rank of the two.
        rank_low: the best rank that the limits allow.
        rank_high: the worst.
    """

    model: str
    test_set: str
    metric: str
    accuracy: Share[float]
    n_published: int
    rank: int
    rank_low: int
    rank_high: int

    def __post_init__(self) -> None:
        if not 1 <= self.rank_low <= self.rank <= self.rank_high <= self.n_published + 1:
            raise InputError(
                f"A rank lies within its limits from 1 to {self.n_published + 1}, not {self.rank} in [{self.rank_low}, "
                f"{self.rank_high}]."
            )

    @property
    def n_unclear(self) -> int:
        """How many published models cannot be told from the model."""
        return self.rank_high - self.rank_low

    def to_ranks(self, name: str) -> dict[str, int]:
        """The rank and its limits under the names that machine-readable output has for them."""
        return {name: self.rank, f"{name}_low": self.rank_low, f"{name}_high": self.rank_high}

    def to_dict(self) -> dict[str, Any]:
        """The standing as docs/formats.md has it; fractions, not percentages."""
        return {
            "model": self.model,
            "set": self.test_set,
            "metric": self.metric,
            "n": self.accuracy.n,
            "n_correct": self.accuracy.k,
            **to_fields(self.accuracy),
            "n_published": self.n_published,
            **self.to_ranks("rank"),
            "n_unclear": self.n_unclear,
        }


@dataclass(frozen=True, slots=True)
class Residual:
    """How far above the line through published models a model lies: on the new set, or by a second metric on one set.

    Attributes:
        model: the model.
        distance: its new or second accuracy less what the line predicts from its original or first accuracy.
    """

    model: str
    distance: Estimate[float]

    def to_dict(self) -> dict[str, Any]:
        """The residual as docs/formats.md has it; fractions, not points."""
        return {"model": self.model, **to_fields(self.distance, "residual")}


@dataclass(frozen=True, slots=True)
class JointCount:
    """How two metrics judge the answers of a participant, on the images that count under both.

    Attributes:
        participant: whose answers.
        metrics: the first metric and the second.
        labels: which labels each judges by.
        both: answers that are right by both.
        only_first: right by the first alone.
        only_second: right by the second alone.
        neither: right by neither.
    """

    participant: str
    metrics: tuple[str, str]
    labels: tuple[str, str]
    both: int
    only_first: int
    only_second: int
    neither: int

    def __post_init__(self) -> None:
        if min(self.cells) < 0:
            raise InputError(f"Answers are counted from 0 up, not {min(self.cells)}.")

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """The four counts, those that are right by the first metric before the others."""
        return self.both, self.only_first, self.only_second, self.neither

    @property
    def n(self) -> int:
        """How many images count under both metrics."""
        return sum(self.cells)

    def to_counts(self) -> dict[str, int]:
        """The counts as docs/formats.md has them."""
        return {
            "n_both_counted": self.n,
            "n_both_right": self.both,
            "n_only_against": self.only_first,
            "n_only_metric": self.only_second,
            "n_neither": self.neither,
        }


@dataclass(frozen=True, slots=True, eq=False)
class PublishedLine:
    """The line through published models by two metrics on one test set, and how far from it participants lie.

    The two accuracies of a participant are of the same answers to the same images. So a distance says what the one metric
    finds in answers beyond what models of the same accuracy by the other have; it says nothing about other images.

    Attributes:
        metrics: the metric along the line, and the one whose accuracy is predicted from it.
        fit: the line, second = slope · first + offset.
        residuals: how far above the line each participant lies by the second metric.
        joint: how both metrics judge the answers of each of them, in the same order.
        baseline: what the residuals are measured against.
    """

    metrics: tuple[str, str]
    fit: ShiftFit
    residuals: tuple[Residual, ...]
    joint: tuple[JointCount, ...]
    baseline: Baseline

    def to_dict(self) -> dict[str, Any]:
        """The line as docs/formats.md has it; fractions, not points."""
        against, metric = self.metrics
        return {
            "metric": metric,
            "against": against,
            "scale": self.fit.scale,
            **self.fit.to_line(),
            "n_models": self.fit.n_models,
            "n_bootstrap": self.baseline.n_bootstrap,
            "residuals": [
                {**one.to_dict(), **joint.to_counts()} for one, joint in zip(self.residuals, self.joint, strict=True)
            ],
        }


@dataclass(frozen=True, slots=True, eq=False)
class PublishedScores:
    """Published models beside scores.

    Attributes:
        source: the table that they come from.
        citation: where its numbers come from, if that is known.
        accuracies: what they got right on the test set, under every metric that both have.
        standings: where each participant stands, by metric.
        lines: the lines of other metrics against top-1, the most telling first; none where there is only one metric.
    """

    source: str
    citation: str | None
    accuracies: SetAccuracies
    standings: tuple[PublishedRank, ...]
    lines: tuple[PublishedLine, ...] = ()


def list_fields(standings: Sequence[PublishedRank], residuals: Sequence[Residual]) -> dict[str, dict[str, Any]]:
    """What a row of a comparison says of each model: its ranks on both sets, and its distance from the line.

    Every model has two standings, one after the other: on the original set and on the new one.
    """
    fields: dict[str, dict[str, Any]] = {}
    for place, standing in enumerate(standings):
        side = "original" if place % 2 == 0 else "new"
        fields.setdefault(standing.model, {}).update(standing.to_ranks(f"beside_rank_{side}"))
    distances = {one.model: one.distance for one in residuals}
    return {name: row | to_fields(distances.get(name), "beside_residual") for name, row in fields.items()}
