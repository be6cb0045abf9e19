"""`regauge labels export` in the layouts of others, as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner

IDS = ("img 1", "img2", "img3")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """`regauge` in a study of ImageNet's classes with the label set L, whose lists are complete."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("image_id,label\n" + "".join(f"{one},{row}\n" for row, one in enumerate(IDS)))
    lines = [{"image_id": one, "correct": [row], "unclear": [9]} for row, one in enumerate(IDS)]
    (tmp_path / "L.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    answers = "".join(f"{one},{row + 1}\n" for row, one in enumerate(IDS))
    (tmp_path / "model.csv").write_text(f"image_id,class\n{answers}")
    run = make_runner(monkeypatch, capsys)
    run("init", "study", "--taxonomy", "imagenet-1k")
    monkeypatch.chdir(tmp_path / "study")
    for words in (
        ("testset", "add", "../t.csv"),
        ("labels", "add", "../L.jsonl"),
        ("predictions", "add", "../model.csv"),
    ):
        assert run(*words).status == 0
    return run


@pytest.mark.parametrize("layout", ["regauge", "tfds", "shankar2020"])
def test_labels_that_are_exported_and_added_again_give_the_same_scores(run: Runner, layout: str) -> None:
    file = "../out.json" if layout == "shankar2020" else "../out.jsonl"
    assert run("labels", "export", "L", file, "--layout", layout).status == 0
    assert run("labels", "add", file, "--name", "L").status == 0
    found = json.loads(run("labels", "diff", "L@1", "L@2", "--scores", "--format", "json").out)
    assert (found["changes"], found["unlisted_before"], found["unlisted_after"]) == ([], "wrong", "wrong")
    assert found["scores"]
    for one in found["scores"]:
        for field in ("n", "value", "low", "high"):
            assert one[f"before_{field}"] == one[f"after_{field}"], (one["metric"], field)


def test_a_slice_has_an_id_a_line_and_an_id_may_have_a_space(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "slice.txt").write_bytes(b"\xef\xbb\xbfimg 1\r\n\nimg3\nimg3\n")
    words = ("labels", "export", "L", "../out.json", "--layout", "shankar2020", "--imagenet-m", "../slice.txt")
    assert run(*words).status == 0
    assert json.loads((tmp_path / "out.json").read_text())["imagenet_m"] == ["img 1.JPEG", "img3.JPEG"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"img2\nb\xff\n", "slice.txt, line 2: this is not UTF-8 text; save the file as UTF-8."),
        (b"img2\nx\n", "slice.txt: 1 image of the slice is not among those of L@1 that are written: 'x'."),
        (
            b"a\nb\nc\nd\n",
            "4 images of the slice are not among those of L@1 that are written: 'a', 'b', 'c' and 1 more.",
        ),
        (b"img 1 img2\n", "1 image of the slice is not among those of L@1 that are written: 'img 1 img2'."),
        (b"", "slice.txt: the file is empty."),
    ],
)
def test_a_slice_that_cannot_be_is_one_sentence_and_nothing_is_written(
    run: Runner, tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / "slice.txt").write_bytes(content)
    found = run("labels", "export", "L", "../out.json", "--layout", "shankar2020", "--imagenet-m", "../slice.txt")
    assert (found.status, found.out) == (2, "")
    assert said in " ".join(found.err.split())
    assert not (tmp_path / "out.json").exists()
