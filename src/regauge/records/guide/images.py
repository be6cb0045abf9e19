"""Images of the study that the guide shows, and those that neither it nor cards of classes may show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from regauge.records.campaigns.campaign import CampaignImage

GUIDE_HIDES = "guide_hides"
"""Where the settings of a campaign name the sets of images that its annotators must not meet in the guide or on cards."""


@dataclass(frozen=True, slots=True)
class StudyImage:
    """An image of the study, wherever it is shown.

    Attributes:
        place: its set and its row there, by number.
        image_id: its id.
        test_set: the name of the set.
        sha256: the checksum of its bytes; empty where it is not known.
    """

    place: CampaignImage
    image_id: str
    test_set: str
    sha256: str = ""


class DigestedImage(Protocol):
    """An image with its id and the checksum of its bytes, which is empty where it is not known."""

    @property
    def image_id(self) -> str:
        """Its id."""

    @property
    def sha256(self) -> str:
        """Its checksum."""


@dataclass(frozen=True, slots=True)
class HiddenImages:
    """Images that annotators must not meet in the guide or on cards of classes, by id and by the checksum of their bytes.

    Attributes:
        image_ids: their ids.
        digests: their checksums.
        is_known: whether each of them has a checksum. Where one has none, any picture might be a copy of it, and none is shown.
    """

    image_ids: frozenset[str] = frozenset()
    digests: frozenset[str] = frozenset()
    is_known: bool = True

    def has(self, image: DigestedImage) -> bool:
        """Whether the image is one of them, or is known to be a copy of one."""
        return image.image_id in self.image_ids or (image.sha256 != "" and image.sha256 in self.digests)

    def can_tell(self, image: DigestedImage) -> bool:
        """Whether it is known of an image that is none of them that it is not a copy of one either."""
        return not self.image_ids or (self.is_known and image.sha256 != "")

    def __or__(self, other: HiddenImages) -> HiddenImages:
        """What either of the two hides."""
        if not (self.image_ids and other.image_ids):
            return self if self.image_ids else other
        is_known = self.is_known and other.is_known
        return HiddenImages(self.image_ids | other.image_ids, self.digests | other.digests, is_known)

    def hides(self, image: DigestedImage) -> bool:
        """Whether the image is one of them or a copy of one, or may be: where checksums are missing nobody can tell."""
        return self.has(image) or not self.can_tell(image)


@dataclass(frozen=True, slots=True)
class WithheldImages:
    """What somebody is not shown: hidden images, with all that may be a copy of one, and what they have still to judge."""

    hidden: HiddenImages = HiddenImages()
    unfinished: HiddenImages = HiddenImages()

    def keeps(self, image: DigestedImage) -> bool:
        """Whether an image is kept from them."""
        return self.hidden.hides(image) or self.unfinished.has(image)


NOTHING_HIDDEN = HiddenImages()
NOTHING_WITHHELD = WithheldImages()
ALL_HIDDEN = HiddenImages(frozenset({""}), is_known=False)
"""Where nobody can tell any more what is to be hidden."""
