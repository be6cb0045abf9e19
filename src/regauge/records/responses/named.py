"""Who named which class for which image: answers of people who are measured like models."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.arrays import CountArray, FloatArray, IdArray, IntArray
from regauge.records.responses.ledgers import FlagArray


@dataclass(frozen=True, slots=True, eq=False)
class NamedClasses:
    """Answers that hold, one per image and person.

    Attributes:
        images: per answer, the number of the image in its campaign.
        image_ids: per such number, the id of the image.
        annotators: per answer, the place of whoever gave it.
        annotator_ids: per such place, their number in the study.
        names: per such place, what they are called.
        classes: the class that was named.
        seconds: from the image being shown to the answer; NaN where unknown.
        active_seconds: of these, without pauses and the time in which the page was hidden; NaN where unknown.
        time_flags: what is odd about `seconds`, as bits.
        received: when the first answer to the image came, in milliseconds since 1970.
    """

    images: IntArray
    image_ids: IdArray
    annotators: IntArray
    annotator_ids: CountArray
    names: IdArray
    classes: IntArray
    seconds: FloatArray
    active_seconds: FloatArray
    time_flags: FlagArray
    received: CountArray

    def __len__(self) -> int:
        return len(self.images)
