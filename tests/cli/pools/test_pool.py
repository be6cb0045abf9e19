"""`regauge pool` in every format, and what it refuses."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write
from tests.workflows.pool_folders import save_pictures

from regauge.records.testsets.pool import FIELD_NAMES
from regauge.records.testsets.pool_tables import POOL_IMAGE_COLUMNS, POOL_STATUS_COLUMNS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "formats.md"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Inside a study with an original image, beside a folder of four candidates, one of them that image."""
    monkeypatch.chdir(tmp_path)
    runner = make_runner(monkeypatch, capsys)
    save_pictures(tmp_path / "original", {"cat/o.png": 1})
    save_pictures(tmp_path / "more", {"cat/k.png": 1, "cat/l.png": 2, "dog/m.png": 3, "dog/n.png": 4})
    write(tmp_path, {"pairs.csv": "image_a,image_b,verdict\nm,n,same\n", "list.csv": "image_id,reason\nl,a drawing\n"})
    write(tmp_path, {"found.json": json.dumps([{"id": 7, "term": "puppy", "dateupload": "1357095845"}])})
    assert runner("init", "study", "--taxonomy", "cifar-10").status == 0
    monkeypatch.chdir(tmp_path / "study")
    assert runner("testset", "add", "../original").status == 0
    return make_runner(monkeypatch, capsys, "pool")


def test_a_pool_is_gathered_filtered_and_counted(run: Runner) -> None:
    added = run("add", "../more")
    assert (added.status, "more" in added.out) == (0, True)
    assert "Note: 1 image of more excluded as an exact duplicate." in added.err
    found = run(
        "add", "../found.json", "--class", "dog", "--field", "keyword=term", "--source", "web", "--licence", "CC0"
    )
    assert found.status == 0, found.err
    assert "n_excluded" in run("filter", "--uploaded", "..2013-01-01").out
    assert read_rows(run("duplicates", "../pairs.csv", "--format", "csv").out)[0]["n_new"] == "1"
    assert json.loads(run("exclude", "../list.csv", "--format", "json").out)["changes"][0]["rule"] == "list"
    rows = {row["name"]: row["n_excluded"] for row in read_rows(run("list", "--format", "csv").out)}
    assert rows == {"more": "3", "found": "1"}
    content = json.loads(run("status", "--per-class", "1", "--format", "json").out)
    assert list(content["classes"][0]) == list(POOL_STATUS_COLUMNS)
    assert [(row["class"], row["n_usable"], row["n_missing"]) for row in content["classes"]] == [(3, 0, 1), (5, 1, 0)]
    table = run("status", "--per-class", "1", "--lacking").out
    assert ("3 cat" in table, "5 dog" in table) == (True, False)
    assert "1 of 5 candidates can be taken; 1 class lacks 1 image." in table
    assert "Nothing changed" not in run("restore", "--rule", "list", "--reason", "it is a photo").out
    assert "no class lacks images" in run("status", "--per-class", "1").out
    assert run("restore", "../list.csv", "--reason", "again").out == "Nothing changed.\n"


def test_images_are_listed_with_why_they_cannot_be_taken(run: Runner) -> None:
    run("add", "../more", "--keyword", "pet")
    run("exclude", "../list.csv")
    free = read_rows(run("images", "--format", "csv").out)
    assert [(row["image_id"], row["class"], row["class_id"]) for row in free] == [
        ("m", "5", "n02084071"),
        ("n", "5", "n02084071"),
    ]
    content = json.loads(run("images", "--excluded", "--format", "json").out)["images"]
    assert list(content[0]) == list(POOL_IMAGE_COLUMNS)
    assert [(row["image_id"], row["rule"]) for row in content] == [("k", "exact-duplicate"), ("l", "list")]
    table = run("images", "--excluded", "--rule", "list").out
    assert ("a drawing" in table, "exact-duplicate" in table, "1 exclusions." in table) == (True, False, True)
    assert "2 candidates can be taken." in run("images").out


