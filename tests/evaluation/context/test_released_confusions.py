"""Confusions of people and networks on the released half of CLASSIFY, beside plain counts of the released answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from regauge.evaluation.context.confusion import CONFUSION
from regauge.evaluation.context.contract import ContextFindings, ContextMaterial
from regauge.evaluation.targets import line_up
from regauge.formats.labels.splits import SPELLINGS
from regauge.formats.releases.published import (
    VALIDATION,
    load_classified_images,
    load_split,
    load_test_set,
    make_classify_responses,
    name_validation_image,
)
from regauge.formats.taxonomies import load_taxonomy
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.label_set import Truth
from regauge.records.testsets.test_set import TestSet

PEOPLE = "people (main label)"


@pytest.fixture(scope="module")
def found(published: Path) -> ContextFindings:
    """Ten of the networks, from the best to the worst, on the 10,000 images."""
    whole = load_test_set(published, VALIDATION)
    parts = {name_validation_image(image): SPELLINGS[part] for image, part in load_split(published).items()}
    rows = np.flatnonzero([image in parts for image in whole.image_ids.tolist()])
    test_set = TestSet("studied", whole.image_ids[rows], whole.labels[rows])
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as released:
        firsts = released["val_top1"][:, rows].astype(np.int32)
    order = np.argsort(-(firsts == test_set.labels).sum(axis=1))[:60:6]
    responses = make_classify_responses(load_classified_images(published))
    labels = aggregate_responses(responses, np.ones(len(responses), np.bool_), test_set=test_set)
    material = ContextMaterial(
        line_up(Truth(test_set), n_classes=1_000),
        load_taxonomy("imagenet-1k"),
        tuple(f"network {place}" for place in range(10)),
        firsts[order],
        classify=labels,
        responses=responses,
        parts=parts,
    )
    return CONFUSION.analyse(material, ContextSettings(n_bootstrap=100))


def test_people_take_as_many_images_for_another_class_as_the_release_has_other_main_labels(
    found: ContextFindings, published: Path
) -> None:
    lines = (published / "tsipras2020_classify_half.jsonl").read_text(encoding="utf-8").splitlines()
    n_other = sum(one["main_top"] != one["label"] for one in map(json.loads, lines))
    parts = Counter(load_split(published).values())
    row = found.tables["confused"].filter(predictor=PEOPLE, scope="classes").row(0, named=True)
    assert (row["n_confused"], row["n"]) == (n_other, len(lines) + parts["easy"])


def test_networks_are_aligned_with_people_though_less_than_people_with_people(found: ContextFindings) -> None:
    for level in ("classes", "groups"):
        rows = found.tables["alignment"].filter(scope=level, reference=PEOPLE)
        (ceiling,) = found.tables["ceilings"].filter(scope=level)["correlation"]
        assert len(rows) == 10
        assert (rows["with_half_high"] < ceiling).all()
        assert (rows["correlation_low"] > 0).all()
        # Noise pulls correlations down.
        assert (rows["corrected"] > rows["correlation"]).all()


def test_dogs_are_confused_by_people_within_their_group_more_than_by_networks(found: ContextFindings) -> None:
    dogs = found.tables["inside"].filter(grouping="superclass", group="Dogs")
    people, network = (dogs.filter(predictor=who).row(0, named=True) for who in (PEOPLE, "network 0"))
    assert people["inside_low"] > network["inside_high"]
