"""What whoever works on a task may see besides it: what its classes mean, verdicts, and others' votes where rules allow it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from regauge.fields import Field, KnownName
from regauge.records.campaigns.campaign import Payload
from regauge.records.campaigns.discussions import ShownDiscussion
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import Taxonomy, describe_class

VOTES_OF = "votes_of"
"""Where a task names the positions of earlier tasks whose answers it may show, without names. Those are locked from then on."""
CARDS = "cards"
"""Where the settings of a campaign name the sets whose images cards of classes show: `tested`, `reference`, `hidden`, `seed`."""
LABELS = "labels"
"""Where the settings of a campaign name the label set whose verdicts its tasks may show."""
REFERENCES = Field(
    "references",
    "Reference images from",
    KnownName("test set", nothing="no set"),
    "Cards of classes show images of this set as examples; where people are tested, it must share no image with their tasks.",
    "",
    option="--references",
    metavar="TEST_SET",
)


@dataclass(frozen=True, slots=True)
class TaskContext:
    """What a kind may show of a task's surroundings; it can only be read.

    Attributes:
        taxonomy: the classes.
        order: a number that decides any shuffling, the same whenever one annotator sees the task.
        votes: others' answers to the tasks that this one names, in an order that says nothing; nobody's name.
        verdicts: image number → class → what the label set of the campaign says.
        discussion: what panelists said of the task; None where it is not discussed, or in round 1, when everybody votes alone.
    """

    taxonomy: Taxonomy
    order: int = 0
    votes: tuple[Payload, ...] = ()
    verdicts: Mapping[int, Mapping[int, Verdict]] = field(default_factory=dict)
    discussion: ShownDiscussion | None = None

    def describe_class(self, index: int) -> Mapping[str, Any]:
        """What an annotator is told about a class."""
        return describe_class(self.taxonomy.classes[index])

    def number_class(self, index: int) -> dict[str, Any]:
        """The same with its number, by which an answer can name it."""
        return {"class": index, **self.describe_class(index)}


def find_order(shown_id: str) -> int:
    """The number that decides any shuffling of a task, by the id under which somebody sees it."""
    return zlib.crc32(shown_id.encode())


def list_visible(task: Payload) -> tuple[int, ...]:
    """The positions of the tasks whose answers a task may show."""
    return tuple(task.get(VOTES_OF, ()))
