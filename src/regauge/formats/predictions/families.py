"""Families of models: CSV `model,family`."""

from __future__ import annotations

from pathlib import Path

from regauge.formats.text import read_table, require_columns


def load_families(path: Path | str) -> dict[str, str]:
    """The family of every model in the file."""
    table = read_table(Path(path))
    require_columns(table, ("model", "family"), purpose="a file of families")
    models = table.get_column("model")
    table.check_distinct(models, "model")
    return dict(zip(models.to_list(), table.get_column("family").to_list(), strict=True))
