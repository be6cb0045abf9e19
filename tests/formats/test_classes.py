"""What files call a class: index, id or name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regauge.errors import AmbiguousClassError, FormatError, InputError, UnknownClassError
from regauge.formats.classes import MAX_INDEX, check_indices, resolve_class, resolve_column
from regauge.formats.taxonomies import load_taxonomy
from regauge.formats.text import read_table
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy

TOY = Taxonomy(
    "toy",
    tuple(
        ImageClass(ClassIndex(index), NodeId(node), names)
        for index, (node, names) in enumerate([("n1", ("crane",)), ("n2", ("crane", "derrick")), ("7", ("Tern",))])
    ),
)


@pytest.mark.parametrize(
    ("value", "index"), [(1, 1), ("1", 1), (" 001 ", 1), ("n2", 1), ("derrick", 1), ("DERRICK", 1), ("tern", 2)]
)
def test_a_class_is_an_index_else_an_id_else_a_name(value: object, index: int) -> None:
    assert resolve_class(value, TOY) == index


def test_digits_are_an_index_even_where_an_id_is_written_with_digits() -> None:
    with pytest.raises(UnknownClassError, match="'7' is not a class of toy; indices run from 0 to 2"):
        resolve_class("7", TOY)


def test_an_ambiguous_name_lists_the_ids() -> None:
    with pytest.raises(AmbiguousClassError, match=r"'crane' names 2 classes of toy: n1, n2\."):
        resolve_class("crane", TOY)


def test_imagenets_crane_is_two_classes() -> None:
    with pytest.raises(AmbiguousClassError, match="n02012849, n03126707"):
        resolve_class("crane", load_taxonomy("imagenet-1k"))


@pytest.mark.parametrize("value", ["eagle", "-1", "", "1.0", "²"])
def test_a_text_that_names_no_class_is_refused(value: str) -> None:
    with pytest.raises(UnknownClassError, match="is not a class of toy"):
        resolve_class(value, TOY)


@pytest.mark.parametrize("value", ["n1", "-1", "", "1.5", "²", -1])
def test_without_a_taxonomy_only_an_index_is_understood(value: object) -> None:
    with pytest.raises(InputError, match=r"is not a class index; to use ids or names, .* `taxonomy=…`"):
        resolve_class(value, None)
    assert resolve_class("12", None) == 12


@pytest.mark.parametrize("value", [True, 1.0, None, ["n1"], float("nan")])
def test_what_is_neither_number_nor_text_is_no_class(value: object) -> None:
    for taxonomy in (None, TOY):
        with pytest.raises(InputError, match="a class must be an index, an id or a name, not"):
            resolve_class(value, taxonomy)


@pytest.mark.parametrize("value", [str(MAX_INDEX + 1), MAX_INDEX + 1, 2**31 - 1, 2**40, "9" * 5000])
def test_a_huge_index_is_refused_before_memory_is_spent_on_it(value: object) -> None:
    with pytest.raises(InputError, match="is too large for a class index"):
        resolve_class(value, None)
    assert resolve_class(MAX_INDEX, None) == MAX_INDEX


def test_a_number_of_thousands_of_digits_is_no_class_of_a_taxonomy_either() -> None:
    with pytest.raises(InputError, match="is too large for a class index"):
        resolve_class("9" * 5000, TOY)


def test_a_column_of_words_becomes_indices_in_row_order(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("class\ntern\nn1\n2\n tern\nn2\n", encoding="utf-8")
    indices = resolve_column(read_table(path), "class", TOY)
    assert (indices.tolist(), indices.dtype) == ([2, 0, 2, 2, 1], np.dtype(np.int32))


def test_the_first_line_whose_class_is_not_understood_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("class\ntern\neagle\ncrane\neagle\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"x\.csv, line 3: 'eagle' is not a class of toy"):
        resolve_column(read_table(path), "class", TOY)


def test_indices_must_be_in_the_taxonomy() -> None:
    with pytest.raises(UnknownClassError, match="'3' is not a class of toy; indices run from 0 to 2"):
        check_indices(np.array([[0, 1], [3, 2]]), TOY)
    check_indices(np.array([0, 1, 2]), TOY)
    check_indices(np.array([3]), None)
    check_indices(np.array([], dtype=np.int32), TOY)
