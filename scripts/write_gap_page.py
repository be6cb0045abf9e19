"""Write the tables and the figure of docs/gap.md from docs/gap-simulation.csv and docs/gap-classes-simulation.csv.

scripts/simulate_gap.py and scripts/simulate_gap_classes.py make them.

python scripts/write_gap_page.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from regauge.estimates import format_limits, from_fields, typeset
from regauge.records.evaluation.gaps import MEAN, GapMethod
from regauge.records.testsets.sampling import Strategy
from regauge.report.theme import CONFIG, DATASET, GREEN, HUMAN, MODEL, MUTED
from regauge.workflows.reports.figures import convert_spec

DOCS = Path(__file__).resolve().parents[1] / "docs"
NUMBERS, FIGURE, PAGE = DOCS / "gap-simulation.csv", DOCS / "images" / "gap-simulation.svg", DOCS / "gap.md"

CLASS_NUMBERS = DOCS / "gap-classes-simulation.csv"

EMBEDDED, GRIDS, OTHER = "embedded", "embedded, one crew per class", "curved"
CHOSEN, FRESH = "chosen by these votes", "fresh votes"
"""What the numbers call worlds and votes."""
LEVEL = 0.95
COLOURS = {"naive": DATASET, "jackknife": HUMAN, "beta-binomial": GREEN, "deconvolution": MODEL}
"""Of methods."""


def select(numbers: pl.DataFrame, **wanted: object) -> pl.DataFrame:
    """The rows in which these columns have these values."""
    return numbers.filter(*(pl.col(name) == value for name, value in wanted.items()))


def write_tables(numbers: pl.DataFrame, of_classes: pl.DataFrame) -> dict[str, str]:
    """The tables of the page, by name."""
    mean = select(numbers, participant=MEAN)
    matched = select(mean, part="remainder", strategy=Strategy.MATCHED_FREQUENCY)
    others = select(mean, part="remainder").filter(
        (pl.col("world") == GRIDS) | (pl.col("strategy") != Strategy.MATCHED_FREQUENCY)
    )
    return {
        "chosen": write_by_annotators(select(matched, world=EMBEDDED, votes=CHOSEN)),
        "fresh": write_by_annotators(select(matched, world=EMBEDDED, votes=FRESH)),
        "curved": write_by_annotators(select(matched, world=OTHER)),
        "others": "".join(write_others(others)),
        "selection": write_by_annotators(
            select(mean, part="selection", world=EMBEDDED, votes=CHOSEN, strategy=Strategy.MATCHED_FREQUENCY)
        ),
        "classes": "".join(write_classes(of_classes)),
        "models": "".join(write_models(numbers)),
        "frequencies": "".join(write_frequencies(select(numbers, part="frequency", votes=CHOSEN))),
    }


def write_by_annotators(rows: pl.DataFrame) -> str:
    """One line per method, one pair of columns per number of annotators."""
    counts = rows["n_annotators"].unique(maintain_order=True).to_list()
    head = "| method | " + " | ".join(f"{n}: bias | {n}: coverage" for n in counts) + " |\n"
    lines = [head, "|---" * (1 + 2 * len(counts)) + "|\n"]
    for method in GapMethod:
        cells = []
        for n in counts:
            row = select(rows, method=method, n_annotators=n).row(0, named=True)
            cells += [show_bias(row), show_coverage(row)]
        lines.append(f"| {method} | " + " | ".join(cells) + " |\n")
    return "".join(lines)


def write_others(rows: pl.DataFrame) -> Iterator[str]:
    """One line per kind of study, with the bias and the coverage of every method."""
    yield "| study | " + " | ".join(f"{method}: bias | coverage" for method in GapMethod) + " |\n"
    yield "|---" * (1 + 2 * len(GapMethod)) + "|\n"
    for (world, strategy, n), mine in rows.group_by("world", "strategy", "n_annotators", maintain_order=True):
        found = [select(mine, method=method).row(0, named=True) for method in GapMethod]
        cells = [text for row in found for text in (show_bias(row), show_coverage(row))]
        what = "one crew per class, " if world == GRIDS else ""
        yield f"| {what}{strategy}, {n} annotators | " + " | ".join(cells) + " |\n"


def write_classes(rows: pl.DataFrame) -> Iterator[str]:
    """One line per kind of study in which classes differ, with the bias and the coverage of every method."""
    yield (
        "| classes | strategy, annotators | "
        + " | ".join(f"{method}: bias | coverage" for method in GapMethod)
        + " |\n"
    )
    yield "|---" * (2 + 2 * len(GapMethod)) + "|\n"
    names = ("world", "correlation", "n_classes", "strategy", "n_annotators")
    for (world, correlation, n_classes, strategy, n), mine in rows.group_by(*names, maintain_order=True):
        found = [select(mine, method=method).row(0, named=True) for method in GapMethod]
        cells = [text for row in found for text in (show_bias(row), show_coverage(row))]
        what = f"{n_classes}, {world}, correlation {correlation:g}".replace("-", "−")
        yield f"| {what} | {strategy}, {n} | " + " | ".join(cells) + " |\n"


def write_frequencies(rows: pl.DataFrame) -> Iterator[str]:
    """One line per strategy with ten annotators: true, observed and expected mean frequency."""
    yield "| strategy | true | bias of the observed | bias of the expected | its coverage |\n|---|---|---|---|---|\n"
    for (strategy,), mine in select(rows, world=EMBEDDED, n_annotators=10).group_by("strategy", maintain_order=True):
        observed, expected = (
            select(mine, method=method).row(0, named=True) for method in (GapMethod.NAIVE, GapMethod.DECONVOLUTION)
        )
        true = f"{100 * observed['truth']:.1f}%"
        yield f"| {strategy} | {true} | {show_bias(observed)} | {show_bias(expected)} | {show_coverage(expected)} |\n"


def write_models(numbers: pl.DataFrame) -> Iterator[str]:
    """How the corrected methods do for single models: one line each."""
    yield "| method | mean coverage | worst | exclude 95% | largest bias | where |\n|---|---|---|---|---|---|\n"
    single = select(numbers, part="remainder").filter(pl.col("participant") != MEAN)
    for method in GapMethod:
        rows = select(single, method=method)
        worst = rows.sort(pl.col("bias").abs()).row(-1, named=True)
        n_off = rows.filter((pl.col("coverage_low") > LEVEL) | (pl.col("coverage_high") < LEVEL)).height
        low, mean = 100 * float(rows["coverage"].min()), 100 * float(rows["coverage"].mean())  # type: ignore[arg-type]
        where = f"{worst['participant']}, {worst['strategy']}, {worst['n_annotators']} annotators"
        yield f"| {method} | {mean:.1f}% | {low:.0f}% | {n_off} of {rows.height} | {show_bias(worst)} | {where} |\n"


def show_bias(row: dict[str, Any]) -> str:
    """A bias in points with its interval."""
    return typeset(from_fields(row, "bias"), scale=100, sign=True)


def show_coverage(row: dict[str, Any]) -> str:
    """A coverage with its interval; bold where the interval excludes 95%."""
    text = f"{100 * row['coverage']:.0f}% {format_limits(from_fields(row, 'coverage'), scale=100, decimals=0)}"
    return text if row["coverage_low"] <= LEVEL <= row["coverage_high"] else f"**{text}**"


def put_tables(page: str, tables: dict[str, str]) -> str:
    """The page with its tables between their marks."""
    for name, table in tables.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        found = re.search(pattern, page, re.DOTALL)
        if found is None:
            raise SystemExit(f"The page has no place <!-- {name} -->.")
        page = page[: found.start()] + found[1] + table + found[2] + page[found.end() :]
    return page


def draw(numbers: pl.DataFrame) -> Any:  # noqa: ANN401 - altair types a concatenation as one of several charts
    """Bias and coverage of the remainder by the number of annotators."""
    rows = select(numbers, participant=MEAN, part="remainder", world=EMBEDDED, votes=CHOSEN).filter(
        pl.col("strategy") == Strategy.MATCHED_FREQUENCY
    )
    points = rows.with_columns(pl.col("bias", "bias_low", "bias_high") * 100)
    data = {"values": points.to_dicts()}
    panels = [
        draw_panel(data, "bias", title="Bias of the remainder, in points", at=0.0),
        draw_panel(data, "coverage", title="Coverage of its 95% interval", at=LEVEL),
    ]
    n = int(rows["n_studies"].max())  # type: ignore[arg-type]
    title = alt.TitleParams(
        "The gap at equal frequency, when sets are matched by votes",
        subtitle=f"{n} simulated studies per point, with 95% intervals; mean of 3 models.",
    )
    return alt.hconcat(*panels, title=title, spacing=48).configure(**CONFIG)


def draw_panel(data: dict[str, Any], field: str, *, title: str, at: float) -> Any:  # noqa: ANN401 - as above
    """One panel: a line per method, and where it should be."""
    methods = [method.value for method in GapMethod]
    axis = alt.Axis(format=".0%") if field == "coverage" else alt.Axis()
    base = alt.Chart(data).encode(
        x=alt.X("n_annotators:O", title="annotators per image", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("method:N", sort=methods),
        color=alt.Color(
            "method:N",
            scale=alt.Scale(domain=methods, range=[COLOURS[method] for method in methods]),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
    )
    interval = base.mark_rule(strokeWidth=2, opacity=0.55).encode(
        y=alt.Y(f"{field}_low:Q", title=None, axis=axis, scale=alt.Scale(zero=False)), y2=f"{field}_high:Q"
    )
    point = base.mark_circle(size=50, opacity=1).encode(y=alt.Y(f"{field}:Q", title=None, axis=axis))
    line = alt.Chart({"values": [{"at": at}]}).mark_rule(color=MUTED, strokeDash=[5, 4]).encode(y="at:Q")
    heading = alt.TitleParams(title, fontSize=13, offset=8, frame="group")
    return alt.layer(line, interval, point, title=heading, width=300, height=240)


def main() -> None:
    """Write the tables and the figure."""
    numbers = pl.read_csv(NUMBERS)
    tables = write_tables(numbers, pl.read_csv(CLASS_NUMBERS))
    PAGE.write_text(put_tables(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    FIGURE.write_bytes(convert_spec(draw(numbers).to_dict(), name="gap")[".svg"])


if __name__ == "__main__":
    main()
