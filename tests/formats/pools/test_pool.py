"""Folders, tables and search results become candidates, and whatever is wrong with a row is told with its line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.cli.command_runner import write

from regauge.errors import FormatError, InputError
from regauge.formats.pools.fields import MAX_TEXT
from regauge.formats.pools.pool import Skip, load_gathered
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.studies import TestSetKind
from regauge.records.testsets.pool import FieldNames, GatheredImages

CIFAR = load_taxonomy("cifar-10")
HEADER = "image_id,file,class,query,taken,uploaded,source,license,url\n"
ROW = "a,dogs/a.jpg,dog,puppy,2013-01-02 03:04:05,1357095845,flickr,CC BY 2.0,https://example.org/a\n"


def load(path: Path, **options: object) -> GatheredImages:
    return load_gathered(path, taxonomy=CIFAR, **options)  # type: ignore[arg-type]


def list_facts(gathered: GatheredImages) -> list[list[str]]:
    facts = gathered.facts
    columns = (facts.keywords, facts.taken_at, facts.uploaded_at, facts.sources, facts.licences, facts.urls)
    return [column.tolist() for column in columns]


def test_a_folder_of_class_folders_gives_classes_and_no_facts(tmp_path: Path) -> None:
    write(tmp_path, {"more/cat/é.png": b"x", "more/dog/b.jpg": b"x", "more/.hidden/c.jpg": b"x"})
    found = load(tmp_path / "more", names=FieldNames(constants={"source": "camera"}))
    assert found.located.test_set.name == "more"
    assert dict(
        zip(found.located.test_set.image_ids.tolist(), found.located.test_set.labels.tolist(), strict=True)
    ) == {
        "é": 3,
        "b": 5,
    }
    assert found.located.kind is TestSetKind.IMAGE_FOLDER
    assert list_facts(found) == [["", ""], ["", ""], ["", ""], ["camera", "camera"], ["", ""], ["", ""]]


def test_a_folder_of_images_of_one_class_is_told_which(tmp_path: Path) -> None:
    write(tmp_path, {"got/1.jpg": b"x", "got/page2/2.jpg": b"x", "got/notes.txt": b"x", "empty": None})
    found = load(tmp_path / "got", names=FieldNames(constants={"class": "dog", "keyword": "puppy"}))
    assert (found.located.test_set.image_ids.tolist(), found.located.test_set.labels.tolist()) == (["1", "2"], [5, 5])
    assert found.facts.keywords.tolist() == ["puppy", "puppy"]
    with pytest.raises(FormatError, match="the folder holds no images"):
        load(tmp_path / "empty", names=FieldNames(constants={"class": "dog"}))
    write(tmp_path, {"got/page3/2.jpg": b"x"})
    with pytest.raises(FormatError, match="image '2' occurs a second time"):
        load(tmp_path / "got", names=FieldNames(constants={"class": "dog"}))


def test_a_table_gives_every_fact_and_refers_to_files_beside_it(tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": HEADER + ROW, "dogs/a.jpg": b"x"})
    found = load(tmp_path / "p.csv")
    assert [place.path for place in found.located.places] == ["dogs/a.jpg"]
    assert list_facts(found) == [
        ["puppy"],
        ["2013-01-02"],
        ["2013-01-02T03:04:05.000Z"],
        ["flickr"],
        ["CC BY 2.0"],
        ["https://example.org/a"],
    ]
    assert found.located.root == str(tmp_path)


def test_a_table_alone_may_do_without_images(tmp_path: Path) -> None:
    write(tmp_path, {"p.tsv": "image_id\tclass\na\t5\n"})
    found = load(tmp_path / "p.tsv")
    assert found.located.places[0].path == ""
    assert found.located.notes == ("p.tsv: 1 candidate found, 1 of them without image files.",)


def test_a_folder_with_metadata_takes_classes_from_folders_and_leaves_the_rest(tmp_path: Path) -> None:
    lines = '{"file_name": "cat/a.png", "keyword": "tabby"}\n{"image_id": "b", "class": "dog"}\n'
    write(tmp_path, {"p/metadata.jsonl": lines, "p/cat/a.png": b"x", "p/b.webp": b"x", "p/c.png": b"x"})
    found = load(tmp_path / "p")
    assert found.located.test_set.labels.tolist() == [3, 5]
    assert [place.path for place in found.located.places] == ["cat/a.png", "b.webp"]
    assert found.located.kind is TestSetKind.METADATA_FOLDER
    assert "1 image in the folder left out: not in metadata.jsonl." in found.located.notes


def test_search_results_find_their_images_by_id_and_their_class_from_outside(tmp_path: Path) -> None:
    photo = {"id": "111", "dateupload": "1357095845", "license": "4", "url_l": "https://x/l", "url_o": "https://x/o"}
    write(tmp_path, {"s.json": json.dumps({"photos": {"photo": [photo]}}), "got/111.jpg": b"x"})
    names = FieldNames(constants={"class": "dog", "keyword": "beagle"})
    found = load(tmp_path / "s.json", images=tmp_path / "got", names=names)
    assert [place.path for place in found.located.places] == ["111.jpg"]
    uploaded = "2013-01-02T03:04:05.000Z"
    assert list_facts(found) == [["beagle"], [""], [uploaded], ["flickr"], ["CC BY 2.0"], ["https://x/l"]]


def test_the_search_results_released_with_imagenetv2_are_understood(tmp_path: Path) -> None:
    entry = {
        "id_ours": "f00",
        "id_search_engine": "42",
        "url": "https://example.org/42",
        "wnid": "n02084071",
        "search_key": "dog",
        "search_engine": "flickr",
        "date_taken": "2013-01-02 03:04:05",
        "date_upload_search_engine": "2013-01-03 03:04:05",
    }
    write(tmp_path, {"s.json": json.dumps([entry])})
    found = load(tmp_path / "s.json")
    assert (found.located.test_set.image_ids.tolist(), found.located.test_set.labels.tolist()) == (["f00"], [5])
    assert list_facts(found)[:4] == [["dog"], ["2013-01-02"], ["2013-01-03"], ["flickr"]]


def test_fields_of_other_names_are_found_by_a_mapping(tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": "nr,what,term\n1,dog,puppy\n2,cat,\n"})
    names = FieldNames({"image_id": "nr", "class": "what", "keyword": "term"}, {"keyword": "pet"})
    found = load(tmp_path / "p.csv", names=names)
    assert found.facts.keywords.tolist() == ["puppy", "pet"]
    with pytest.raises(
        FormatError, match="no row has 'tern', which keyword was to be taken from; the first has: nr, what, term"
    ):
        load(tmp_path / "p.csv", names=FieldNames({"image_id": "nr", "class": "what", "keyword": "tern"}))
    with pytest.raises(InputError, match="'colour' is not a field of a candidate"):
        FieldNames({"colour": "c"})


@pytest.mark.parametrize(
    ("table", "line", "problem"),
    [
        ("image_id,class\na,dog\na,dog\n", 3, "image 'a' occurs a second time"),
        ("image_id,class\na,dog\nb,unicorn\n", 3, "'unicorn' is not a class of"),
        (
            "image_id,class\na,\n",
            2,
            "every candidate needs a class: a column class, a class folder, or one class for all",
        ),
        ("class,url\ndog,x\n", 2, "every candidate needs an image_id or a file"),
        ("image_id,class,taken\na,dog,\nb,dog,soon\n", 3, "'soon' is not a date"),
        ("file,class\n../a.jpg,dog\n", 2, r"'\.\./a\.jpg' is not below"),
        ("file,class\n/etc/passwd,dog\n", 2, "is not below"),
        ("file,class\nin.jpg,dog\nnone.jpg,dog\n", 3, "there is no file 'none.jpg' in"),
        ("file,class\nout.jpg,dog\n", 2, "'out.jpg' is a link that leads out of"),
        ("file,class\nelsewhere/x.jpg,dog\n", 2, "is a link that leads out of"),
        ("file,class\nfolder.jpg,dog\n", 2, "is not a file"),
        ("image_id,class\na,dog\n\nb\0c,dog\n", 4, "holds a character that is none in UTF-8"),
        (f"image_id,class\n{'a' * (MAX_TEXT + 1)},dog\n", 2, "the image_id has 2,001 characters; 2,000 are the most"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, table: str, line: int, problem: str) -> None:
    write(tmp_path, {"outside/x.jpg": b"x", "p/in.jpg": b"x", "p/folder.jpg": None, "p/p.csv": table})
    (tmp_path / "p/out.jpg").symlink_to(tmp_path / "outside/x.jpg")
    (tmp_path / "p/elsewhere").symlink_to(tmp_path / "outside")
    with pytest.raises(FormatError, match=problem) as caught:
        load(tmp_path / "p" / "p.csv")
    assert caught.value.line == line


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    write(tmp_path, {"p/a.jpg": b"x", "p/p.csv": "file,class\nb.jpg,dog\n"})
    (tmp_path / "p/b.jpg").symlink_to("a.jpg")
    assert load(tmp_path / "p" / "p.csv").located.test_set.image_ids.tolist() == ["b"]


def test_a_link_out_of_a_folder_of_class_folders_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"secret.jpg": b"x", "p/dog/a.jpg": b"x"})
    (tmp_path / "p/dog/b.jpg").symlink_to(tmp_path / "secret.jpg")
    with pytest.raises(FormatError, match=r"'dog/b\.jpg' is a link that leads out of"):
        load(tmp_path / "p")


def test_an_image_that_was_not_fetched_or_twice_is_told_with_its_entry(tmp_path: Path) -> None:
    write(tmp_path, {"s.json": '[{"id": "1", "class": "dog"}, {"id": "2", "class": "dog"}]', "got/1.jpg": b"x"})
    with pytest.raises(FormatError, match="entry 2: there is no file for image '2' below"):
        load(tmp_path / "s.json", images=tmp_path / "got")
    write(tmp_path, {"got/more/1.png": b"x"})
    with pytest.raises(FormatError, match=r"entry 1: 1\.jpg and more/1\.png both stand for image '1'"):
        load(tmp_path / "s.json", images=tmp_path / "got")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("p.xlsx", "x", "candidates are a folder or a file of .csv"),
        ("p.json", "[]", "there are no candidates in it"),
        ("p.json", '[{"id": true, "class": 5}]', "entry 1: the image_id is a text, not 'True'"),
        ("p.json", '[{"id": NaN, "class": 5}]', "entry 1: the image_id is a text, not 'nan'"),
        ("p.json", '[{"id": -Infinity, "class": 5}]', "entry 1: the image_id is a text, not '-inf'"),
        ("p.json", '[{"id": "\\ud800", "class": 5}]', "entry 1: the image_id .* is none in UTF-8"),
        ("p.json", '[{"id": "a", "class": [5]}]', "entry 1: a class must be an index, an id or a name"),
        (
            "p.jsonl",
            '{"image_id": "a", "class": 5}\n{"image_id": "a", "class": 5}',
            "line 2: image 'a' occurs a second time",
        ),
        ("p.csv", "", "the file is empty"),
    ],
)
def test_what_holds_no_candidates_is_refused(tmp_path: Path, name: str, content: str, problem: str) -> None:
    write(tmp_path, {name: content})
    with pytest.raises(FormatError, match=problem):
        load(tmp_path / name)


def test_pages_of_a_search_that_overlap_count_once_when_asked(tmp_path: Path) -> None:
    pages = [{"photos": {"photo": [{"id": name, "title": name} for name in names]}} for names in ("ab", "bc")]
    write(tmp_path, {"s.json": json.dumps(pages)})
    beagle = FieldNames(constants={"class": "dog"})
    with pytest.raises(
        FormatError, match=r"entry 3: image 'b' occurs a second time.* `skips_known=True` leaves it out"
    ):
        load(tmp_path / "s.json", names=beagle)
    found = load(tmp_path / "s.json", names=beagle, skips=[Skip.REPEATED]).located
    assert found.test_set.image_ids.tolist() == ["a", "b", "c"]
    assert "1 row left out: the image came before." in found.notes


def test_rows_whose_image_could_not_be_fetched_are_left_out_when_asked(tmp_path: Path) -> None:
    rows = [{"id": "1", "class": "dog"}, {"file": "gone.jpg", "class": "dog"}, {"id": "2", "class": "dog"}]
    write(tmp_path, {"s.json": json.dumps(rows), "got/1.jpg": b"x", "none/notes.txt": b"x"})
    found = load(tmp_path / "s.json", images=tmp_path / "got", skips=[Skip.MISSING]).located
    assert found.test_set.image_ids.tolist() == ["1"]
    assert "2 rows left out: the image is not at hand." in found.notes
    with pytest.raises(FormatError, match="none of its images is at hand"):
        load(tmp_path / "s.json", images=tmp_path / "none", skips=[Skip.MISSING])
    write(tmp_path, {"t.csv": "file,class\n../secret.jpg,dog\n"})
    with pytest.raises(FormatError, match="is not below"):
        load(tmp_path / "t.csv", skips=[Skip.MISSING])


def test_a_table_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regauge.formats.pools.pool.MAX_BYTES", 8)
    write(tmp_path, {"p.csv": "image_id,class\na,dog\n"})
    with pytest.raises(FormatError, match="is not read; split it into several"):
        load(tmp_path / "p.csv")


def test_a_file_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "p" / "dog"
    folder.mkdir(parents=True)
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/\xff.jpg")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system keeps names in UTF-8 alone")
    with pytest.raises(FormatError, match="is none in UTF-8"):
        load(tmp_path / "p")


def test_images_go_with_a_table_alone(tmp_path: Path) -> None:
    write(tmp_path, {"p/dog/a.jpg": b"x"})
    with pytest.raises(FormatError, match="`images=…` goes with a table"):
        load(tmp_path / "p", images=tmp_path)
