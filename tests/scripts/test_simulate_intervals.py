"""The script that measures coverage runs every family in small, and the page shows the numbers that it wrote."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scripts.interval_cases.cases import Case, Claim, Found, count_covered
from scripts.simulate_intervals import (
    PAGE,
    SCHEMA,
    find_families,
    put_tables,
    read_numbers,
    replace_rows,
    run_case,
    write_tables,
)

from regauge.errors import InputError
from regauge.stats.intervals import Limits

CASES = [case for cases in find_families().values() for case in cases]


def make_case(n_covered: int = 19, claim: Claim = Claim.HOLDS) -> Case:
    return Case("made up", "few; all equal", 10, lambda _, n: Found(n_covered, n, 0.5, 0.4), claim)


def test_a_row_says_how_often_the_limits_cover_and_how_wide_they_are() -> None:
    row = run_case(make_case(), 20)
    # 19 of 20 cover, by Clopper–Pearson 75.13% to 99.87%; 0.5 is 1.25 × 0.4.
    assert row["coverage"] == 0.95
    assert (row["coverage_low"], row["coverage_high"]) == (0.7513, 0.9987)
    assert (row["mean_width"], row["oracle_ratio"]) == (0.5, 1.25)
    assert list(row) == list(SCHEMA)


def test_a_case_draws_the_same_numbers_whichever_others_run() -> None:
    case = Case("made up", "draws", 1, lambda rng, n: Found(n, n, rng.random()))
    first = run_case(case, 20)
    run_case(make_case(), 20)
    assert run_case(case, 20) == first


def test_an_oracle_that_nobody_knows_leaves_no_ratio() -> None:
    case = Case("made up", "without oracle", 1, lambda _, n: Found(n, n, 1.0))
    assert run_case(case, 5)["oracle_ratio"] is None


def test_a_limit_that_equals_the_truth_covers_it_and_a_missing_one_does_not() -> None:
    limits = Limits(np.array([0.3, 0.1, np.nan]), np.array([0.5, 0.2, np.nan]))
    assert count_covered(limits, 0.3)[:2] == (1, 3)
    assert count_covered(limits, 0.3).mean_width == pytest.approx(0.15)


def test_a_case_without_observations_is_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        Case("made up", "none", 0, lambda _, n: Found(n, n, 1.0))


def test_new_rows_take_the_place_of_their_kind_only() -> None:
    rows = [run_case(make_case(n), 20) for n in (18, 19)]
    other = {**rows[0], "interval": "another"}
    old = pl.DataFrame([rows[0], other], schema=SCHEMA)
    new = replace_rows(old, pl.DataFrame([rows[1]], schema=SCHEMA))
    assert new.select("interval", "coverage").rows() == [("another", 0.9), ("made up", 0.95)]


def test_the_table_has_a_line_per_layout_with_the_lowest_and_the_highest_coverage() -> None:
    rows = [{**run_case(make_case(n), 20), "case": f"few; {n}"} for n in (18, 19)]
    line = write_tables(pl.DataFrame(rows, schema=SCHEMA)).splitlines()[-1]
    assert line == "| made up | few | 10 | 2 | 90.0–95.0% | 0.5 | 1.25 | holds |"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.interval}: {case.name}")
def test_every_case_runs_in_small(case: Case) -> None:
    found = case.simulate(np.random.default_rng(0), 4)
    assert 0 <= found.n_covered <= found.n_studies
    assert found.mean_width > 0


def test_the_numbers_are_those_of_the_cases() -> None:
    rows = read_numbers()
    listed = {(case.interval, case.name): (case.n, str(case.claim)) for case in CASES}
    assert {(row["interval"], row["case"]): (row["n"], row["claim"]) for row in rows.to_dicts()} == listed
    assert rows.filter(pl.col("n_studies") < 2_000).is_empty()


def test_what_is_said_to_hold_covers_93_per_cent() -> None:
    rows = read_numbers().filter(claim=str(Claim.HOLDS))
    assert not rows.filter(pl.col("coverage") < 0.93).rows()


def test_the_page_shows_the_numbers() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert put_tables(page, read_numbers()) == page
    assert write_tables(read_numbers()) in page
