"""The JSON of image searches, Flickr's above all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regauge.errors import FormatError
from regauge.formats.pools.search_results import read_search_results

PHOTO = {
    "id": "111",
    "owner": "7@N00",
    "title": "a beagle",
    "datetaken": "2013-01-02 03:04:05",
    "datetakengranularity": "0",
    "datetakenunknown": "0",
    "dateupload": "1357095845",
    "license": "4",
    "url_l": "https://example.org/111_b.jpg",
}


def read(folder: Path, content: object) -> list[dict[str, Any]]:
    (folder / "found.json").write_text(json.dumps(content), encoding="utf-8")
    return [entry for _, entry in read_search_results(folder / "found.json")]


def make_page(*photos: dict[str, Any]) -> dict[str, Any]:
    return {"photos": {"page": 1, "pages": 1, "photo": list(photos)}, "stat": "ok"}


def test_a_page_of_flickr_is_read_as_it_is(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, make_page(PHOTO))
    assert (entry["source"], entry["license"], entry["datetaken"]) == ("flickr", "CC BY 2.0", "2013-01-02 03:04:05")


def test_several_pages_are_one_list(tmp_path: Path) -> None:
    found = read(tmp_path, [make_page(PHOTO), make_page({**PHOTO, "id": "112"})])
    assert [entry["id"] for entry in found] == ["111", "112"]


@pytest.mark.parametrize("change", [{"datetakenunknown": "1"}, {"datetakenunknown": 1}, {"datetakengranularity": "4"}])
def test_a_day_that_flickr_guesses_is_none(tmp_path: Path, change: dict[str, Any]) -> None:
    (entry,) = read(tmp_path, make_page({**PHOTO, **change}))
    assert "datetaken" not in entry


def test_a_licence_that_has_no_name_yet_keeps_its_number(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, make_page({**PHOTO, "license": "99"}))
    assert entry["license"] == "Flickr licence 99"


@pytest.mark.parametrize("name", ["photos", "items", "results"])
def test_other_searches_hold_a_list_under_a_name(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, {"total": 1, name: [{"id": 7, "license": "4"}]}) == [{"id": 7, "license": "4"}]


def test_an_entry_may_hold_objects_of_its_own(tmp_path: Path) -> None:
    assert read(tmp_path, [{"id": 7, "images": {"large": "x"}}]) == [{"id": 7, "images": {"large": "x"}}]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"total": 0}, "holds no list of results"),
        ("x", "holds no list"),
        ([{"id": 1}, 5], "entry 2: every result is a JSON"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, content: object, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, content)
