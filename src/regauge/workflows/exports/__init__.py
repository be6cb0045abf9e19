"""What leaves a study in the formats of other programs, one module per format.

To add a format, write a module and list it in `EXPORTS`: the command and its options follow. docs/contributing.md walks
through an example.
"""

from __future__ import annotations

from regauge.workflows.exports.content import ExportChoice, ExportedFile, ExportFormat, ExportOption, ExportOrder
from regauge.workflows.exports.croissant import CROISSANT, export_croissant
from regauge.workflows.exports.crowd_kit import CROWD_KIT, export_crowd_kit
from regauge.workflows.exports.huggingface import HUGGINGFACE, export_huggingface
from regauge.workflows.exports.label_studio import LABEL_STUDIO, export_label_studio
from regauge.workflows.exports.tables import CSV, JSONL, PARQUET, export_tables

__all__ = [
    "EXPORTS",
    "ExportChoice",
    "ExportFormat",
    "ExportOption",
    "ExportOrder",
    "ExportedFile",
    "export_croissant",
    "export_crowd_kit",
    "export_huggingface",
    "export_label_studio",
    "export_tables",
    "list_exports",
]

EXPORTS: tuple[ExportFormat, ...] = (PARQUET, JSONL, CSV, HUGGINGFACE, CROISSANT, LABEL_STUDIO, CROWD_KIT)
"""All export formats but the bundle, which is for Regauge itself."""


def list_exports() -> tuple[ExportFormat, ...]:
    """All export formats but the bundle."""
    return EXPORTS
