"""Every rule of sampling through the commands, on both databases, against a plain reading of the rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.workflows.pool_studies import CLASSES, make_pooled

from regauge.records.testsets.pool import ExclusionRule
from regauge.records.testsets.sampling import BIN_NAMES

PER_CLASS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """A pool with counts at random, and what may be taken of it."""

    run: Runner
    counts: dict[tuple[str, int], tuple[int, int]]
    excluded: set[str]

    def list_usable(self, index: int) -> dict[str, Fraction]:
        """Per candidate of a class that may be taken, its selection frequency."""
        return {
            image_id: Fraction(k, n)
            for (image_id, of), (n, k) in self.counts.items()
            if of == index and image_id.startswith("c") and n >= 10 and image_id not in self.excluded
        }

    def find_targets(self, index: int) -> list[int]:
        """Images wanted of every bin: shares of the originals, rounded down, then up by largest remainder, higher bins first."""
        originals = [
            Fraction(k, n)
            for (one, of), (n, k) in self.counts.items()
            if of == index and one.startswith("o") and n >= 10
        ]
        counted = Counter(map(find_bin, originals))
        exact = [Fraction(counted[number] * PER_CLASS, len(originals)) for number in range(5)]
        whole = [int(share) for share in exact]
        order = sorted(range(5), key=lambda number: (exact[number] - whole[number], number), reverse=True)
        for number in order[: PER_CLASS - sum(whole)]:
            whole[number] += 1
        return whole

    def sample(self, *words: str, name: str = "drawn") -> list[dict[str, str]]:
        result = self.run("sample", "--name", name, "--frequencies", "../counts.csv", "--allow-short", *words)
        assert result.status == 0, result.err
        return self.show(name)

    def show(self, name: str) -> list[dict[str, str]]:
        return read_rows(self.run("show", name, "--format", "csv").out)


def find_bin(frequency: Fraction) -> int:
    return min(int(5 * frequency), 4)


@pytest.fixture(params=[1, 2])
def simulated(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Simulated:
    rng = np.random.default_rng(request.param)
    with make_pooled(tmp_path, database=database) as pooled:
        ids = [line.split(",")[:2] for line in pooled.table.read_text().splitlines()[1:]]
        counts = {}
        for image_id, index in ids:
            n = int(rng.integers(10, 16)) if image_id.startswith("o") else int(rng.integers(9, 16))
            counts[image_id, int(index)] = (n, int(rng.binomial(n, rng.beta(2, 1.2))))
        pooled.table.write_text("image_id,class,n_shown,n_selected\n")
        pooled.add_counts(counts)
        excluded = set(rng.choice([one for one, _ in ids if one.startswith("c")], 9, replace=False).tolist())
        for number, image_id in enumerate(sorted(excluded)):
            pooled.exclude(image_id, list(ExclusionRule)[number % 5], "unwanted")
    monkeypatch.chdir(tmp_path / "study")
    return Simulated(make_runner(monkeypatch, capsys, "testset"), counts, excluded)


def test_matched_frequencies_obey_every_rule(simulated: Simulated) -> None:
    rows = simulated.sample("--seed", "5")
    for index in CLASSES:
        mine = [row for row in rows if row["class"] == str(index)]
        usable, targets = simulated.list_usable(index), simulated.find_targets(index)
        available = Counter(map(find_bin, usable.values()))
        own = Counter(BIN_NAMES.index(row["bin"]) for row in mine if row["upward"] == "false")
        upward = Counter(BIN_NAMES.index(row["bin"]) for row in mine if row["upward"] == "true")
        assert {row["image_id"] for row in mine} <= set(usable)
        assert all(find_bin(usable[row["image_id"]]) == BIN_NAMES.index(row["bin"]) for row in mine)
        # A bin gives what it is wanted for, or all that it has; what is lacking comes from the next higher ones.
        assert [own[number] for number in range(5)] == [min(targets[number], available[number]) for number in range(5)]
        lacking = 0
        for number in range(5):
            left = available[number] - own[number]
            assert upward[number] == min(lacking, left)
            lacking += targets[number] - own[number] - upward[number]
        assert len(mine) == PER_CLASS - lacking


def test_above_a_threshold_any_is_taken_and_none_below(simulated: Simulated) -> None:
    rows = simulated.sample("--strategy", "threshold", "--threshold", "0.6", "--class-threshold", "3=0.75")
    for index, threshold in zip(CLASSES, (Fraction(6, 10), Fraction(3, 4)), strict=True):
        mine = {row["image_id"] for row in rows if row["class"] == str(index)}
        high = {one for one, share in simulated.list_usable(index).items() if share >= threshold}
        assert mine <= high
        assert len(mine) == min(PER_CLASS, len(high))


def test_the_best_are_the_best(simulated: Simulated) -> None:
    rows = simulated.sample("--strategy", "top-images")
    for index in CLASSES:
        usable = simulated.list_usable(index)
        order = sorted(usable, key=lambda one: (-usable[one], -simulated.counts[one, index][0], one))
        assert [row["image_id"] for row in rows if row["class"] == str(index)] == order[:PER_CLASS]


def test_a_revision_keeps_all_that_may_stay_and_obeys_the_same_targets(simulated: Simulated) -> None:
    before = simulated.sample("--seed", "5")
    gone = {before[0]["image_id"], before[12]["image_id"]}
    for image_id in gone:
        assert simulated.run("remove", "drawn", image_id, "--reason", "wrong class").status == 0
    assert simulated.run("revise", "drawn", "--allow-short").status == 0
    after = simulated.show("drawn-2")
    kept = {row["image_id"] for row in before} - gone
    assert {row["image_id"] for row in after if row["carried_over"] == "true"} == kept
    assert not gone & {row["image_id"] for row in after}
    bins = [Counter((row["class"], row["bin"]) for row in rows if row["upward"] == "false") for rows in (before, after)]
    new = [row for row in after if row["carried_over"] == "false"]
    assert len(new) <= 2
    assert all(bins[1][key] <= bins[0][key] for key in bins[1])
