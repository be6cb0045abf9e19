"""Where somebody's model stands among published ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from regauge.errors import InputError
from regauge.estimates import Estimate, Share, to_fields
from regauge.records.evaluation.accuracies import SetAccuracies


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
    """How far above the line through published models a model lies on the new set.

    Attributes:
        model: the model.
        distance: its new accuracy less what the line predicts from its original accuracy.
    """

    model: str
    distance: Estimate[float]

    def to_dict(self) -> dict[str, Any]:
        """The residual as docs/formats.md has it; fractions, not points."""
        return {"model": self.model, **to_fields(self.distance, "residual")}


@dataclass(frozen=True, slots=True, eq=False)
class PublishedScores:
    """Published models beside scores.

    Attributes:
        source: the table that they come from.
        citation: where its numbers come from, if that is known.
        accuracies: what they got right on the test set, under every metric that both have.
        standings: where each participant stands, by metric.
    """

    source: str
    citation: str | None
    accuracies: SetAccuracies
    standings: tuple[PublishedRank, ...]


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
