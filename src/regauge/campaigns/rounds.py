"""More rounds of a campaign: where it stands, and what another round asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from regauge.campaigns.sources import Album, OpenedSet
from regauge.fields import Choice, Field, Names
from regauge.ranges import SHARE
from regauge.records.campaigns.campaign import CampaignEntry, Payload
from regauge.records.campaigns.redundancy import DOUBT, MAX_ANNOTATORS, Decisions, RedundancyRule
from regauge.records.responses.ledgers import HeldAnswers
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.sampling import PER_CLASS, Strategy

ROUNDS = "rounds"
"""Where the settings of a campaign list the rounds that were added, each with its rule."""
URGENT_FROM = "urgent_from"
"""Where a round that has urgent tasks says at which position the first of them stands."""
REFERRED_FROM = "referred_from"
"""Where the settings of a campaign say at which position the first task stands that asks experts."""

_ROUND = RedundancyRule()
ROUND = (
    Field(
        "strategy",
        "Strategy",
        Choice({one: one.value for one in Strategy if one is not Strategy.KEYWORDS}),
        "How the test set will be drawn.",
        _ROUND.plan.strategy,
        option="--strategy",
        in_form=False,
    ),
    Field(
        "threshold",
        "Threshold",
        SHARE,
        "The lowest frequency that the strategy threshold takes.",
        _ROUND.plan.threshold,
        option="--threshold",
        in_form=False,
    ),
    Field(
        "class_thresholds",
        "Thresholds of classes",
        Names(),
        "Another threshold for a class.",
        (),
        option="--class-threshold",
        metavar="CLASS=SHARE",
        in_form=False,
    ),
    Field(
        "per_class",
        "Images per class",
        PER_CLASS,
        "How many images of a class top-images takes.",
        _ROUND.plan.per_class,
        option="--per-class",
        in_form=False,
    ),
    Field(
        "max_annotators",
        "People per pair",
        MAX_ANNOTATORS,
        "The most people who are asked about a pair.",
        _ROUND.max_annotators,
        option="--max-annotators",
        in_form=False,
    ),
    Field(
        "doubt",
        "Doubt",
        DOUBT,
        "The probability of a wrong decision that settles a pair; 0 settles only what no further vote can change.",
        _ROUND.doubt,
        option="--doubt",
        in_form=False,
    ),
)
"""What can be set of a round that a rule of redundancy decides about."""


def list_urgent_starts(settings: Mapping[str, Any]) -> list[int]:
    """Where the urgent tasks of added rounds and of experts begin, by the settings of a campaign.

    >>> list_urgent_starts({"rounds": [{"number": 2}, {"number": 3, "urgent_from": 40}], "referred_from": 30})
    [40, 30]
    """
    referred = [settings[REFERRED_FROM]] if REFERRED_FROM in settings else []
    return [*(one[URGENT_FROM] for one in settings.get(ROUNDS, ()) if URGENT_FROM in one), *referred]


@dataclass(frozen=True, slots=True, eq=False)
class RoundInputs:
    """Where a campaign stands when another round is wanted.

    Attributes:
        campaign: which campaign.
        held: its tasks, and the answers that count.
        positions: the position of each task by its number.
        barred: images that were excluded from their pool since the campaign was made, by number.
        known: images whose labels are believed; None where the kind needs none.
        album: the images of the campaign, of which none can be added.
        taxonomy: the classes.
        not_for: per task that asks about what people answered themselves, the numbers of these people.
    """

    campaign: CampaignEntry
    held: HeldAnswers
    positions: Mapping[int, int]
    barred: frozenset[int]
    known: OpenedSet | None
    album: Album
    taxonomy: Taxonomy
    not_for: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def rounds(self) -> Sequence[Mapping[str, Any]]:
        """The rounds that were added before."""
        found: Sequence[Mapping[str, Any]] = self.campaign.plan.settings.get(ROUNDS, ())
        return found


@dataclass(frozen=True, slots=True, eq=False)
class NewRound:
    """What another round asks.

    Attributes:
        tasks: its tasks, each saying who may take it.
        n_pairs: pairs that the campaign asks about.
        states: how many of them are in which state, for every `PairState` by its name in small letters.
        expected_errors: per state, the share of decisions that is expected to be wrong; None where that is not known.
        n_asked: pairs that the round asks about.
        n_pending: pairs that are open and wait for answers to tasks that show them.
        n_excluded: pairs that are open and were excluded from their pool.
        n_cells: images that the tasks show.
        locked: positions of tasks whose answers can no longer be changed, as the round shows them.
        settings: what changes in the settings of the campaign.
        decisions: what was decided about every pair, where a rule of redundancy decides.
    """

    tasks: Sequence[Payload]
    n_pairs: int
    states: Mapping[str, int]
    expected_errors: Mapping[str, float | None]
    n_asked: int
    n_pending: int = 0
    n_excluded: int = 0
    n_cells: int = 0
    locked: frozenset[int] = frozenset()
    settings: Mapping[str, Any] = field(default_factory=dict)
    decisions: Decisions | None = None
