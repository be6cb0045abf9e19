"""Votes of a panel: CSV `image_id,class,panelist,verdict` with the verdicts correct, unclear and wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_column
from regauge.formats.sizes import make_names
from regauge.formats.text import Table, read_table, require_columns
from regauge.records.labels.panel import PanelVotes
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import Taxonomy

COLUMNS = ("image_id", "class", "panelist", "verdict")
VERDICTS = {verdict.name.lower(): int(verdict) for verdict in Verdict}


def load_panel_votes(paths: Sequence[str | Path], *, taxonomy: Taxonomy | None = None) -> PanelVotes:
    """The votes of one or several files, taken together.

    Raises:
        FormatError: a column is missing, or a class or a verdict is unknown.
        InputError: a panelist votes on a pair twice.
    """
    frames = [_read(Path(path), taxonomy) for path in paths]
    rows = pl.concat(frames)
    repeated = rows.filter(rows.select("image_id", "class", "panelist").is_duplicated())
    if repeated.height:
        image_id, index, panelist, _ = repeated.row(0)
        raise InputError(
            f"Panelist {panelist!r} votes on image {image_id!r} and class {index} twice; a panelist has one vote on a "
            "pair, so keep the last."
        )
    ids, people = (rows[name].unique(maintain_order=True).to_list() for name in ("image_id", "panelist"))
    places = [{one: place for place, one in enumerate(known)} for known in (ids, people)]
    return PanelVotes(
        image_ids=make_names(ids),
        panelist_ids=make_names(people),
        images=np.array([places[0][one] for one in rows["image_id"]], np.int32),
        classes=rows["class"].to_numpy(),
        panelists=np.array([places[1][one] for one in rows["panelist"]], np.int32),
        verdicts=rows["verdict"].to_numpy().astype(np.int8),
        notes=(
            (
                f"{count_things(rows.height, 'vote')} of {count_things(len(people), 'panelist')} on "
                f"{count_things(len(ids), 'image')}."
            ),
        ),
    )


def _read(path: Path, taxonomy: Taxonomy | None) -> pl.DataFrame:
    table = read_table(path)
    require_columns(table, COLUMNS, purpose="the votes of a panel")
    return pl.DataFrame(
        {
            "image_id": table.get_column("image_id"),
            "class": resolve_column(table, "class", taxonomy),
            "panelist": table.get_column("panelist"),
            "verdict": _read_verdicts(table),
        }
    )


def _read_verdicts(table: Table) -> list[int]:
    column = table.get_column("verdict")
    for word in column.unique(maintain_order=True):
        if word not in VERDICTS:
            known = ", ".join(VERDICTS)
            raise table.make_error(table.find_first(column, word), f"a verdict is one of {known}, not {word!r}.")
    return [VERDICTS[word] for word in column]
