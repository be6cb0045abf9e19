"""Names of files and folders that stand for any id."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from regauge.formats.exports.drawn_folders import name_file, name_safely

HOSTILE = ["../up", "a/b", ".hidden", "con.", "x" * 300, "ü", "line\nbreak", "plain", "-dash", " space "]
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def test_names_are_stable_and_distinct() -> None:
    names = [name_safely(one) for one in HOSTILE]
    assert names == [name_safely(one) for one in HOSTILE]
    assert len(set(names)) == len(HOSTILE)
    assert name_safely("plain") == "plain"
    assert all(len(one) < 130 and "/" not in one and not one.startswith((".", "-")) for one in names)


@given(WORDS, WORDS)
def test_no_id_leads_out_of_the_folder_of_its_class(class_id: str, image_id: str) -> None:
    parts = name_file(class_id, image_id, suffix=".png").split("/")
    assert len(parts) == 2
    assert all(part.isascii() and part.isprintable() and part.strip(".") and len(part) < 130 for part in parts)
