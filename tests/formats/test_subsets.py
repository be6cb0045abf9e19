"""Subset files: images or classes under a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from regauge.errors import FormatError
from regauge.formats.subsets import SubsetLists, load_subsets
from regauge.formats.taxonomies import load_taxonomy


def load(folder: Path, content: str, name: str, *, taxonomy: str | None = None) -> SubsetLists:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return load_subsets(path, taxonomy=None if taxonomy is None else load_taxonomy(taxonomy))


def test_a_table_of_images_gives_subsets_in_file_order(tmp_path: Path) -> None:
    subsets = load(tmp_path, "image_id,subset\nb,hard\na,easy\na,hard\n", "s.csv")
    assert (subsets.images, subsets.classes) == ({"hard": ["b", "a"], "easy": ["a"]}, {})
    assert list(subsets.images) == ["hard", "easy"]


def test_a_table_of_classes_understands_ids_and_names(tmp_path: Path) -> None:
    subsets = load(tmp_path, "class,subset\ntench,fish\nn01443537,fish\n7,birds\n", "s.csv", taxonomy="imagenet-1k")
    assert (subsets.images, subsets.classes) == ({}, {"fish": [0, 1], "birds": [7]})


def test_a_json_object_holds_image_ids_as_text_and_classes_as_numbers(tmp_path: Path) -> None:
    subsets = load(tmp_path, '{"x": ["a", "b"], "y": [2, 0], "none": []}', "s.json")
    assert (subsets.images, subsets.classes) == ({"x": ["a", "b"], "none": []}, {"y": [2, 0]})


def test_names_with_commas_brackets_and_line_breaks_stay_as_they_are(tmp_path: Path) -> None:
    subsets = load(tmp_path, '{"a, b\\n[/][red]\\u001b[31m": ["a"]}', "s.json")
    assert list(subsets.images) == ["a, b\n[/][red]\x1b[31m"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            "image,subset\na,x\n",
            "line 1: subsets need the columns image_id,subset or class,subset; this file has: image",
        ),
        ("image_id,class,subset\na,0,x\n", "line 1: subsets need the columns"),
        ("image_id,group\na,x\n", "line 1: subsets need the columns"),
        ("class,subset\n0,x\n10,x\n", "line 3: '10' is not a class of cifar-10; indices run from 0 to 9"),
        ("class,subset\n0,\n", "line 2: the column 'subset' is empty."),
        ("image_id,subset\n", "line 1: the file has a header and no rows."),
    ],
)
def test_a_defect_of_a_table_is_named_with_its_line(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(tmp_path, content, "s.csv", taxonomy="cifar-10")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[1]", "subsets in JSON are an object"),
        ("{}", "subsets in JSON are an object"),
        ('{"x": 1}', "subsets in JSON are an object"),
        ('{"x": [0, "a"]}', "subset 'x' mixes image ids (text) and class indices (numbers)."),
        ('{"x": [0.5]}', "subset 'x' mixes"),
        ('{"x": [true]}', "a class must be an index, an id or a name, not True."),
        ('{"x": [10]}', "'10' is not a class of cifar-10"),
        ('{"x": [-1]}', "'-1' is not a class"),
        ('{"": [1]}', "a subset needs a name"),
        ('{"\\ud800": [1]}', "a subset needs a name"),
        ('{"x": [1], "x": [2]}', "an object has the key 'x' twice."),
    ],
)
def test_a_defect_of_a_json_file_is_named(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(tmp_path, content, "s.json", taxonomy="cifar-10")
    assert problem in caught.value.problem
