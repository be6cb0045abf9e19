"""The packaged table of accuracies is what the script counts in clones and in the published counts."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from scripts.write_accuracies import OUT, SETS, format_rows, make_rows
from tests.formats.clones import World, write_json

from regauge.formats.predictions.accuracies import load_accuracies
from regauge.formats.releases.folders import open_folders
from regauge.formats.releases.loading import CLONED


def test_the_clones_give_the_rows_of_their_three_models(shared: Path) -> None:
    rows = list(make_rows(open_folders([shared / "clones"])))
    packaged = set(OUT.read_text(encoding="utf-8").splitlines())
    assert len(rows) == 3 * 7
    assert set(format_rows(rows).splitlines()) <= packaged


def test_the_compact_files_give_the_packaged_table_byte_for_byte(published: Path) -> None:
    assert format_rows(list(make_rows(open_folders([published])))) == OUT.read_text(encoding="utf-8")


def test_the_packaged_table_agrees_with_the_published_counts(published: Path) -> None:
    frame = load_accuracies("recht2019").frame
    found = {(model, name, metric): (k, n) for model, name, metric, n, k, _ in frame.rows()}
    columns = {
        ("val", "top1"): "val_top1",
        ("val", "top5"): "val_top5",
        ("val", "real"): "real_correct",
        ("matched-frequency", "top1"): "matched_frequency_top1",
        ("matched-frequency", "top5"): "matched_frequency_top5",
        ("threshold-0.7", "top1"): "threshold07_top1",
        ("threshold-0.7", "top5"): "threshold07_top5",
    }
    with (published / "recht2019_accuracy_counts.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 67
    for row in rows:
        for (name, metric), column in columns.items():
            assert found[row["model"], name, metric][0] == int(row[column])
        assert found[row["model"], "val", "real"][1] == int(row["real_images"])


def test_a_whole_clone_gives_all_four_sets_and_turns_what_is_stored_worst_first(tmp_path: Path) -> None:
    world = World(tmp_path, ("alexnet", "fv_16k"), np.random.default_rng(5)).write()
    # Image 1 has no label, all others every class that the made-up models know.
    write_json(tmp_path / "real.json", [[], *([list(range(world.n_classes))] * (5 * world.n_classes - 1))])
    found = {(model, name, metric): (n, k) for model, name, metric, n, k in make_rows(open_folders([tmp_path]))}
    assert {name for _, name, _ in found} == set(SETS.values())
    for key, name in SETS.items():
        n, k = found["fv_16k", name, "top1"]
        assert k / n == world.accuracy(CLONED[key], "fv_16k")
    assert found["fv_16k", "val", "real"] == (5 * world.n_classes - 1,) * 2
