"""Metadata and card of a Hugging Face folder."""

from __future__ import annotations

import re

import pytest
from tests.formats.hostile_classes import HOSTILE

from regauge import LabelSet, TestSet, load_taxonomy
from regauge.formats.exports.huggingface import CardSource, format_card, name_image, shape_metadata
from regauge.records.labels.label_set import LabelKind, Unlisted
from regauge.records.studies import LabelSetEntry, TestSetEntry, TestSetKind


def make_source(name: str, *, n_images: int = 4, license_name: str = "", labelled: bool = True) -> CardSource:
    entry = TestSetEntry(name, TestSetKind.TABLE, "/home/me/secret", n_images, "abc", "2026-01-31T12:00:00.000Z")
    labels = LabelSetEntry(name, 3, LabelKind.MULTILABEL, Unlisted.UNJUDGED, 3, 5, 1, 2, "2026-01-31T12:00:00.000Z")
    return CardSource(entry, labels if labelled else None, 3, 99, license_name, "1.2.3")


def read_header(text: str) -> dict[str, object]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: pip install pyyaml")
    header: dict[str, object] = yaml.safe_load(text.split("---\n")[1])
    return header


def test_no_name_breaks_out_of_the_header_or_into_markup() -> None:
    name = 'x"\nlicense: mit\n---\n`<script>`\x1b'
    text = format_card(make_source(name, license_name=name), HOSTILE)
    header = read_header(text)
    assert (header["pretty_name"], header["license"]) == (name, name)
    info = header["dataset_info"]
    assert isinstance(info, dict)
    found = next(one for one in info["features"] if one["name"] == "label")["dtype"]["class_label"]["names"]
    assert list(found.values()) == [one.id for one in HOSTILE.classes]
    body = text.split("---\n", 2)[2]
    assert "\x1b" not in text
    assert "<script>" not in re.sub(r"`[^`\n]*`", "", body)


def test_the_card_says_what_it_is_about_and_not_where_it_lay() -> None:
    text = format_card(make_source("mine", license_name="cc-by-4.0"), load_taxonomy("cifar-10"))
    for words in (
        "4 images with one dataset label each, out of 10 classes of `cifar-10`",
        "`mine@3`",
        "5 verdicts on 3",
    ):
        assert words in text
    assert "Regauge 1.2.3" in text
    assert "in none of these lists is unjudged" in text
    assert "/home/me" not in text
    assert "not stated" not in text


def test_a_card_without_licence_or_labels_says_so() -> None:
    text = format_card(make_source("mine", labelled=False), load_taxonomy("cifar-10"))
    assert "license" not in read_header(text)
    assert "The licence of the images was not stated" in text
    assert "correct" not in text


@pytest.mark.parametrize(
    ("n", "size"), [(999, "n<1K"), (1_000, "1K<n<10K"), (50_000, "10K<n<100K"), (2_000_000, "n>1M")]
)
def test_the_size_is_one_of_the_classes_of_the_hub(n: int, size: str) -> None:
    assert f"- {size}\n" in format_card(make_source("mine", n_images=n), load_taxonomy("cifar-10"))


def test_no_folder_gets_more_files_than_the_hub_takes() -> None:
    assert [name_image(row, ".png") for row in (9_999, 10_000)] == [
        "images/000/00009999.png",
        "images/001/00010000.png",
    ]


def test_verdicts_of_an_image_that_nobody_looked_at_are_null_and_not_empty() -> None:
    test_set = TestSet("t", ["a", "b"], [0, 1])
    labels = LabelSet.from_lists("l", ["b"], correct=[[1]], unclear=[[]], wrong=[[2]])
    lines = list(shape_metadata(test_set, labels, files=["x", "y"], taxonomy=load_taxonomy("cifar-10")))
    assert [line["correct"] for line in lines] == [None, [1]]
    assert [line["unclear"] for line in lines] == [None, []]
    assert [line["label_id"] for line in lines] == ["n02691156", "n02958343"]
    assert "correct" not in next(shape_metadata(test_set, None, files=["x", "y"], taxonomy=load_taxonomy("cifar-10")))
