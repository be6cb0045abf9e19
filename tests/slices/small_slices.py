"""A reference model and three others on six images, worked out by hand.

All images show class 0. The reference answers 1 on all of them; its mistakes on m1 to m5 are coded major, that on m6 minor.

| image | A                     | B     | C     | major of 4 | of at least 3 |
|-------|-----------------------|-------|-------|------------|---------------|
| m1    | 1 major               | 1     | right | 3          | in            |
| m2    | 2 major               | right | 1     | 3          | in            |
| m3    | 3 nobody judged       | 1     | right | 2 or 3     | undecided     |
| m4    | right                 | right | 1     | 2          | out           |
| m5    | 4 wrong, nobody coded | 1     | right | 2 or 3     | undecided     |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from regauge.records.labels.label_set import LabelSet
from regauge.records.mistakes.coded import SEVERITIES, CodedMistakes, Severity
from regauge.records.mistakes.coding import MistakeCoding, OverturnedMistakes, overturn_nothing
from regauge.records.predictions import Predictions
from regauge.records.slices.rules import MajorRule

IMAGES = ["m1", "m2", "m3", "m4", "m5", "m6"]
WRONG = [[1], [1, 2], [1], [1], [1, 4], [1]]
LABELS = LabelSet.from_lists("panel@1", IMAGES, correct=[[0]] * 6, wrong=WRONG)
RULE = MajorRule("R", ("A", "B", "C"), 3)
ANSWERS = {
    "R": Predictions("R", IMAGES, [1] * 6),
    "A": Predictions("A", IMAGES, [1, 2, 3, 0, 4, 0]),
    "B": Predictions("B", IMAGES, [1, 0, 1, 0, 1, 0]),
    "C": Predictions("C", IMAGES, [0, 1, 0, 1, 0, 0]),
}


def code(
    participant: str,
    pairs: Sequence[tuple[str, int, Severity]],
    *,
    overturned: Sequence[tuple[str, int]] = (),
    categories: Mapping[str, int] | None = None,
) -> MistakeCoding:
    """A coding of fine-grained mistakes, or of the category that an image names."""
    kinds = [(categories or {}).get(image, 0) for image, _, _ in pairs]
    coded = CodedMistakes(
        participant,
        np.array([one for one, _, _ in pairs], np.str_),
        np.array([index for _, index, _ in pairs], np.int32),
        categories=np.array(kinds, np.int8),
        severities=np.array([SEVERITIES.index(severity) for _, _, severity in pairs], np.int8),
    )
    gone = overturn_nothing()
    if overturned:
        images, classes = zip(*overturned, strict=True)
        gone = OverturnedMistakes(np.array(images), np.array(classes, np.int32), ("missed object",) * len(images))
    return MistakeCoding(f"{participant}@1", participant, "val", "panel@1", "file x", coded, gone)


OF_R = code("R", [*((one, 1, Severity.MAJOR) for one in IMAGES[:5]), ("m6", 1, Severity.MINOR)])
OF_A = code("A", [("m2", 2, Severity.MAJOR)])
