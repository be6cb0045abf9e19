"""Taxonomies: what a text stands for, and what cannot be one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from regauge.errors import AmbiguousClassError, InputError, UnknownClassError
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy


def make_class(index: int, node: str, *names: str) -> ImageClass:
    return ImageClass(ClassIndex(index), NodeId(node), names)


CLASSES = (
    make_class(0, "n1", "crane", "bird"),
    make_class(1, "n2", "crane"),
    make_class(2, "n3", "Cardigan", "dog"),
    make_class(3, "n4", "cardigan"),
    make_class(4, "12", "twelve", "TWELVE"),
)


def make(classes: Sequence[ImageClass] = CLASSES, **parts: Any) -> Taxonomy:
    return Taxonomy("toy", tuple(classes), **parts)


@pytest.mark.parametrize(
    ("text", "index"),
    [("0", 0), (3, 3), (" 2 ", 2), ("n2", 1), ("bird", 0), ("BIRD", 0), ("Dog", 2), ("twelve", 4), ("tWeLvE", 4)],
)
def test_a_text_is_an_index_else_an_id_else_a_name_in_any_capitalisation(text: str | int, index: int) -> None:
    assert make().get_index(text) == index
    assert make().get_class(text) is CLASSES[index]


def test_a_name_as_it_is_written_comes_before_other_capitalisations() -> None:
    assert make().get_index("Cardigan") == 2
    assert make().get_index("cardigan") == 3
    with pytest.raises(AmbiguousClassError, match="'CARDIGAN' names 2 classes of toy: n3, n4"):
        make().get_index("CARDIGAN")


def test_digits_are_an_index_even_where_a_class_has_them_as_id() -> None:
    with pytest.raises(UnknownClassError, match=r"^'12' is not a class of toy; indices run from 0 to 4\.$"):
        make().get_index("12")


def test_a_name_of_two_classes_is_refused_with_their_ids() -> None:
    message = "'crane' names 2 classes of toy: n1, n2. Write the id of the one you mean."
    with pytest.raises(AmbiguousClassError, match=f"^{re.escape(message)}$") as caught:
        make().get_class("crane")
    assert caught.value.ids == ("n1", "n2")


@pytest.mark.parametrize("text", ["zebra", "-1", "1.0", "²", ""])
def test_a_text_that_no_class_answers_to_is_refused(text: str) -> None:
    message = f"{text!r} is not a class of toy; search with: regauge taxonomy toy search {text!r}."
    with pytest.raises(UnknownClassError, match=f"^{re.escape(message)}$"):
        make().get_index(text)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ((), "Taxonomy toy has no classes."),
        (
            (make_class(0, "n1", "a"), make_class(2, "n2", "b")),
            "Taxonomy toy: class 'n2' has index 2 at position 1; indices must run from 0 without a gap.",
        ),
        ((make_class(0, "n1"),), "Taxonomy toy: class 'n1' (index 0) has an empty name."),
        ((make_class(0, "n1", "a", ""),), "Taxonomy toy: class 'n1' (index 0) has an empty name."),
        ((make_class(0, "n1", "a"), make_class(1, "n1", "b")), "Taxonomy toy: two classes have the id 'n1'."),
    ],
)
def test_classes_that_cannot_be_told_apart_are_refused(classes: tuple[ImageClass, ...], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make(classes)


def test_groupings_are_found_by_name() -> None:
    birds = Grouping("birds", (GroupRule("birds", (NodeId("n1"),)),))
    assert make(groupings=(birds,)).get_grouping("birds") is birds
    with pytest.raises(InputError, match=r"^Taxonomy toy has no grouping 'dogs'; it has: birds\.$"):
        make(groupings=(birds,)).get_grouping("dogs")
    with pytest.raises(InputError, match=r"^Taxonomy toy has no grouping 'dogs'; it has: none\.$"):
        make().get_grouping("dogs")


def test_a_node_is_called_by_its_names_else_by_its_id() -> None:
    taxonomy = make(node_names={NodeId("n9"): ("animal", "beast"), NodeId("n8"): ()})
    assert taxonomy.find_names(NodeId("n1")) == ("crane", "bird")
    assert taxonomy.find_names(NodeId("n9")) == ("animal", "beast")
    assert taxonomy.find_names(NodeId("n8")) == ("n8",)
    assert taxonomy.find_names(NodeId("n7")) == ("n7",)


def test_a_taxonomy_says_how_much_it_holds() -> None:
    groups = (GroupRule("a", (NodeId("n1"),)), GroupRule("b", (NodeId("n2"),)))
    taxonomy = make(parents={NodeId("n1"): ()}, groupings=(Grouping("x", groups), Grouping("y", groups[:1])))
    assert repr(taxonomy) == "<Taxonomy toy: 5 classes, 1 nodes, 3 groups>"
    assert len(taxonomy) == 5
    assert CLASSES[0].name == "crane"


def test_every_class_of_imagenet_answers_to_its_index_and_id() -> None:
    taxonomy = load_taxonomy("imagenet-1k")
    assert len(taxonomy) == 1000
    for image_class in taxonomy.classes:
        assert taxonomy.get_index(str(image_class.index)) == image_class.index
        assert taxonomy.get_index(image_class.id) == image_class.index
    with pytest.raises(AmbiguousClassError, match="n02012849"):
        taxonomy.get_index("crane")


def test_a_number_of_thousands_of_digits_is_no_class() -> None:
    with pytest.raises(UnknownClassError, match="indices run from 0 to 999"):
        load_taxonomy("imagenet-1k").get_index("9" * 5_000)


def test_capitals_tell_the_dog_from_the_garment() -> None:
    taxonomy = load_taxonomy("imagenet-1k")
    assert taxonomy.get_class("Cardigan").id == "n02113186"
    assert taxonomy.get_class("cardigan").id == "n02963159"
    with pytest.raises(AmbiguousClassError, match="n02113186, n02963159"):
        taxonomy.get_class("CARDIGAN")
