"""`regauge mistakes find`, `compare` and `overturned` in every format, from files and in a study, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_runner import Result, Runner, make_runner, read_rows, write
from tests.storage.small_studies import fill, make_study

from regauge.cli.main import cli
from regauge.cli.mistakes.compare import COLUMNS as OVERLAP_COLUMNS
from regauge.cli.mistakes.find_tables import COLUMNS, COUNT_COLUMNS
from regauge.cli.mistakes.flow_tables import COLUMNS as FLOW_COLUMNS

BEFORE = (
    '{"image_id":"a","correct":[0],"wrong":[1]}\n'
    '{"image_id":"b","correct":[1],"unclear":[2],"wrong":[3]}\n'
    '{"image_id":"c","correct":[2],"wrong":[]}\n'
    '{"image_id":"d","correct":[3],"wrong":[0]}\n'
    '{"image_id":"e","correct":[0],"wrong":[1],"problematic":true}\n'
)
AFTER = BEFORE.replace('"wrong":[3]', '"wrong":[]').replace('"correct":[1]', '"correct":[1,3]')
FILES = {
    "before.jsonl": BEFORE,
    "after.jsonl": AFTER,
    "t.csv": "image_id,label\na,0\nb,1\nc,2\nd,3\ne,0\n",
    "m.csv": "image_id,class,score\na,1,.9\nb,3,.8\nc,0,.7\nd,0,.6\ne,1,.5\n",
    "n.csv": "image_id,class,score\na,0,.9\nb,2,.8\nc,0,.7\nd,1,.6\ne,1,.5\n",
    "z.csv": "image_id,class\nz,0\n",
}
FIND = ("find", "m.csv", "n.csv", "--truth", "before.jsonl", "--truth", "t.csv", "--taxonomy", "cifar-10")
COMPARE = ("compare", "m", "n", "--predictions", "m.csv", "--predictions", "n.csv", "--truth", "before.jsonl")
OVERTURNED = ("overturned", "m.csv", "--before", "before.jsonl", "--after", "after.jsonl")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run in a folder with two participants' answers and two label sets."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys, "mistakes")


def read(result: Result) -> dict[str, Any]:
    assert result.status == 0, result.err
    content: dict[str, Any] = json.loads(result.out)
    return content


def test_json_of_one_participant_holds_numbers_and_mistakes(run: Runner) -> None:
    content = read(run(*FIND, "--participant", "m", "--format", "json"))
    assert [content[name] for name in ("n", "n_mistakes", "n_novel", "n_judged", "n_problematic")] == [4, 4, 1, 3, 1]
    first = content["mistakes"][0]
    assert tuple(first) == COLUMNS
    assert (first["image_id"], first["prediction"], first["status"], first["accepted"]) == ("a", 1, "judged", [0])
    assert content["mistakes"][2]["agree"] == ["n"]


def test_csv_has_a_row_for_each_mistake(run: Runner) -> None:
    result = run(*FIND, "--participant", "m", "--format", "csv")
    rows = read_rows(result.out)
    assert [row["image_id"] for row in rows] == ["a", "b", "c", "d"]
    assert (rows[1]["accepted"], rows[1]["rejected"], rows[2]["status"]) == ("1|2", "3", "novel")


def test_csv_without_a_mistake_has_its_header(run: Runner) -> None:
    write(Path(), {"right.csv": "image_id,class\na,0\nb,1\nc,2\nd,3\n"})
    result = run("find", "right.csv", "--truth", "before.jsonl", "--format", "csv")
    assert result.out.strip() == ",".join(COLUMNS)


def test_several_participants_are_counted(run: Runner) -> None:
    content = read(run(*FIND, "--format", "json"))
    assert [one["n_mistakes"] for one in content["participants"]] == [4, 2]
    assert content["n_novel_pairs"] == 2
    assert tuple(content["participants"][0]) == COUNT_COLUMNS


def test_the_table_says_what_is_novel_and_the_notes_what_was_left_out(run: Runner) -> None:
    result = run(*FIND, "--participant", "m")
    assert "Novel, judged by nobody: 1 of 4, 25.0% [0.6, 80.6]." in result.out
    assert "m: 1 answered image left out as problematic." in result.err


def test_a_sample_says_its_seed_and_that_limits_are_for_all(run: Runner) -> None:
    content = read(run(*FIND, "--participant", "m", "--sample", "2", "--seed", "4", "--format", "json"))
    assert [content[name] for name in ("n_sampled", "seed", "novel_interval")] == [2, 4, "hypergeometric"]
    assert len(content["mistakes"]) == 2


def test_two_participants_are_compared(run: Runner) -> None:
    content = read(run(*COMPARE, "--format", "json"))
    names = ("n_corrected", "n_new", "n_common_different", "n_common_same")
    assert [content[name] for name in names] == [2, 0, 1, 1]
    assert tuple(content["images"][0]) == OVERLAP_COLUMNS
    assert "corrected" in run(*COMPARE).out


def test_a_review_is_followed(run: Runner) -> None:
    content = read(run(*OVERTURNED, "--format", "json"))
    (flow,) = content["flows"]
    assert (flow["n_mistakes"], flow["n_overturned"], flow["fates"]["remains"]) == (4, 1, 3)
    assert content["comparison"] is None
    rows = read_rows(run(*OVERTURNED, "--format", "csv").out)
    assert tuple(rows[0]) == FLOW_COLUMNS
    assert [row["fate"] for row in rows] == ["remains", "correct", "remains", "remains"]


def test_two_participants_reviews_are_tested_against_each_other(run: Runner) -> None:
    content = read(run("overturned", "n.csv", *OVERTURNED[1:], "--format", "json"))
    assert content["comparison"]["n"] == 6
    assert "χ²(1, N = 6)" in run("overturned", "n.csv", *OVERTURNED[1:]).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("find", "m.csv"), "--truth is needed"),
        (("find", "--truth", "t.csv"), "--truth goes with files of predictions"),
        (("find", "m.csv", "--truth", "t.csv", "--labels", "x"), "--labels goes with a study"),
        (("find", "m.csv", "--truth", "t.csv", "--kind", "model"), "--kind or --family goes with a study"),
        (("find", "z.csv", "--truth", "t.csv"), "share no image id"),
        ((*FIND, "--participant", "x"), "There is no participant 'x'; there are: m, n."),
        ((*FIND, "--participant", "m", "--sample", "9"), "m has 4 mistakes, and a sample of 9 is asked for"),
        ((*FIND, "--participant", "m", "--sample", "0"), "A sample has at least 1 mistake, not 0."),
        ((*FIND, "--sample", "1"), "name one with --participant"),
        ((*FIND, "--truth", "after.jsonl"), "Mistakes are found under one label set"),
        ((*OVERTURNED[:4],), "Missing option '--after'"),
        ((*OVERTURNED[:4], "--after", "t.csv"), "needs two label sets"),
        ((*OVERTURNED, *OVERTURNED[2:], "--after", "t.csv"), "--before is given once, or once for each of 3 test sets"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(run: Runner, words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert result.status == 2
    assert said in " ".join(result.err.split())


def test_a_set_that_was_reviewed_whole_is_tested_against_a_sample_of_another(
    run: Runner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The counts of Vasudevan et al. (2022, §4.2): 296 of 676 mistakes were overturned, and 47 of 100 that were drawn of 900.
    sizes, here = {"v1": 676, "v2": 900}, ("--study", "study")
    for name, n in sizes.items():
        ids = [f"{name}-{number}" for number in range(n)]
        write(tmp_path, {f"{name}.csv": "image_id,label\n" + "".join(f"{one},0\n" for one in ids)})
        write(tmp_path, {f"{name}-vit.csv": "image_id,class\n" + "".join(f"{one},1\n" for one in ids)})
        labels = "".join(f'{{"image_id":"{one}","correct":[0],"wrong":[]}}\n' for one in ids)
        write(tmp_path, {f"{name}-labels.jsonl": labels})
    run_any("init", "study", "--taxonomy", "cifar-10")
    for name in sizes:
        run_any("testset", "add", f"{name}.csv", *here)
        run_any("predictions", "add", f"vit={name}-vit.csv", "--test-set", name, *here)
        run_any("labels", "add", f"{name}-labels.jsonl", "--name", name, "--unlisted", "unjudged", *here)
    capsys.readouterr()
    find = ("find", "--participant", "vit", "--test-set", "v2", "--labels", "v2", "--sample", "100", "--seed", "7")
    drawn = [row["image_id"] for row in read_rows(run(*find, *here, "--format", "csv").out)]
    right = {"v1": [f"v1-{number}" for number in range(296)], "v2": drawn[:47]}
    for name, n in sizes.items():
        rows = [(one, one in set(right[name])) for one in (f"{name}-{number}" for number in range(n))]
        labels = "".join(
            f'{{"image_id":"{one}","correct":[0{",1" if is_right else ""}],"wrong":[{"" if is_right else 1}]}}\n'
            for one, is_right in rows
        )
        write(tmp_path, {f"{name}-labels.jsonl": labels})
        run_any("labels", "add", f"{name}-labels.jsonl", "--name", name, *here)
    sets = (
        "--test-set",
        "v1",
        "--test-set",
        "v2",
        "--before",
        "v1@1",
        "--before",
        "v2@1",
        "--after",
        "v1",
        "--after",
        "v2",
    )
    words = ("overturned", "--participant", "vit", *sets, "--seed", "7", *here)
    result = run(*words, "--sample", "all", "--sample", "100")
    assert "χ²(1, N = 776) = 0.36, p = 0.5" in result.out
    first, second = read(run(*words, "--sample", "all", "--sample", "100", "--format", "json"))["flows"]
    assert (first["n_overturned"], first["n_looked_at"], first["interval"]) == (296, 676, "clopper-pearson")
    assert (second["n_overturned"], second["n_looked_at"], second["interval"]) == (47, 100, "hypergeometric")
    # As docs/mistakes.md says: 338 to 510 of the 900.
    assert (second["n_low"], second["n_high"]) == (338, 510)
    assert "once for each of 2 test sets, not 3 times" in run(*words, *("--sample", "5") * 3).err
    assert "--sample is a number of mistakes, or all, not '-3'" in run(*words, "--sample=-3").err


def run_any(*words: str) -> None:
    """A command of the whole program, which must do what it is asked for."""
    cli.main([*words], standalone_mode=False)


def test_in_a_study_by_labels_and_participant(run: Runner, tmp_path: Path) -> None:
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
    content = read(run("find", "--study", "study", "--labels", "verdicts", "--participant", "bad", "--format", "json"))
    assert (content["labels"], content["others"]) == ("verdicts@1", ["good"])
    overlap = read(run("compare", "good", "bad", "--study", "study", "--labels", "verdicts", "--format", "json"))
    assert overlap["n"] == 2
    words = ("--study", "study", "--before", "verdicts@1", "--after", "verdicts@1")
    assert "needs two label sets" in run("overturned", *words).err
