"""The page about the gap holds what the simulation found; the simulation can be run in small."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest

from regauge.records.evaluation.gaps import MEAN, GapMethod

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def load_script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    return load_script("write_gap_page")


@pytest.fixture(scope="module")
def simulator() -> ModuleType:
    return load_script("simulate_gap")


@pytest.fixture(scope="module")
def numbers(writer: ModuleType) -> pl.DataFrame:
    return pl.read_csv(writer.NUMBERS)


def test_the_tables_of_the_page_are_those_of_the_numbers(writer: ModuleType, numbers: pl.DataFrame):
    page = writer.PAGE.read_text(encoding="utf-8")
    assert writer.put_tables(page, writer.write_tables(numbers, pl.read_csv(writer.CLASS_NUMBERS))) == page


def test_every_kind_of_study_was_simulated_at_least_a_hundred_times(
    simulator: ModuleType, writer: ModuleType, numbers: pl.DataFrame
):
    assert numbers["n_studies"].min() >= 100  # type: ignore[operator]
    kinds = numbers.select("world", "strategy", "votes", "n_annotators").unique().rows()
    assert set(kinds) == {(one.world, one.strategy, one.votes, one.n_annotators) for one in simulator.CASES}
    assert (simulator.EMBEDDED, simulator.GRIDS, simulator.OTHER) == (writer.EMBEDDED, writer.GRIDS, writer.OTHER)
    assert (simulator.CHOSEN, simulator.FRESH) == (writer.CHOSEN, writer.FRESH)


def test_what_the_page_says_in_words_is_so(writer: ModuleType, numbers: pl.DataFrame):
    rows = writer.select(numbers, participant=MEAN, part="remainder", world=writer.EMBEDDED, votes=writer.CHOSEN)
    matched = writer.select(rows, strategy="matched-frequency")
    naive, exact = (writer.select(matched, method=method) for method in (GapMethod.NAIVE, GapMethod.DECONVOLUTION))
    # The naive remainder is too large for every number of annotators, and the bias falls with it.
    assert (naive["bias_low"] > 0).all()
    assert naive["bias"].is_sorted(descending=True)
    # The deconvolution has a fifth of it or less, or next to none, and its intervals cover.
    assert (exact["bias"].abs() < naive["bias"]).all()
    assert (exact["bias"].abs() < 0.004).all()
    assert (exact["coverage_low"] <= 0.95).all()
    assert (exact["coverage_high"] >= 0.95).all()
    # The page says 91 to 96%, and 92 to 96% of the deconvolution.
    means = numbers.filter(pl.col("participant") == MEAN, pl.col("part") == "remainder", pl.col("method") != "naive")
    for method, lowest in (("jackknife", 0.905), ("beta-binomial", 0.905), ("deconvolution", 0.915)):
        mine = means.filter(pl.col("method") == method)["coverage"]
        assert lowest <= mine.min() <= mine.max() <= 0.965  # type: ignore[operator]


def test_every_kind_of_study_whose_classes_differ_was_simulated_and_the_corrections_hold(writer: ModuleType):
    simulator = load_script("simulate_gap_classes")
    numbers = pl.read_csv(writer.CLASS_NUMBERS)
    names = ("world", "correlation", "n_classes", "strategy", "n_annotators")
    kinds = numbers.select(names).unique().rows()
    assert set(kinds) == {tuple(getattr(case, name) for name in names) for case in simulator.CASES}
    assert numbers["n_studies"].min() >= 100  # type: ignore[operator]
    corrected = numbers.filter(pl.col("method") != GapMethod.NAIVE)
    # The page says 93 to 96%, and half a point at most.
    assert corrected["coverage"].min() > 0.925  # type: ignore[operator]
    assert corrected["coverage"].max() < 0.965  # type: ignore[operator]
    assert (corrected["bias"].abs() < 0.0055).all()


def test_a_study_whose_classes_differ_can_be_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    simulator = load_script("simulate_gap_classes")
    monkeypatch.setattr(simulator, "NUMBERS", tmp_path / "numbers.csv")
    case = simulator.CASES[0]
    rows = [row for seed in (0, 1) for row in simulator.simulate_one(case, seed)]
    assert [row for seed in (0, 1) for row in simulator.simulate_one(case, seed)] == rows
    for _ in range(2):
        simulator.keep(list(simulator.summarise(case, pl.DataFrame(rows))))
    # One row per method, however often a kind is simulated.
    assert pl.read_csv(tmp_path / "numbers.csv")["method"].to_list() == [method.value for method in GapMethod]


def test_a_mark_that_is_missing_is_told(writer: ModuleType):
    with pytest.raises(SystemExit, match="no place <!-- chosen -->"):
        writer.put_tables("# A page", {"chosen": "a table"})


def test_a_study_can_be_simulated(simulator: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(simulator, "N_POOL", 400)
    monkeypatch.setattr(simulator, "STUDY_ORIGINAL", 80)
    monkeypatch.setattr(simulator, "STUDY_POOL", 400)
    bank = simulator.make_other_bank()
    case = simulator.CASES[-4]
    assert (case.world, case.n_annotators) == (simulator.OTHER, 5)
    rows = [row for seed in (0, 1) for row in simulator.simulate_one(case, seed, bank)]
    found = pl.DataFrame(list(simulator.summarise(case, pl.DataFrame(rows), bank)))
    # Four methods, three models and their mean, two parts; and two ways to tell frequencies.
    assert found.height == 4 * 4 * 2 + 2
    assert set(found["n_studies"]) == {2}
    again = [row for seed in (0, 1) for row in simulator.simulate_one(case, seed, bank)]
    assert again == rows


def test_a_crew_shares_its_tastes(simulator: ModuleType):
    rng, n_classes, n_each = np.random.default_rng(0), 40, 100
    crews = simulator.hire_crews(5, n_classes, rng=rng)
    labels = np.repeat(np.arange(n_classes), n_each).astype(np.int32)
    n = labels.size
    side = simulator.Side(np.zeros(n), labels, np.full(n, 0.5), np.zeros((3, n), np.bool_))
    shares = (crews.vote(side, np.arange(n), rng=rng) / 5).reshape(n_classes, n_each)
    # All pictures are alike, so only the crews' tastes make classes differ by more than chance among a hundred pictures.
    assert shares.mean(axis=1).var() > 3 * shares.var(axis=1).mean() / n_each
