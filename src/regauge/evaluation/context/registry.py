"""Every analysis of benchmark and task, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Mapping

from regauge.evaluation.context.contract import Analysis
from regauge.evaluation.context.objects import OBJECTS

ANALYSES: Mapping[str, Analysis] = {one.name: one for one in (OBJECTS,)}
