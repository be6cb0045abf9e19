"""Images of evaluations that are planned or open: who is measured does not meet them on cards, in the guide or in training."""

from __future__ import annotations

from dataclasses import dataclass, field

from regauge.campaigns.exposure.roles import find_hiding
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.guide.images import NOTHING_HIDDEN, HiddenImages
from regauge.storage.exposure.evaluations import list_planned
from regauge.storage.exposure.people import list_names_of
from regauge.storage.guide import load_tested
from regauge.storage.study import Study


@dataclass(slots=True)
class EvaluatedMemory:
    """What evaluations show, kept while cards are shown: a campaign never gets other images."""

    kept: dict[tuple[int, ...], HiddenImages] = field(default_factory=dict)

    def get(self, study: Study, annotator_id: int, *, role: ExposureRole) -> HiddenImages:
        """What somebody must not meet in a campaign that shows its images as a role."""
        found = find_hiding(list_planned(study), list_names_of(study, annotator_id), role=role)
        if not found:
            return NOTHING_HIDDEN
        hidden = self.kept.get(found)
        if hidden is None:
            hidden = load_tested(study, found)
            self.kept = {found: hidden}
        return hidden
