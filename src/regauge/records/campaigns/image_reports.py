"""What people say is wrong with an image."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_WORDS = 500
"""Characters of what somebody writes about an image."""
TAKEN_OUT = "taken_out"
"""Where the settings of a campaign say which images are shown no longer: their numbers, as texts, with the reason."""


class ImageProblem(StrEnum):
    """What is wrong with an image, as an annotator finds it."""

    BROKEN = "broken"
    """It does not show what it should. It counts as not shown to them."""
    UPSETTING = "upsetting"
    """They do not want to look at it. It counts as not shown to them."""
    OTHER = "other"
    """They say what it is in their own words, and judge the image all the same."""


@dataclass(frozen=True, slots=True)
class ImageReport:
    """What somebody says of an image.

    Attributes:
        number: the image's number in the campaign.
        image_id: its id.
        test_set: the set that it is of.
        annotator: who says so.
        problem: what is wrong.
        words: in their own words; empty where they chose none.
        at: when.
    """

    number: int
    image_id: str
    test_set: str
    annotator: str
    problem: ImageProblem
    words: str
    at: str