def test_a_long_list_of_images_is_cut_in_a_table(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"many.csv": "image_id,class\n" + "".join(f"i{number:02d},dog\n" for number in range(30))})
    run("add", "../many.csv")
    table = run("images").out
    assert ("i19" in table, "i20" in table) == (True, False)
    assert "30 candidates can be taken, of which the first 20 are shown; --format csv has all." in table


def test_the_same_command_again_is_no_error(run: Runner) -> None:
    assert run("add", "../more").status == 0
    again = run("add", "../more")
    assert (again.status, "more is already there with the same candidates." in again.err) == (0, True)


def test_exact_duplicates_are_looked_for_again(run: Runner) -> None:
    run("add", "../more", "--no-duplicates")
    result = run("duplicates", "--format", "jsonl")
    row = json.loads(result.out)
    assert (row["pool"], row["rule"], row["n_new"]) == ("more", "exact-duplicate", 1)
    assert "original: checksums of 1 image, 1 of them read now." in result.err


def test_a_campaign_says_how_many_candidates_it_leaves_out(
    run: Runner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("add", "../more")
    study = make_runner(monkeypatch, capsys)
    shape = ("--cells", "2", "--positive", "0", "--negative", "0")
    made = study("campaign", "create", "contains", "g", "--test-set", "more", *shape)
    assert (made.status, made.err) == (0, "Note: 1 candidate not asked about: excluded, or without a file.\n")


def test_the_status_of_the_study_has_the_pool(
    run: Runner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("add", "../more")
    study = make_runner(monkeypatch, capsys)
    assert json.loads(study("status", "--format", "json").out)["pools"][0]["name"] == "more"
    assert "Next: Ask people about the candidates of more" in study("status").out


def test_keywords_have_rows_of_their_own(run: Runner, tmp_path: Path) -> None:
    run("add", "../more", "--keyword", "pet")
    write(tmp_path, {"k.csv": "image_id,keyword\no,tabby\n"})
    result = run("status", "--original", "original", "--keywords", "../k.csv", "--format", "csv")
    rows = {(row["class"], row["keyword"]): row["n_wanted"] for row in read_rows(result.out)}
    assert rows == {("3", "pet"): "0", ("3", "tabby"): "10", ("5", "pet"): "0"}
    assert "tabby" in run("status", "--original", "original", "--keywords", "../k.csv").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("list --study ..", "is not a study"),
        ("status", "gather candidates with: regauge pool add PATH"),
        ("add ../none.csv", "none.csv: there is no such file"),
        ("add ../found.json", "entry 1: every candidate needs a class"),
        ("add ../found.json --class dog --field keyword", "by FIELD=NAME, such as keyword=query"),
        ("add ../found.json --class dog --field colour=c", "'colour' is not a field of a candidate"),
        ("add ../found.json --class unicorn", "'unicorn' is not a class"),
        ("add ../more --original nothing", "The study has no test set 'nothing'"),
        ("filter", "A filter needs a window of time"),
        ("filter --taken yesterday..today", "'yesterday' is not a date"),
        ("duplicates ../list.csv", "gather candidates with"),
        ("exclude ../pairs.csv", "a list of images needs the columns image_id"),
        ("restore --reason x", "Say which images to take back"),
        ("restore --image k", "needs a reason: --reason"),
        ("images --rule list", "it goes with --excluded"),
        ("add ../more --name ' '", "A batch has a name of 1 to 200 printable characters"),
        ("status --per-class 99999999999999999999", "Images per class are 1 to 1,000,000"),
        ("add ../none", "none: there is no such file or folder"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(run: Runner, arguments: str, message: str) -> None:
    result = run(*shlex.split(arguments))
    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_every_name_and_column_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in (
        *FIELD_NAMES,
        *(one for names in FIELD_NAMES.values() for one in names),
        *POOL_STATUS_COLUMNS,
        *POOL_IMAGE_COLUMNS,
    ):
        assert f"`{name}`" in page, name
