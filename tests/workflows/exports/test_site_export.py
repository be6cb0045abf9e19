"""`regauge export site`: a folder that is whole or not there, and whose data are those of the study."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.storage.small_studies import fill, make_study
from tests.workflows.picture_study import IDS, make_pictured_study

from regauge.errors import InputError
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.labels.verdicts import Verdict
from regauge.records.site import SitePictures, SiteSettings, SiteTable
from regauge.storage.labels.evidence import insert_evidence
from regauge.storage.labels.label_set import get_label_set
from regauge.workflows.exports.site import export_site
from regauge.workflows.mistakes.codings import CodingSource, add_coding
from regauge.workflows.site.sets import SiteSet
from regauge.workflows.site.source import open_site
from regauge.workflows.site.tables import TableSource
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set


@pytest.fixture
def pictured(tmp_path: Path) -> Iterator[Study]:
    with make_pictured_study(tmp_path) as study:
        yield study


def read_chunk(folder: Path, name: str) -> Any:
    text = (folder / "data" / f"{name}.js").read_text(encoding="ascii")
    return json.loads(f"[{text.strip().removeprefix('regauge.take(').removesuffix(');')}]")[2]


def test_the_folder_has_every_part_and_nothing_else(pictured: Study, tmp_path: Path) -> None:
    with pictured.read() as study:
        files = export_site(study, tmp_path / "site")
        parts = open_site(study).list_chunks()
    assert {path.stem for path in (tmp_path / "site" / "data").iterdir()} == set(parts)
    assert {path.name for path in (tmp_path / "site").iterdir()} == {
        *("data", "index.html", "site.js", "tokens.css", "parts.css", "site.css", "icon.svg")
    }
    assert [(one.path.name, one.n_rows) for one in files] == [("site", 4)]
    index = read_chunk(tmp_path / "site", "index")
    assert [one["name"] for one in index["participants"]] == ["good", "bad"]
    assert [(one["name"], one["n"], one["labels"]) for one in index["sets"]] == [("pictures", 4, [0])]
    assert read_chunk(tmp_path / "site", "s0")["n_right"] == {"t": "u1", "d": "AQEBAQ=="}


def test_whoever_voted_or_wrote_is_in_no_part(pictured: Study, tmp_path: Path) -> None:
    votes = (ExpertVote("Ada Lovelace", Verdict.CORRECT), ExpertVote("Bob", Verdict.WRONG))
    entry = VerdictEvidence(rule="majority", votes=votes, note="Ada wrote this", arguments=(("Bob", "because"),))
    with pictured.begin() as study:
        people = get_label_set(study, "people")
        insert_evidence(study, people, LabelEvidence.from_pairs("people", {(IDS[0], 0): entry}))
    with pictured.read() as study:
        export_site(study, tmp_path / "site")
    everything = "".join(path.read_text() for path in (tmp_path / "site" / "data").iterdir())
    assert not any(word in everything for word in ("Ada", "Lovelace", "Bob", "because", "tester"))
    found = read_chunk(tmp_path / "site", "s0-l0-e")
    assert (found["rule"]["words"], found["correct"]["d"], found["wrong"]["d"]) == (["majority"], "AQ==", "AQ==")


@pytest.mark.parametrize("which", ["thumbnails", "renditions"])
def test_pictures_are_copied_when_asked_for_and_missing_ones_are_told(
    pictured: Study, tmp_path: Path, which: str
) -> None:
    (tmp_path / "pictures" / "3" / f"{IDS[3]}.png").unlink()
    with pictured.read() as study:
        files = export_site(study, tmp_path / "site", settings=SiteSettings(pictures=SitePictures(which)))
    assert [(one.path.name, one.n_rows) for one in files] == [("site", 4), ("pictures", 3)]
    assert sorted(path.name for path in (tmp_path / "site" / "pictures" / "0").iterdir()) == ["0.jpg", "1.jpg", "2.jpg"]
    assert read_chunk(tmp_path / "site", "s0-p")["numbers"]["d"] == "AAEC/w=="
    with Image.open(tmp_path / "site" / "pictures" / "0" / "0.jpg") as picture:
        # Nothing is enlarged.
        assert picture.size == (8, 8)


def test_images_that_are_the_same_share_a_copy(pictured: Study, tmp_path: Path) -> None:
    with pictured.begin() as study:
        add_test_set(study, tmp_path / "pictures", name="again")
        files = export_site(study, tmp_path / "site", settings=SiteSettings(pictures=SitePictures.THUMBNAILS))
    assert [(one.path.name, one.n_rows) for one in files] == [("site", 8), ("pictures", 4)]
    numbers = [read_chunk(tmp_path / "site", f"s{key}-p")["numbers"]["d"] for key in range(2)]
    assert numbers == ["AAECAw==", "AAECAw=="]


def test_linked_pictures_are_addresses_and_their_host_alone_is_allowed(pictured: Study, tmp_path: Path) -> None:
    settings = SiteSettings(pictures=SitePictures.LINKS, link_prefix="https://images.test/all/")
    with pictured.read() as study:
        export_site(study, tmp_path / "site", settings=settings)
    assert "img-src &#x27;self&#x27; https://images.test;" in (tmp_path / "site" / "index.html").read_text()
    assert read_chunk(tmp_path / "site", "s0-p")["paths"]["rest"][1] == "1/b%20test.png"
    assert not (tmp_path / "site" / "pictures").exists()


def test_without_an_image_file_no_picture_is_promised(tmp_path: Path) -> None:
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
        with study.read() as begun, pytest.raises(InputError, match="Not one of 4 images can be read"):
            export_site(begun, tmp_path / "site", settings=SiteSettings(pictures=SitePictures.THUMBNAILS))
    assert not (tmp_path / "site").exists()


def test_a_website_that_is_too_large_is_not_written_and_its_largest_part_is_named(
    pictured: Study, tmp_path: Path
) -> None:
    with (
        pictured.read() as study,
        pytest.raises(InputError, match=r"larger than 40\.0 KB; the largest part by then is "),
    ):
        export_site(study, tmp_path / "site", max_bytes=40_000)
    assert not (tmp_path / "site").exists()
    assert not list(tmp_path.glob("*.partial"))


def test_a_folder_that_is_not_empty_stays_as_it_is(pictured: Study, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine.txt").write_text("mine")
    with pictured.read() as study, pytest.raises(InputError, match="is not an empty folder"):
        export_site(study, tmp_path / "site")
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (SiteSettings(test_set="nowhere"), "no test set 'nowhere'"),
        (SiteSettings(participants=("nobody*",)), "No participant matches 'nobody\\*'; there are: good, bad"),
        (SiteSettings(labels=("none",)), "no label set 'none'"),
    ],
)
def test_what_is_not_there_is_named(pictured: Study, settings: SiteSettings, message: str) -> None:
    with pictured.read() as study, pytest.raises(InputError, match=message):
        open_site(study, settings)


def test_a_study_without_a_test_set_has_nothing_to_show_yet(tmp_path: Path) -> None:
    with make_study(tmp_path) as study, study.read() as begun, pytest.raises(InputError, match="nothing to show yet"):
        open_site(begun)


def test_a_test_set_alone_makes_a_website(tmp_path: Path) -> None:
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
        with study.read() as begun:
            source = open_site(begun, SiteSettings(participants=("good",)))
            for name in source.list_chunks():
                source.make_chunk(begun, name)
            assert len(source.participants) == 1


def test_links_need_an_address() -> None:
    with pytest.raises(InputError, match="https://…"):
        SiteSettings(pictures=SitePictures.LINKS)


def test_a_table_of_ones_own_is_a_part_and_a_link(
    pictured: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(_: object, sets: Sequence[SiteSet]) -> list[SiteTable]:
        columns = ("class", "share", "share_low", "share_high")
        return [SiteTable("pairs", "Pairs", columns, [(1, 0.5, float("nan"), None)], ("Two.",), sets[0].entry.name)]

    monkeypatch.setattr("regauge.workflows.site.source.TABLE_SOURCES", (TableSource("pairs", "Pairs", make),))
    with pictured.read() as study:
        export_site(study, tmp_path / "site")
    assert read_chunk(tmp_path / "site", "index")["tables"] == [{"name": "pairs", "title": "Pairs"}]
    (table,) = read_chunk(tmp_path / "site", "t-pairs")["tables"]
    assert (table["rows"], table["set"], table["about"]) == ([[1, 0.5, None, None]], "pictures", ["Two."])


def test_a_row_of_a_table_has_a_cell_for_every_column() -> None:
    with pytest.raises(InputError, match="needs 2 cells"):
        SiteTable("pairs", "Pairs", ("a", "b"), [(1,)])


def test_coded_mistakes_are_shown_of_those_too_whose_predictions_are_not_at_hand(
    pictured: Study, tmp_path: Path
) -> None:
    (tmp_path / "coded.csv").write_text(
        f"image_id,prediction,category,severity,overturned,note\n{IDS[0]},5,FG,major,,Ada\n"
    )
    with pictured.begin() as study:
        add_coding(study, CodingSource(tmp_path / "coded.csv", "elsewhere", "people"))
    with pictured.read() as study:
        export_site(study, tmp_path / "site")
        assert open_site(study, SiteSettings(participants=("good",))).codings == ()
    (facts,) = read_chunk(tmp_path / "site", "index")["codings"]
    assert (facts["participant"], facts["n_coded"], facts["n_major"]) == ("elsewhere", 1, 1)
    assert read_chunk(tmp_path / "site", "s0-c0")["predictions"] == {"t": "u1", "d": "BQ=="}
    assert "Ada" not in (tmp_path / "site" / "data" / "s0-c0.js").read_text()
