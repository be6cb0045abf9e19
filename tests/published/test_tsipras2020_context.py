"""`regauge context` on the released data, beside what `regauge reproduce` makes of them and what is known of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from regauge.evaluation.context.several.answers import ANY_OBJECT, TOP1
from regauge.formats.labels.splits import SPELLINGS
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_classified_images, load_released_set, load_split
from regauge.formats.releases.published import VALIDATION, make_classify_responses, name_validation_image
from regauge.records.evaluation.context.report import ContextReport
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.context import context_all
from regauge.workflows.evaluation.context_inputs import ContextInputs
from regauge.workflows.reproduce.tsipras2020_study import line_up_networks

MODELS = ("pnasnet_large_tf", "resnet50", "alexnet")


@pytest.fixture(scope="module")
def data(published: Path) -> DataFolders:
    return DataFolders((published,))


@pytest.fixture(scope="module")
def reports(data: DataFolders) -> dict[str, ContextReport]:
    released = load_released_set(data, VALIDATION)
    parts = {name_validation_image(image): SPELLINGS[part] for image, part in load_split(data).items()}
    kept = np.isin(released.test_set.image_ids, list(parts))
    truth = TestSet("study", released.test_set.image_ids[kept], released.test_set.labels[kept])
    inputs = ContextInputs(
        truth,
        [released.get_predictions(model) for model in MODELS],
        classify=make_classify_responses(load_classified_images(data)),
        split=parts,
    )
    found = context_all(inputs, taxonomy="imagenet-1k", n_bootstrap=200)
    return {report.analysis: report for report in found}


def test_the_images_are_those_that_the_paper_counts(reports: dict[str, ContextReport]) -> None:
    shares = reports["objects"].get_table("shares")
    # Half of 2,156 and of 650, less what chance put into the other half; of 10,000 the paper has more than a fifth.
    assert shares["n_images"].to_list()[:2] == [1_068, 312]
    assert shares["share_low"][0] < 2_156 / (6_761 + 2_923) < shares["share_high"][0]
    # The paper has 150 and 119, the whole release 121; half of these is within the interval.
    counts = reports["mislabeled"].get_table("counts")
    assert counts.select("n_images", "n").rows() == [(150, 10_000), (65, 3_380)]
    assert counts["share_low"][1] < 119 / 6_761 < counts["share_high"][1]


def test_accuracies_are_those_that_reproduce_makes(data: DataFolders, reports: dict[str, ContextReport]) -> None:
    released = load_released_set(data, VALIDATION)
    networks = line_up_networks(data, released, n_networks=len(released.models))
    order = np.argsort(-(released.answers[:, :, 0] == released.test_set.labels).mean(axis=1), kind="stable")
    places = [int(np.flatnonzero(order == released.models.index(model))[0]) for model in MODELS]
    table = reports["objects"].get_table("accuracies")
    for metric in (TOP1, ANY_OBJECT):
        rows = {row["participant"]: row for row in table.filter(pl.col("metric") == metric).to_dicts()}
        for column, among in (("one", ~networks.several), ("several", networks.several)):
            expected = networks.average(metric, among)[places]
            assert [rows[model][column] for model in MODELS] == pytest.approx(expected.tolist(), abs=1e-12)


def test_pairs_that_come_together_are_those_of_the_paper(reports: dict[str, ContextReport]) -> None:
    pairs = reports["cooccurrence"].get_table("pairs")
    strongest = {(row["class_name"], row["other_name"]) for row in pairs.filter(pl.col("share") > 0.8).to_dicts()}
    # Section 4.1 tells of a pickelhaube with a military uniform.
    assert ("pickelhaube", "military uniform") in strongest
    assert ("desktop computer", "monitor") in strongest
    groups = reports["cooccurrence"].get_table("superclasses")
    assert groups.height == 11**2
    assert groups["n"].unique().len() > 5
