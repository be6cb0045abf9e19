"""Candidates from files and from a study."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.storage.small_studies import fill

from regauge.errors import InputError
from regauge.workflows.candidates import find_final, find_potential, find_split
from regauge.workflows.studies.study import Study
from regauge.workflows.study_candidates import find_potential_in_study

FREQUENCIES = "image_id,class,n_shown,n_selected\na,0,9,9\na,1,9,1\nb,1,9,0\n"
TRUTH = "image_id,label\na,0\nb,1\n"
PREDICTIONS = "image_id,rank,class\na,1,0\na,2,3\nb,1,2\nb,2,1\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path, {"f.csv": FREQUENCIES, "t.csv": TRUTH, "p.csv": PREDICTIONS})
    return tmp_path


def test_potential_labels_come_from_files(files: Path) -> None:
    found = find_potential(files / "p.csv", files / "t.csv", top=1)
    assert found.to_frame()["class"].to_list() == [0, 1, 2]


def test_candidates_and_split_come_from_files(files: Path) -> None:
    assert find_final(files / "f.csv", files / "t.csv", taxonomy="cifar-10").classes.tolist() == [0, 1, 1]
    assert find_split(files / "f.csv", files / "t.csv").parts == ("easy", "mislabeled")


def test_candidates_need_a_hierarchy_and_dataset_labels(files: Path) -> None:
    with pytest.raises(InputError, match="by their distance in the hierarchy; name the classes with `taxonomy=…`"):
        find_final(files / "f.csv", files / "t.csv", taxonomy=None)
    write(files, {"v.jsonl": '{"image_id":"a","correct":[1]}\n'})
    with pytest.raises(InputError, match="around dataset labels, and v has none"):
        find_split(files / "f.csv", files / "v.jsonl")


def test_a_study_gives_the_potential_labels_of_its_predictions(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.read() as begun:
        found = find_potential_in_study(begun, top=2)
        some = find_potential_in_study(begun, participants=["go*"], top=2)
        with pytest.raises(InputError, match="No participant on truth matches 'x'; there are: good, bad"):
            find_potential_in_study(begun, participants=["x"])
    # `good` answers the dataset label of image number n, n itself; `bad` answers n + 1, n + 2, …
    assert found.classes.tolist() == [0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5]
    assert (some.classes.tolist(), some.participants) == ([0, 1, 2, 3], ("good",))
