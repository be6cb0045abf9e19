"""How far coders agree, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regauge.cli.printing.tables import IN_JSON, FittedTable, make_table
from regauge.estimates import Estimate, format_percent, format_plain


def make_agreement_table(rows: Sequence[Mapping[str, Any]]) -> FittedTable:
    """How far coders agree, one row for each aspect."""
    table = make_table("aspect", title="Agreement of coders", whole=IN_JSON)
    table.add_columns(["n", "all the same", "Krippendorff's alpha"])
    for one in rows:
        alpha = Estimate(one["alpha"], one["alpha_low"], one["alpha_high"])
        share = format_percent(one["n_equal"] / one["n"] if one["n"] else None)
        table.add_row(one["aspect"], f"{one['n']:,}", share, format_plain(alpha, decimals=2))
    return table
