"""Ambiguous classes from files: what a lint of the taxonomy says of votes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.command_runner import write

import regauge
from regauge.errors import InputError

TRUTH = "image_id,label\n" + "".join(f"{one},{one[0]}\n" for one in ("cat1", "cat2", "cat3", "dog1", "dog2", "dog3"))
TRUTH = TRUTH.replace(",c", ",cat").replace(",d", ",dog")
COUNTS = "image_id,class,n_shown,n_selected\n" + "".join(
    f"{image},{name},9,{8 if image.startswith(name) else other}\n"
    for image, other in (("cat1", 7), ("cat2", 6), ("cat3", 5), ("dog1", 6), ("dog2", 7), ("dog3", 5))
    for name in ("cat", "dog")
)


def answer(image: str, *labels: str) -> str:
    rows = [
        {"image_id": image, "annotator_id": f"p{n}", "selected": [one], "main": one} for n, one in enumerate(labels)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


CLASSIFY = "".join(answer(one, "cat", "cat", "dog", "dog") for one in ("cat1", "cat2", "cat3", "dog1", "dog2", "dog3"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, {"truth.csv": TRUTH, "counts.csv": COUNTS, "classify.jsonl": CLASSIFY})
    return tmp_path


def test_pairs_are_found_by_counts_and_by_answers_and_told_once(folder: Path) -> None:
    truth, counts, answers = (folder / name for name in ("truth.csv", "counts.csv", "classify.jsonl"))
    (by_counts,) = regauge.find_ambiguous_classes("cifar-10", truth, frequencies=counts)
    assert (by_counts.severity, by_counts.code) == ("warning", "ambiguous-pair")
    assert {by_counts.ids} == {tuple(regauge.load_taxonomy("cifar-10").get_class(one).id for one in ("cat", "dog"))}
    # The lesser frequencies are 7, 6, 5, 6, 7 and 5 of 9.
    assert "66.7% [" in by_counts.message
    (by_answers,) = regauge.find_ambiguous_classes("cifar-10", truth, classify=[answers])
    assert "100.0% [54.1, 100.0] on 6 images" in by_answers.message
    (both,) = regauge.find_ambiguous_classes("cifar-10", truth, frequencies=counts, classify=[answers])
    assert both == by_counts


def test_without_votes_or_labels_it_is_said_what_is_wanted(folder: Path) -> None:
    with pytest.raises(InputError, match="Ambiguous pairs take votes: give selection counts by `frequencies=…`"):
        regauge.find_ambiguous_classes("cifar-10", folder / "truth.csv")
    empty: Sequence[str] = ()
    with pytest.raises(InputError, match="Votes are compared with dataset labels"):
        regauge.find_ambiguous_classes("cifar-10", empty, frequencies=folder / "counts.csv")
