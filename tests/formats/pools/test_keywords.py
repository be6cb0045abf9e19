"""Tables of keywords: by image or counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regauge import TestSet, load_taxonomy
from regauge.errors import FormatError
from regauge.formats.pools.keywords import load_keyword_counts

CIFAR = load_taxonomy("cifar-10")
ORIGINAL = TestSet("original", np.array(["a", "b", "c"]), np.array([3, 3, 0]))


def load(folder: Path, text: str, original: TestSet | None = ORIGINAL) -> tuple[tuple[int, str, int], ...]:
    path = folder / "words.csv"
    path.write_text(text)
    return load_keyword_counts(path, taxonomy=CIFAR, original=original)


def test_keywords_of_images_are_counted_by_the_class_of_the_image(tmp_path: Path) -> None:
    text = "image_id,keyword\na,tabby\nb,tabby\nc,biplane\n"
    assert load(tmp_path, text) == ((0, "biplane", 1), (3, "tabby", 2))


def test_counts_are_taken_as_they_are_and_classes_by_name(tmp_path: Path) -> None:
    assert load(tmp_path, "class,keyword,n\ncat,tabby,7\n0,biplane,2\n", None) == ((0, "biplane", 2), (3, "tabby", 7))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("image_id,keyword\nz,tabby\n", "line 2: image 'z' is not in the test set original"),
        ("image_id,keyword\na,tabby\na,tabby\n", "line 3: image 'a' occurs a second time"),
        ("image_id,keyword\na,\n", "'keyword' is empty"),
        ("class,keyword\ncat,tabby\n", "needs the columns class, keyword, n"),
        ("class,keyword,n\ncat,tabby,many\n", "line 2: n is a whole number from 0 to 1,000,000,000, not 'many'"),
        ("class,keyword,n\ncat,tabby,9000000000000000000\n", "line 2: n is a whole number from 0 to 1,000,000,000"),
        ("class,keyword,n\n0,jet,1\ncat,tabby,0\ncat,lion,0\n", "class 3 has no image of any keyword"),
        ("class,keyword,n\ncat,tabby,1\n3,tabby,2\n", "line 3: keyword 'tabby' of class 3 occurs a second time"),
    ],
)
def test_what_is_no_such_table_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        load(tmp_path, text)


def test_keywords_by_image_need_the_original(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="need the original test set"):
        load(tmp_path, "image_id,keyword\na,tabby\n", None)
