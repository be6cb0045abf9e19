"""What leaves a study in the formats of other programs, one module per format.

To add a format, write a module and list it in `EXPORTS`: the command and its options follow. docs/contributing.md walks
through an example.
"""

from __future__ import annotations

from regauge.workflows.exports.content import ExportFormat
from regauge.workflows.exports.croissant import CROISSANT
from regauge.workflows.exports.crowd_kit import CROWD_KIT
from regauge.workflows.exports.huggingface import HUGGINGFACE
from regauge.workflows.exports.label_studio import LABEL_STUDIO
from regauge.workflows.exports.site import SITE
from regauge.workflows.exports.tables import CSV, JSONL, PARQUET

EXPORTS: tuple[ExportFormat, ...] = (PARQUET, JSONL, CSV, HUGGINGFACE, CROISSANT, LABEL_STUDIO, CROWD_KIT, SITE)
"""All export formats but the bundle, which is for Regauge itself."""


def list_exports() -> tuple[ExportFormat, ...]:
    """All export formats but the bundle."""
    return EXPORTS
