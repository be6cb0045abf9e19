"""Measure how often every kind of interval that the program prints covers the truth.

python -m scripts.simulate_intervals [--only balanced ...] [--studies 2000] [--table]

Runs the cases of every family in scripts/interval_cases, or of those named, writes their rows into docs/coverage.csv (the rows of
other families stay) and the tables of docs/statistics.md. Every case draws from a generator of its own, seeded by its name:
no number depends on which other cases run. `--table` only writes the tables anew.
"""

from __future__ import annotations

import argparse
import pkgutil
import re
import zlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scripts.interval_cases
from scripts.interval_cases.cases import Case, Claim

from regauge.stats.intervals import clopper_pearson

DOCS = Path(__file__).resolve().parents[1] / "docs"
NUMBERS = DOCS / "coverage.csv"
PAGE = DOCS / "statistics.md"
BEGIN, END = "<!-- coverage -->", "<!-- end of coverage -->"

SCHEMA = {
    "interval": pl.String,
    "case": pl.String,
    "n": pl.Int64,
    "n_studies": pl.Int64,
    "coverage": pl.Float64,
    "coverage_low": pl.Float64,
    "coverage_high": pl.Float64,
    "mean_width": pl.Float64,
    "oracle_ratio": pl.Float64,
    "claim": pl.String,
}
"""The columns of docs/coverage.csv; `oracle_ratio` is empty where no oracle is known."""


def find_families() -> dict[str, tuple[Case, ...]]:
    """The cases of every module of scripts/interval_cases that has any, by its name, in alphabetical order."""
    names = sorted(module.name for module in pkgutil.iter_modules(scripts.interval_cases.__path__))
    modules = {name: import_module(f"scripts.interval_cases.{name}") for name in names}
    return {name: tuple(module.CASES) for name, module in modules.items() if hasattr(module, "CASES")}


def run_case(case: Case, n_studies: int) -> dict[str, Any]:
    """The row of a case."""
    rng = np.random.default_rng(zlib.crc32(f"{case.interval}|{case.name}".encode()))
    found = case.simulate(rng, n_studies)
    low, high = clopper_pearson(found.n_covered, found.n_studies)
    ratio = found.mean_width / found.oracle_width
    return {
        "interval": case.interval,
        "case": case.name,
        "n": case.n,
        "n_studies": found.n_studies,
        "coverage": round(found.n_covered / found.n_studies, 4),
        "coverage_low": round(float(low), 4),
        "coverage_high": round(float(high), 4),
        "mean_width": float(f"{found.mean_width:.4g}"),
        "oracle_ratio": round(ratio, 3) if np.isfinite(ratio) else None,
        "claim": str(case.claim),
    }


def replace_rows(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The old rows without the kinds of intervals that the new ones have, and the new ones."""
    kept = old.filter(~pl.col("interval").is_in(new["interval"].unique().to_list()))
    return pl.concat([kept, new]).sort("interval", maintain_order=True)


def read_numbers() -> pl.DataFrame:
    """What docs/coverage.csv holds; nothing where it does not exist."""
    return pl.read_csv(NUMBERS, schema=SCHEMA) if NUMBERS.exists() else pl.DataFrame(schema=SCHEMA)


def write_tables(rows: pl.DataFrame) -> str:
    """One line per kind of interval and layout: the lowest and the highest coverage among its worlds, and widths."""
    head = [
        "| interval | case | n | worlds | coverage of 95% limits | mean width | width against the oracle's | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    layouts = rows.with_columns(pl.col("case").str.split(";").list.first().alias("layout"))
    parts = layouts.partition_by("interval", "layout", "claim", maintain_order=True)
    return "\n".join([*head, *(_write_line(part) for part in parts)])


def _write_line(part: pl.DataFrame) -> str:
    first = part.row(0, named=True)
    ratio = _span(part["oracle_ratio"].drop_nulls().to_list(), "{:.2f}")
    cells = (
        first["interval"],
        first["layout"],
        f"{first['n']:,}",
        str(part.height),
        _span([100 * one for one in part["coverage"]], "{:.1f}") + "%",
        _span(part["mean_width"].to_list(), "{:.3g}"),
        ratio or "–",
        first["claim"],
    )
    return f"| {' | '.join(cells)} |"


def _span(values: Sequence[float], form: str) -> str:
    """The lowest and the highest value, or the one where they read the same; nothing of no values."""
    return "–".join(dict.fromkeys(form.format(one) for one in (min(values), max(values)))) if values else ""


def put_tables(page: str, rows: pl.DataFrame) -> str:
    """The page with the tables of the rows between its marks."""
    pattern = re.compile(f"(?<={BEGIN}\n).*?(?={END})", re.DOTALL)
    return pattern.sub(lambda _: f"\n{write_tables(rows)}\n\n", page)


def _run(families: Sequence[str], n_studies: int) -> Iterator[dict[str, Any]]:
    known = find_families()
    for family in families or known:
        for case in known[family]:
            row = run_case(case, n_studies)
            mark = " <-- below what is claimed" * (row["claim"] == Claim.HOLDS and row["coverage"] < 0.93)
            print(
                f"{row['interval']}: {row['case']}: {100 * row['coverage']:.1f}%, oracle × {row['oracle_ratio']}{mark}",
                flush=True,
            )
            yield row


def main() -> None:
    """Run the cases, and write the numbers and the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], choices=sorted(find_families()), help="families to run")
    parser.add_argument("--studies", type=int, default=2_000, help="simulated studies per case")
    parser.add_argument("--table", action="store_true", help="only write the tables anew")
    asked = parser.parse_args()
    rows = read_numbers()
    if not asked.table:
        rows = replace_rows(rows, pl.DataFrame(list(_run(asked.only, asked.studies)), schema=SCHEMA))
        rows.write_csv(NUMBERS)
    PAGE.write_text(put_tables(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main()
