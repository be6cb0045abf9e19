"""People may stop before the end: they are counted on what they answered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.context.tiny import GOOD, make_material, predict

from regauge.arrays import NO_CLASS
from regauge.errors import MissingImagesError
from regauge.records.predictions import ParticipantKind, Predictions

HALF = Predictions("half", np.array(["a", "b", "c"]), np.array([[0], [1], [0]]))


def test_a_person_who_answered_a_part_counts_on_that_part() -> None:
    person = replace(HALF, kind=ParticipantKind.PERSON)
    material = make_material(predict("good", GOOD), person)
    assert material.firsts is not None
    # good answers 0 1 2 0 1 2, all as labelled; the person two of three.
    assert material.participants == ("good", "half")
    assert material.firsts[1].tolist() == [0, 1, 0, NO_CLASS, NO_CLASS, NO_CLASS]


def test_a_model_may_lack_no_image_unless_that_is_allowed() -> None:
    with pytest.raises(MissingImagesError, match="half has no prediction for 3 of 6 images"):
        make_material(predict("good", GOOD), HALF)
