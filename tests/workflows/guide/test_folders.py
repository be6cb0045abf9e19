"""The guide as a folder of Markdown: nothing of a text is lost on the way, and what is not safe is not brought in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.workflows.guide.guide_studies import CAT, DOG, TOPIC, make_guided, save

from regauge.errors import ConflictError, InputError
from regauge.formats.guide import load_folder, write_file
from regauge.formats.taxonomies import load_taxonomy
from regauge.guide.markdown import check_text
from regauge.records.guide.entries import GuideEntry, GuideTopic, GuideVersion
from regauge.workflows.guide.cases import Citation, cite_label
from regauge.workflows.guide.entries import get_entry, get_guide_version, read_guide
from regauge.workflows.guide.folders import export_guide, import_guide
from regauge.workflows.studies.study import Study

PAIR = GuideTopic(CAT, DOG)


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with make_guided(tmp_path) as made:
        save(made, "---\n# Ears\n\n![](image:a)\n---")
        save(made, "Cats climb.", topic=PAIR)
        yield made


def export(study: Study, folder: Path) -> Path:
    with study.read() as reading:
        export_guide(reading, folder)
    return folder


def bring(study: Study, folder: Path, **how: Any) -> list[int]:
    with study.begin() as begun:
        return [one.version for one in import_guide(begun, folder, **how).saved]


def test_what_was_exported_changes_nothing_when_it_is_imported(study, tmp_path):
    with study.begin() as begun:
        cite_label(begun, Citation("a", CAT, "clear"), labels="verdicts")
    folder = export(study, tmp_path / "guide")
    assert sorted(path.name for path in folder.iterdir()) == ["0003-0005-cat-dog.md", "0003-cat.md", "cases.jsonl"]
    (line,) = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["note"] == "clear"
    assert bring(study, folder) == []
    with study.read() as reading:
        assert get_guide_version(reading) == 3


def test_files_that_were_edited_become_new_versions_all_at_once(study, tmp_path):
    folder = export(study, tmp_path / "guide")
    for path in folder.glob("*.md"):
        path.write_text(path.read_text(encoding="utf-8").replace("\n", "\r\n") + "\r\nMore.\r\n", encoding="utf-8")
    (folder / "new.md").write_text("---\nclass: ship\n---\nMasts.\n", encoding="utf-8")
    assert bring(study, folder, reason="read by all") == [3, 4, 5]
    with study.read() as reading:
        assert get_entry(reading, TOPIC).text == "---\n# Ears\n\n![](image:a)\n---\n\nMore."
        assert {one.current.reason for one in read_guide(reading) if one.current is not None} == {"read by all"}


def test_an_entry_that_was_changed_since_gives_way_only_when_told_to(study, tmp_path):
    folder = export(study, tmp_path / "guide")
    (folder / "0003-0005-cat-dog.md").write_text('---\nclass: "cat"\nother: "dog"\nversion: 2\n---\nDogs bark.\n')
    path = folder / "0003-cat.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    save(study, "Whiskers.", edited=1)
    with pytest.raises(
        ConflictError, match=r"0003-cat\.md: the entry is at version 3 and the file was made of version 1"
    ):
        bring(study, folder)
    with study.read() as reading:
        # Not even the file before it was stored.
        assert get_entry(reading, PAIR).text == "Cats climb."
    assert bring(study, folder, replaces=True) == [4, 5]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("Ears.", "begins with a line ---"),
        ("---\nclass: 3\nEars.", "begins with a line ---"),
        ("---\nname: cat\n---\nEars.", "do not name a class"),
        ("---\nclass: unicorn\n---\nEars.", "'unicorn' is not a class"),
        ("---\nclass: 3\nother: cat\n---\nEars.", "cannot be told apart from itself"),
        ("---\nclass: 3\nclass: 4\n---\nEars.", "each once"),
        ("---\nclass: 3\nlayout: page\n---\nEars.", "is one of class, other, name, version"),
        ("---\nclass: [3]\n---\nEars.", "must be an index, an id or a name"),
        ("---\nclass: 3\nversion: new\n---\nEars.", "version is a whole number"),
        ("---\nclass: 4\n---\n<script>alert(1)</script>", "without HTML"),
        ("---\nclass: 4\n---\n[x](javascript:alert)", r"not an http\(s\) address"),
        ("---\nclass: 4\n---\n![](image:../../etc/passwd)", "has no image"),
        ("---\nclass: cat\n---\nTwice.", "are on the same entry"),
        ("---\nclass: 4\n---\n" + "é" * 160_000, "the file is larger"),
    ],
)
def test_what_is_not_safe_or_not_understood_is_refused_and_nothing_is_stored(study, tmp_path, content, problem):
    folder = export(study, tmp_path / "guide")
    (folder / "0000-first.md").write_text("---\nclass: airplane\n---\nWings.\n", encoding="utf-8")
    (folder / "zzz.md").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        bring(study, folder)
    with study.read() as reading:
        assert get_guide_version(reading) == 2


def test_links_other_texts_and_folders_that_are_none_are_refused(study, tmp_path):
    folder = export(study, tmp_path / "guide")
    (folder / "link.md").symlink_to(tmp_path / "verdicts.jsonl")
    with pytest.raises(InputError, match="a link or no file"):
        bring(study, folder)
    (folder / "link.md").unlink()
    (folder / "latin.md").write_bytes(b"---\nclass: 4\n---\n\xe9")
    with pytest.raises(InputError, match="not UTF-8 text"):
        bring(study, folder)
    for nothing in (tmp_path / "nowhere", tmp_path / "val"):
        with pytest.raises(InputError, match=r"is not a folder|has no file that ends in \.md"):
            bring(study, nothing)
    with study.read() as reading, pytest.raises(InputError, match="not an empty folder"):
        export_guide(reading, folder)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
def test_a_text_comes_back_from_its_file_as_it_was(tmp_path, text):
    try:
        checked = check_text(text)
    except InputError:
        return
    taxonomy = load_taxonomy("cifar-10")
    path = tmp_path / "one.md"
    entry = GuideEntry(TOPIC, GuideVersion(7, TOPIC, checked))
    path.write_text(write_file(entry, taxonomy), encoding="utf-8", newline="")
    (found,) = load_folder(tmp_path, taxonomy)
    assert (found.topic, found.version, check_text(found.text)) == (TOPIC, 7, checked)
