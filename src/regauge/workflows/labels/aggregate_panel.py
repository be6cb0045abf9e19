"""Votes of an expert panel → verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from regauge.formats.exports.writers import write_truth
from regauge.formats.responses.panel import load_panel_votes
from regauge.labels.plurality import judge_panel
from regauge.records.labels.label_set import Truth
from regauge.records.labels.panel import PanelLabels
from regauge.storage.files import write_whole
from regauge.workflows.inputs import TaxonomyLike, open_taxonomy


def aggregate_panel(
    files: str | Path | Sequence[str | Path], *, taxonomy: TaxonomyLike = None, name: str = "panel"
) -> PanelLabels:
    """The outcome on every pair of image and class: the verdict with most votes, unclear where the first place is shared.

    Args:
        files: one or several files of votes, taken together.
        taxonomy: the classes, by name, file or record; without it they are given by index.
        name: what to call the label set.
    """
    paths = [files] if isinstance(files, str | Path) else list(files)
    return judge_panel(load_panel_votes(paths, taxonomy=open_taxonomy(taxonomy)), name=name)


def save_labels(labels: PanelLabels, path: Path) -> None:
    """Write the verdicts as a truth in JSON Lines."""
    with write_whole(path, replaces=True) as partial:
        write_truth(Truth(label_sets=(labels.label_set,)), path=partial)
