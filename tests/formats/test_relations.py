"""Files of relations: what they hold, and what is refused with its line."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from regauge.errors import FormatError, InputError
from regauge.formats.exports.taxonomies import format_taxonomy, write_taxonomy
from regauge.formats.relations import load_relations
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus

CIFAR = load_taxonomy("cifar-10")


def test_a_table_names_classes_by_index_id_or_name(tmp_path):
    path = tmp_path / "relations.csv"
    path.write_text("kind,first,second,reason\nsubset,cat,5,because\n\nSame,1,truck,\n", encoding="utf-8")
    assert load_relations(path, taxonomy=CIFAR) == (
        ClassRelation(RelationKind.SUBSET, 3, 5, "because"),
        ClassRelation(RelationKind.SAME, 1, 9),
    )


def test_json_is_a_list_or_an_object_that_holds_one(tmp_path):
    rows = [{"kind": "part", "first": 1, "second": "9", "status": "proposed", "source": "a paper", "n": 7}]
    expected = (ClassRelation(RelationKind.PART, 1, 9, source="a paper", status=RelationStatus.PROPOSED),)
    for name, content in (("list.json", rows), ("object.json", {"relations": rows})):
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
        assert load_relations(tmp_path / name) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind,first\nsame,1\n", r"line 1: a table of relations needs the columns kind, first, second"),
        (
            "kind,first,second\nsame,1,2\nlike,1,2\n",
            r"line 3: the kind of a relation is one of same, subset, part, not",
        ),
        ("kind,first,second\nsame,1,\n", r"line 2: the field second is empty; a relation needs"),
        ("kind,first,second\nsame,1,unicorn\n", r"line 2: 'unicorn' is not a class of cifar-10"),
        ("kind,first,second\nsame,1,10\n", r"line 2: '10' is not a class of cifar-10"),
        ("kind,first,second\nsame,4,4\n", r"line 2: A relation is between two classes; class 4"),
        (
            "kind,first,second,status\nsame,1,2,maybe\n",
            r"line 2: the status of a relation is one of proposed, accepted",
        ),
        ("kind,first,second,reason\nsame,1,2,a\x07b\n", r"line 2: the field reason holds a control character"),
        ("", "the file is empty"),
    ],
)
def test_a_row_that_is_no_relation_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "relations.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        load_relations(path, taxonomy=CIFAR)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"classes": []}, "relations are a list of objects with the fields kind, first"),
        ([3], "relation 0 of the list must be an object, not 3"),
        (
            [{"kind": "same", "first": 1, "second": 2}, {"kind": 4, "first": 1, "second": 2}],
            "relation 1 of the list: the k",
        ),
        ([{"kind": "same", "first": True, "second": 2}], "relation 0 of the list: a class must be an index"),
        (
            [{"kind": "same", "first": 1, "second": 2, "reason": ["x"]}],
            "relation 0 of the list: the field reason must be",
        ),
        ([{"kind": "same", "first": 1, "second": 2, "reason": "\ud800"}], "holds a control character"),
        ([{"kind": ["same"], "first": [1], "second": {}}], "relation 0 of the list"),
    ],
)
def test_an_object_that_is_no_relation_is_refused_with_its_place(tmp_path, content, message):
    path = tmp_path / "relations.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        load_relations(path)


def test_a_file_with_too_many_relations_is_refused(tmp_path):
    path = tmp_path / "relations.csv"
    path.write_text("kind,first,second\n" + "same,1,2\n" * 10_001, encoding="utf-8")
    with pytest.raises(FormatError, match="at most 10,000 relations, and this one 10,001"):
        load_relations(path)


def test_names_need_a_taxonomy_and_a_file_an_ending(tmp_path):
    path = tmp_path / "relations.csv"
    path.write_text("kind,first,second\nsame,cat,dog\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"line 2: 'cat' is not a class index; to use ids or names"):
        load_relations(path)
    with pytest.raises(FormatError, match=r"ends in \.csv, \.tsv or \.json"):
        load_relations(tmp_path / "relations.txt")


def test_a_taxonomy_carries_its_relations_and_without_any_is_written_as_before(tmp_path):
    relations = (
        ClassRelation(RelationKind.SUBSET, 3, 5, "because", status=RelationStatus.PROPOSED),
        ClassRelation(RelationKind.SAME, 1, 9, who="ann", at="2026-01-31T12:00:00.000Z"),
    )
    with_some = replace(CIFAR, relations=relations)
    write_taxonomy(with_some, tmp_path / "t.json")
    assert load_taxonomy(tmp_path / "t.json") == with_some
    assert "relations" not in format_taxonomy(CIFAR)
    with pytest.raises(InputError, match="'10' is not a class of cifar-10"):
        replace(CIFAR, relations=(ClassRelation(RelationKind.SAME, 1, 10),))


def test_a_taxonomy_with_a_relation_to_no_class_is_refused(tmp_path):
    content = json.loads(format_taxonomy(CIFAR)) | {"relations": [{"kind": "same", "first": 1, "second": "unicorn"}]}
    (tmp_path / "t.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FormatError, match="relation 0 of the list: 'unicorn' is not a class of cifar-10"):
        load_taxonomy(tmp_path / "t.json")
