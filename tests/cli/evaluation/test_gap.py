"""`regauge gap` as a user meets it: files or a study, formats, figures and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.command_runner import Result, Runner, make_runner, read_rows, write

from regauge.records.evaluation.gaps import GAP_COLUMNS, MEAN

SETS = ("--original-truth", "old.csv", "--original", "old", "--new-truth", "fresh.csv", "--new", "fresh")
FREQUENCIES = ("--frequencies", "votes.csv")


def make_files() -> dict[str, str]:
    """Forty images of old and thirty of fresh, two models, and ten annotators on each; a pool that holds fresh."""
    rng = np.random.default_rng(5)
    files: dict[str, str] = {}
    votes = ["image_id,class,n_shown,n_selected"]
    for name, n in (("old", 40), ("fresh", 30)):
        ids = [f"{name}{row}" for row in range(n)]
        files[f"{name}.csv"] = "image_id,label\n" + "".join(f"{one},0\n" for one in ids)
        chances = rng.beta(3, 1, n)
        for model in ("alpha", "beta"):
            rows = "".join(f"{one},{int(wrong)}\n" for one, wrong in zip(ids, rng.random(n) > chances, strict=True))
            files[f"{name}/{model}.csv"] = f"image_id,class\n{rows}"
        votes += [f"{one},0,10,{k}" for one, k in zip(ids, rng.binomial(10, chances), strict=True)]
    pool = [votes[0], *votes[41:], *(f"pool{row},0,10,{k}" for row, k in enumerate(rng.integers(0, 11, 60)))]
    return {**files, "votes.csv": "\n".join(votes), "pool.csv": "\n".join(pool)}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Split the gap of two models, with few bootstrap samples."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, make_files())
    runner = make_runner(monkeypatch, capsys, "gap")
    return lambda *arguments: runner("--n-bootstrap", "100", *arguments)


def read_json(result: Result) -> dict[str, Any]:
    assert result.status == 0, result.err
    content: dict[str, Any] = json.loads(result.out, parse_constant=pytest.fail)
    return content


def test_tables_show_gaps_frequencies_and_bins(run: Runner):
    result = run(*SETS, *FREQUENCIES, "--shares", "0,0,0.1,0.3,0.6")
    assert result.status == 0, result.err
    for text in (
        "old − fresh, in points (n = 40 and 30; bootstrap of images)",
        "Mean selection frequency",
        "Accuracy by observed selection frequency",
        "Accuracy with other shares of the bins",
        MEAN,
    ):
        assert text in result.out
    assert "Note: The counts of fresh are taken for fresh ones." in result.err


def test_csv_has_a_row_per_participant_and_method(run: Runner):
    result = run(
        *SETS, *FREQUENCIES, "--pool-frequencies", "pool.csv", "--matched", "--method", "all", "--format", "csv"
    )
    rows = read_rows(result.out)
    assert list(rows[0]) == list(GAP_COLUMNS)
    assert len(rows) == 3 * 4
    for row in rows:
        assert float(row["selection"]) + float(row["remainder"]) == pytest.approx(float(row["gap"]))
        assert row["interval"] == "bootstrap of images, matched"


def test_json_has_everything(run: Runner):
    content = read_json(run(*SETS, *FREQUENCIES, "--pool-frequencies", "pool.csv", "--format", "json", "--seed", "3"))
    assert content["n_pool"] == 90
    assert {len(content["gaps"]), len(content["bins"]), len(content["frequencies"])} == {6, 20, 2}
    assert content["settings"]["seed"] == 3
    assert content["reweighted"] == []


def test_equal_ids_give_a_note_and_count_as_the_same_images_where_somebody_says_so(run: Runner):
    itself = ("--original-truth", "old.csv", "--original", "old", "--new-truth", "old.csv", "--new", "old")
    apart, together = (run(*itself, *FREQUENCIES, *also, "--format", "json") for also in ((), ("--shared", "ids")))
    assert "40 image ids are in both old and old, and no digest says whether the images are the same." in apart.err
    assert "old and old share 40 images (by equal ids); shared images are drawn together." in together.err
    found = [read_json(one) for one in (apart, together)]
    assert [one["n_shared_images"] for one in found] == [0, 40]
    limits = [(row["gap_low"], row["gap_high"]) for row in found[1]["gaps"]]
    assert set(limits) == {(0, 0)}
    assert all(row["gap_low"] < 0 < row["gap_high"] for row in found[0]["gaps"])


def test_equal_digests_are_the_same_images(run: Runner, tmp_path: Path):
    for name, first in (("old", 0), ("fresh", 30)):
        lines = (tmp_path / f"{name}.csv").read_text().splitlines()
        rows = [f"{line},{number:064x}" for number, line in enumerate(lines[1:], start=first)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["image_id,label,sha256", *rows]))
    result = run(*SETS, *FREQUENCIES, "--format", "json")
    # Images 30 to 39 of old are the first ten of fresh.
    assert read_json(result)["n_shared_images"] == 10
    assert "old and fresh share 10 images (by equal bytes)" in result.err


def test_a_warning_stands_beside_naive_numbers(run: Runner):
    both, corrected = (run(*SETS, *FREQUENCIES, *also) for also in ((), ("--method", "deconvolution")))
    assert "naive (biased)" in both.out
    assert "The naive method takes votes at their word, in five bins." in both.err
    assert "biased" not in corrected.out
    assert "naive" not in corrected.err


def test_the_pool_alone_tells_the_counts_of_the_chosen(run: Runner, tmp_path: Path):
    lines = (tmp_path / "votes.csv").read_text().splitlines()
    (tmp_path / "old_votes.csv").write_text("\n".join(lines[:41]))
    both = run(*SETS, *FREQUENCIES, "--pool-frequencies", "pool.csv", "--format", "csv")
    apart = run(*SETS, "--frequencies", "old_votes.csv", "--pool-frequencies", "pool.csv", "--format", "csv")
    assert apart.out == both.out


def test_a_figure_is_drawn(run: Runner, tmp_path: Path):
    assert run(*SETS, *FREQUENCIES, "--figure", "gap.svg").status == 0
    assert "Remainder at equal frequency" in (tmp_path / "gap.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (SETS, "--frequencies is needed, or the names of two test sets of a study."),
        (FREQUENCIES, "--original-truth, --original, --new-truth, --new is needed"),
        (("old", "fresh", *FREQUENCIES), "--frequencies is of no use where two test sets of a study are named"),
        (("old",), "Name two test sets, ORIGINAL and NEW, not 1."),
        ((*SETS, *FREQUENCIES, "--labels", "people"), "--labels is of no use where files are given"),
        ((*SETS, *FREQUENCIES, "--shares", "a,b"), "--shares takes five numbers such as 0,0,0.1,0.3,0.6, not 'a,b'."),
        ((*SETS, *FREQUENCIES, "--shares", "1,1,0,0,0"), "A hypothetical set has 5 shares"),
        ((*SETS, "--frequencies", "old.csv"), "a table of selection frequencies"),
    ],
)
def test_what_cannot_be_split_is_refused_in_a_sentence(run: Runner, arguments: tuple[str, ...], message: str):
    result = run(*arguments)
    assert result.status == 2
    assert message in result.err
    assert "Traceback" not in result.err
