"""Taxonomies from files: every form that is read, and every defect with its line."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import FormatError, InputError, RegaugeError
from regauge.formats import taxonomies
from regauge.formats.taxonomies import PACKAGED, load_taxonomy
from regauge.records.taxonomy import NodeId, Taxonomy

PAGE = Path(__file__).resolve().parents[2] / "docs" / "taxonomy.md"
Loader: TypeAlias = Callable[..., Taxonomy]

OWN: dict[str, Any] = {
    "format": "regauge-taxonomy",
    "version": 1,
    "name": "toy",
    "classes": [{"index": 0, "id": "a", "names": ["tern"]}],
}


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    """Write a text, bytes or JSON content to a file of that suffix and load it."""

    def load_content(content: object, suffix: str = ".csv") -> Taxonomy:
        path = tmp_path / f"toy{suffix}"
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8", newline="")
        return load_taxonomy(path)

    return load_content


def list_names(taxonomy: Taxonomy) -> list[tuple[str, ...]]:
    return [image_class.names for image_class in taxonomy.classes]


# Packaged taxonomies


def test_imagenet_has_a_thousand_classes_in_the_order_of_their_ids() -> None:
    taxonomy = load_taxonomy("imagenet-1k")
    ids = [image_class.id for image_class in taxonomy.classes]
    assert (taxonomy.name, len(ids), ids) == ("imagenet-1k", 1000, sorted(ids))
    assert len(taxonomy.parents) == 1860
    assert taxonomy.parents[NodeId("n02084071")] == ("n02083346", "n01317541")
    assert taxonomy.find_names(NodeId("n01317541")) == ("domestic animal", "domesticated animal")


def test_imagenet_equals_the_released_class_list_but_for_example_sentences(published: Path) -> None:
    """Ids and names are the same for all classes; 28 released definitions go on with an example, which ours leave out."""
    released = json.loads((published / "imagenet_classes.json").read_text(encoding="utf-8"))
    classes = load_taxonomy("imagenet-1k").classes
    assert [c.id for c in classes] == [entry["wnid"] for entry in released]
    assert [list(c.names) for c in classes] == [entry["names"] for entry in released]
    longer = [(c.gloss, e["definition"]) for c, e in zip(classes, released, strict=True) if c.gloss != e["definition"]]
    assert len(longer) == 28
    assert all(definition.startswith(f'{gloss}; "') for gloss, definition in longer)


def test_no_gloss_holds_an_example_and_every_link_searches_for_the_first_name() -> None:
    for name in PACKAGED:
        for image_class in load_taxonomy(name).classes:
            assert image_class.gloss
            assert '"' not in image_class.gloss
            assert image_class.link.startswith("https://en.wikipedia.org/w/index.php?search=")
    assert load_taxonomy("imagenet-1k").classes[2].link.endswith("=great+white+shark")


def test_cifar_has_its_own_names_first_and_wordnets_after() -> None:
    cifar = load_taxonomy("cifar-10")
    names = "airplane automobile bird cat deer dog frog horse ship truck"
    assert [image_class.name for image_class in cifar.classes] == names.split()
    assert cifar.classes[1].names == ("automobile", "car", "auto", "machine", "motorcar")
    assert cifar.get_class("car").id == "n02958343"


def test_the_notice_of_wordnet_lies_beside_the_data() -> None:
    notice = (Path(taxonomies.__file__).parent / "data" / "WORDNET-LICENSE.txt").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in notice


def test_an_unknown_name_is_refused_with_the_packaged_ones() -> None:
    with pytest.raises(
        InputError, match=r"no taxonomy 'imagenet'.*imagenet-1k, cifar-10; or give a .json or .csv file"
    ):
        load_taxonomy("imagenet")


@pytest.mark.parametrize("name", ["../data/cifar-10", "cifar-10\0", "", "data/../cifar-10"])
def test_a_name_is_never_made_into_a_path(name: str) -> None:
    with pytest.raises(InputError):
        load_taxonomy(name)


def test_a_packaged_name_wins_over_a_file_of_that_name_but_a_path_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cifar-10").write_text("names\ntern\n")
    assert len(load_taxonomy("cifar-10")) == 10
    with pytest.raises(FormatError, match=r"ends in .json or .csv"):
        load_taxonomy(Path("cifar-10"))


# CSV


def test_the_shortest_csv_is_a_column_of_names(load: Loader) -> None:
    taxonomy = load("name\ntern\ngull\n")
    assert (taxonomy.name, list_names(taxonomy)) == ("toy", [("tern",), ("gull",)])
    assert [image_class.id for image_class in taxonomy.classes] == ["tern", "gull"]


def test_all_columns_are_read_in_any_order(load: Loader) -> None:
    taxonomy = load('parents,names,id,link,gloss\nsea|bird,tern|sea swallow,n1,https://x.org,"a bird, slender"\n')
    (tern,) = taxonomy.classes
    assert (tern.id, tern.names, tern.gloss, tern.link) == (
        "n1",
        ("tern", "sea swallow"),
        "a bird, slender",
        "https://x.org",
    )
    assert taxonomy.parents == {"n1": ("sea", "bird"), "sea": (), "bird": ()}


def test_a_row_without_an_index_is_an_inner_node_and_rows_may_come_in_any_order(load: Loader) -> None:
    taxonomy = load("index,id,names,parents\n,b,bird,\n1,g,gull,b\n0,t,tern,b\n,x,,\n")
    assert [image_class.id for image_class in taxonomy.classes] == ["t", "g"]
    assert taxonomy.parents == {"t": ("b",), "g": ("b",), "b": (), "x": ()}
    assert taxonomy.find_names(NodeId("b")) == ("bird",)
    assert taxonomy.find_names(NodeId("x")) == ("x",)


def test_a_parent_without_a_row_is_called_by_its_id(load: Loader) -> None:
    assert load("name,parents\ntern,seabird\n").find_names(NodeId("seabird")) == ("seabird",)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_byte_order_mark_line_ends_of_windows_and_blank_lines_are_accepted(
    load: Loader, mark: bytes, end: bytes
) -> None:
    taxonomy = load(mark + end.join([b"id,name", b"a,p\xc3\xa9lican", b"", b" b , gull ", b""]))
    assert list_names(taxonomy) == [("pélican",), ("gull",)]
    assert taxonomy.classes[1].id == "b"


def test_names_and_parents_lose_repetitions(load: Loader) -> None:
    taxonomy = load("names,parents\ntern|tern,a|a\n")
    assert (list_names(taxonomy), taxonomy.parents[NodeId("tern")]) == ([("tern",)], ("a",))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("id,colour\na,red\n", 1, "column 'colour' is unknown"),
        ("id,gloss\na,x\n", 1, "column names is missing"),
        ("id,name,names\na,x,y\n", 1, "column names stands there twice"),
        ("id,name\na,tern\nb\n", 3, "header has 2 columns and this row 1"),
        ("id,name\na,tern,x\n", 2, "header has 2 columns and this row 3"),
        ("id,name\na,tern\na,gull\n", 3, "has the id 'a', which line 2 has already"),
        ('id,name,gloss\na,tern,"two\nlines"\na,gull,\n', 4, "has the id 'a', which line 2 has already"),
        ("index,name\n0,tern\n0,gull\n", 3, "has the index 0, which line 2 has already"),
        ("index,name\n0,tern\n2,gull\n", 3, "has the index 2, but no class has 1"),
        ("index,name\n1,tern\n2,gull\n", 2, "has the index 1, but no class has 0"),
        ("index,name\n-1,tern\n", 2, "not '-1'"),
        ("index,name\n1.0,tern\n", 2, "not '1.0'"),
        ("index,name\n" + "9" * 5000 + ",tern\n", 2, "an index is a whole number"),
        ("id,name\na,\n", 2, "has no name"),
        ("id,names\na,tern|\n", 2, "holds an empty text"),
        ("id,name,parents\na,tern,b||c\n", 2, "field parents of this row holds an empty text"),
        ("id,name\na,tern\x07\n", 2, "control character"),
        ("id,name,link\na,tern,javascript:alert(1)\n", 2, "must start with https:// or http://"),
        ('id,name\na,"tern\n', 2, "not CSV"),
        ('id,name\na,tern\nb,"gull"x\n', 3, "not CSV"),
        ("name\n" + "x" * 200_000 + "\n", 2, "not CSV"),
        ("name\n", None, "has no class"),
        ("index,id,name\n,a,tern\n", None, "has no class"),
        ("", None, "is empty"),
        (" \r\n\n", None, "is empty"),
        (b"name\ntern\n\xff\xfe\n", 3, "not UTF-8"),
    ],
)
def test_a_bad_csv_is_refused_with_its_line(load: Loader, text: str | bytes, line: int | None, words: str) -> None:
    with pytest.raises(FormatError, match=re.escape(words)) as caught:
        load(text)
    assert caught.value.line == line
    assert caught.value.path.name == "toy.csv"


# JSON


def test_a_json_list_of_names_is_a_taxonomy(load: Loader) -> None:
    taxonomy = load(["tern", "gull"], ".json")
    assert (taxonomy.name, list_names(taxonomy)) == ("toy", [("tern",), ("gull",)])


def test_a_json_list_of_objects_is_read_like_the_rows_of_a_csv(load: Loader) -> None:
    taxonomy = load(
        [{"index": 0, "name": "tern", "parents": "bird"}, {"id": "bird", "names": ["bird", "fowl"]}], ".json"
    )
    assert list_names(taxonomy) == [("tern",)]
    assert taxonomy.parents == {"tern": ("bird",), "bird": ()}
    assert taxonomy.find_names(NodeId("bird")) == ("bird", "fowl")


def test_the_own_format_carries_groupings(load: Loader) -> None:
    groups = [{"name": "birds", "within": ["a"], "without": ["b"]}]
    (grouping,) = load({**OWN, "groupings": [{"name": "kind", "reference": "me", "groups": groups}]}, ".json").groupings
    assert (grouping.name, grouping.reference) == ("kind", "me")
    assert (grouping.groups[0].name, grouping.groups[0].within, grouping.groups[0].without) == ("birds", ("a",), ("b",))


def change(**fields: object) -> dict[str, Any]:
    return {**OWN, **fields}


def change_class(**fields: object) -> dict[str, Any]:
    return {**OWN, "classes": [{**OWN["classes"][0], **fields}]}


def change_grouping(*groups: object, **fields: object) -> dict[str, Any]:
    return {**OWN, "groupings": [{"name": "kind", "groups": list(groups), **fields}]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[1,\n2,,", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "9" * 5000 + "]", "thousands of digits"),
        ('[{"name": "a", "name": "b"}]', "the key 'name' twice"),
        ({"tern": 0}, "this is none of them"),
        ('"tern"', "this is none of them"),
        ("[]", "has no class"),
        ([1], "class 0 of the list must be a name or an object, not 1"),
        (["tern", "tern"], "class 1 of the list has the id 'tern', which class 0 of the list has already"),
        (["tern", ""], "empty text"),
        (["\ud800"], "control character"),
        ([{"id": "a"}], "has no name"),
        ([{"name": "a", "colour": 1}], "unknown field 'colour'"),
        ([{"name": "a", "names": "b"}], "unknown field 'name'"),
        ([{"name": 1}], "must be text, not 1"),
        ([{"name": "a", "index": True}], "the index True"),
        ([{"name": "a", "index": -1}], "the index -1"),
        ([{"name": "a", "index": 1}], "the index 1, but no class has 0"),
        (change(version=2), "reads version 1 of the format, not 2"),
        (change(version=None), "not None"),
        (change(colour=1), "unknown field 'colour'"),
        (change(name=7), "field name of the file must be text"),
        (change(classes={}), "must be a list"),
        (change(classes=[]), "has no class"),
        (change(classes=["tern"]), "class 0 of the list must be an object with an index"),
        (change(classes=[{"id": "a", "names": ["tern"]}]), "must be an object with an index"),
        (change(nodes=[{"index": 1, "id": "b"}]), "node 0 of the list must be an object without an index"),
        (change(nodes=[{"id": "a"}]), "node 0 of the list has the id 'a', which class 0 of the list has already"),
        (change_class(names=[]), "has no name"),
        (change_class(link="data:text/html,x"), "must start with https:// or http://"),
        (change_class(parents=[["b"]]), "field parents of class 0 of the list must be text"),
        (change(groupings=[3]), "grouping 0 of the list must be an object"),
        (change_grouping(name=""), "grouping 0 of the list has no name"),
        (change_grouping({"within": ["a"]}), "group 0 of grouping 0 of the list has no name"),
        (change_grouping({"name": "g", "within": [1]}), "field within of group 0"),
        (change_grouping({"name": "g"}, {"name": "g"}), "2 groups or groupings called 'g'"),
        (change(groupings=[{"name": "k", "groups": []}] * 2), "2 groups or groupings called 'k'"),
    ],
)
def test_a_bad_json_is_refused_and_says_where(load: Loader, content: object, words: str) -> None:
    with pytest.raises(FormatError, match=re.escape(words)):
        load(content, ".json")


def test_broken_json_is_refused_with_its_line(load: Loader) -> None:
    with pytest.raises(FormatError) as caught:
        load('["tern",\n"gull"\n"kite"]', ".json")
    assert caught.value.line == 3


# Files


def test_a_missing_file_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        load_taxonomy(tmp_path / "none.csv")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(FormatError, match="this is a folder"):
        load_taxonomy(str(tmp_path / "folder.json"))


def test_a_file_beyond_the_limit_is_refused(load: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taxonomies, "MAX_BYTES", 2**20)
    with pytest.raises(FormatError, match="more than 1 MiB"):
        load("name\n" + "a\n" * 2**19)


def test_a_pickle_is_refused_by_its_name_and_by_its_bytes(load: Loader) -> None:
    with pytest.raises(FormatError, match=r"ends in .json or .csv"):
        load(b"\x80\x04N.", ".pkl")
    with pytest.raises(FormatError, match="not UTF-8"):
        load(b"\x80\x04N.", ".json")


@given(data=st.binary(max_size=80), suffix=st.sampled_from([".csv", ".json"]))
def test_any_bytes_give_a_taxonomy_or_an_error_of_ours(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(data)
    # Whatever comes that is not an error of ours makes this fail.
    with contextlib.suppress(RegaugeError):
        assert len(load_taxonomy(path)) > 0


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=8)


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_a_list_of_names_comes_back_as_written(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "names.json"
    path.write_text(json.dumps(names), encoding="utf-8")
    assert [image_class.name for image_class in load_taxonomy(path).classes] == names


# The page


def test_the_examples_of_the_page_can_be_loaded(load: Loader) -> None:
    blocks = re.findall(r"^```(csv|json)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    loaded = [load(text, f".{kind}") for kind, text in blocks]
    assert [len(taxonomy) for taxonomy in loaded] == [3, 2, 2]
    assert loaded[0].parents[NodeId("bird")] == ()
    assert loaded[2].groupings[0].groups[0].within == ("seabird",)
