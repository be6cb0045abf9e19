"""Relations between classes with the verdicts that speak for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from regauge.errors import InputError
from regauge.estimates import Share
from regauge.records.taxonomy import ClassRelation


@dataclass(frozen=True, slots=True)
class ProposalSettings:
    """When verdicts that repeat propose a relation.

    Attributes:
        min_share: the second class is correct on at least this share of the images with the first.
        min_images: of at least so many images.
    """

    min_share: float = 0.9
    min_images: int = 5

    def __post_init__(self) -> None:
        if not 0.5 < self.min_share <= 1:
            raise InputError(
                f"The share from which a relation is proposed lies above 0.5 and up to 1, not {self.min_share}."
            )
        if self.min_images < 1:
            raise InputError(f"A relation is proposed from at least 1 image, not {self.min_images}.")


@dataclass(frozen=True, slots=True)
class RelationSupport:
    """How often the verdicts of a label set agree with a relation.

    Attributes:
        labels: the label set, as NAME@VERSION where a study keeps it.
        forward: of the images in which the first class is correct and the second was judged, those with the second correct.
        backward: the same with the classes in each other's place.
        examples: a few images in which both are correct.
        exceptions: a few images in which the first is correct and the second was judged otherwise; of two that are proposed to
            be the same, also the other way round.
    """

    labels: str
    forward: Share[float | None]
    backward: Share[float | None]
    examples: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        shares = {name: _write_share(getattr(self, name)) for name in ("forward", "backward")}
        images = {name: list(getattr(self, name)) for name in ("examples", "exceptions")}
        return {"labels": self.labels, **shares, **images}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> RelationSupport:
        """What `to_dict` gave."""
        return cls(
            stored["labels"],
            Share(**stored["forward"]),
            Share(**stored["backward"]),
            tuple(stored["examples"]),
            tuple(stored["exceptions"]),
        )


@dataclass(frozen=True, slots=True)
class RelationEntry:
    """A relation as a study keeps it, and what speaks for it where verdicts proposed it.

    Attributes:
        relation: the relation, with what was decided last.
        support: how often verdicts agree with it; None where it comes from elsewhere.
    """

    relation: ClassRelation
    support: RelationSupport | None = None


def _write_share(share: Share[float | None]) -> dict[str, Any]:
    return {name: getattr(share, name) for name in ("value", "low", "high", "n", "k", "method")}
