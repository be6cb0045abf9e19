"""Every analysis of benchmark and task, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Mapping

from regauge.evaluation.context.ambiguous import AMBIGUOUS
from regauge.evaluation.context.confusion import CONFUSION
from regauge.evaluation.context.contract import Analysis
from regauge.evaluation.context.cooccurrence import COOCCURRENCE
from regauge.evaluation.context.disagreement import DISAGREEMENT
from regauge.evaluation.context.distance import DISTANCE
from regauge.evaluation.context.frequencies import FREQUENCIES
from regauge.evaluation.context.mislabeled import MISLABELED
from regauge.evaluation.context.objects import OBJECTS
from regauge.evaluation.context.potential import POTENTIAL
from regauge.evaluation.context.validation import VALIDATION

ANALYSES: Mapping[str, Analysis] = {
    one.name: one
    for one in (
        OBJECTS,
        COOCCURRENCE,
        DISAGREEMENT,
        VALIDATION,
        AMBIGUOUS,
        FREQUENCIES,
        CONFUSION,
        MISLABELED,
        DISTANCE,
        POTENTIAL,
    )
}
