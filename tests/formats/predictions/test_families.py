"""Families of models from a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from regauge.errors import FormatError
from regauge.formats.predictions.families import load_families


def write(folder: Path, text: str, name: str = "families.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_model_has_the_family_of_its_row(tmp_path: Path) -> None:
    path = write(tmp_path, "model,family\nresnet50, resnet\nalexnet,alexnet\nresnet152,resnet\n")
    assert load_families(path) == {"resnet50": "resnet", "alexnet": "alexnet", "resnet152": "resnet"}
    assert load_families(str(path)) == load_families(path)


def test_columns_may_stand_in_any_order_among_others(tmp_path: Path) -> None:
    path = write(tmp_path, "year\tfamily\tmodel\n2012\tconvolutional\talexnet\n", "families.tsv")
    assert load_families(path) == {"alexnet": "convolutional"}


def test_numbers_stay_the_text_that_they_are(tmp_path: Path) -> None:
    assert load_families(write(tmp_path, "model,family\n007,1\n")) == {"007": "1"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "model,kind\na,b\n",
            ", line 1: a file of families needs the columns model, family; this file has: model, kind.",
        ),
        ("model,family\na,x\nb,y\na,y\n", ", line 4: model 'a' occurs a second time."),
        ("model,family\na,x\nb,\n", ", line 3: the column 'family' is empty."),
        ("model,family\n,x\n", ", line 2: the column 'model' is empty."),
        ("model,family\n", ", line 1: the file has a header and no rows."),
        ("", ": the file is empty."),
    ],
)
def test_a_file_that_is_no_table_of_families_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(FormatError, match=f"^{re.escape(str(path) + problem)}$"):
        load_families(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        load_families(tmp_path / "families.csv")
