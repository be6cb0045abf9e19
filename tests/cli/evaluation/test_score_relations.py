"""`regauge score --relations`: what relations between classes change, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import FILES, Runner, make_runner, read_rows, write

import regauge

PUBLISHED = Path(__file__).resolve().parents[4] / "shared" / "published"
RELATED = {
    # The model answers 0, 1 and 0; people found 0 in a, 2 in b, and did not find 3 there.
    **FILES,
    "r.csv": "kind,first,second,reason\nsubset,2,1,why not\nsubset,2,3,\npart,0,4,\n",
    "r.json": json.dumps([{"kind": "same", "first": 2, "second": 1}]),
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, RELATED)
    return make_runner(monkeypatch, capsys)


def count_strict(out: str) -> list[str]:
    return [row["n_correct"] for row in read_rows(out) if row["metric"] == "multilabel_strict"]


def test_an_answer_that_a_relation_implies_is_right_and_notes_say_what_was_derived(run: Runner):
    plain = run("score", "p.csv", "--truth", "v.jsonl", "--format", "csv")
    related = run("score", "p.csv", "--truth", "v.jsonl", "--relations", "r.csv", "--format", "csv")
    assert (count_strict(plain.out), count_strict(related.out)) == (["1"], ["2"])
    told = set(related.err.splitlines()) - set(plain.err.splitlines())
    contradicted = "v: 1 verdict lower than the relations imply, left as judged; the first is class 3 of image 'b'"
    assert told == {
        "Note: v: 1 verdict on 1 image derived from 2 accepted relations between classes.",
        f"Note: {contradicted}, judged wrong (2 ⊂ 3).",
    }


def test_json_does_as_well_and_a_proposal_is_left_out(run: Runner, tmp_path: Path):
    result = run("score", "p.csv", "--truth", "v.jsonl", "--relations", "r.json", "--format", "csv")
    assert count_strict(result.out) == ["2"]
    (tmp_path / "r.json").write_text(RELATED["r.json"].replace("}", ', "status": "proposed"}'))
    result = run("score", "p.csv", "--truth", "v.jsonl", "--relations", "r.json", "--format", "csv")
    assert count_strict(result.out) == ["1"]
    assert "1 of 1 relation left out: not accepted." in result.err
    assert "v: 0 verdicts derived from 0 accepted relations between classes." in result.err


def test_dataset_labels_alone_change_nothing_and_a_note_says_so(run: Runner):
    plain = run("score", "p.csv", "--truth", "t.csv", "--format", "csv")
    related = run("score", "p.csv", "--truth", "t.csv", "--relations", "r.csv", "--format", "csv")
    assert plain.out == related.out
    assert "the truth has no label set, only dataset labels" in related.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind,first,second\nsubset,1,2\nsubset,2,1\n", "r.csv: The subsets 1 ⊂ 2 and 2 ⊂ 1 form a circle"),
        ("kind,first,second\nsubset,1,2\nlike,2,1\n", "r.csv, line 3: the kind of a relation is one of"),
        ("kind,first,second\nsame,1,cat\n", "r.csv, line 2: 'cat' is not a class index; to use ids or names"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(run: Runner, tmp_path: Path, text: str, message: str):
    (tmp_path / "r.csv").write_text(text)
    result = run("score", "p.csv", "--truth", "v.jsonl", "--relations", "r.csv")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"Error: {message}")
    assert result.err.count("\n") == 1


def test_python_takes_records_and_arrays():
    truth = regauge.LabelSet.from_lists("people", ["a", "b"], correct=[[1], [0]])
    model = regauge.Predictions("model", ["a", "b"], [0, 0])
    relation = regauge.ClassRelation(regauge.RelationKind.SUBSET, 1, 0)
    assert regauge.score(model, truth).get("model", "multilabel_strict").n_correct == 1
    assert regauge.score(model, truth, relations=[relation]).get("model", "multilabel_strict").n_correct == 2
    scores = regauge.score([0, 0], [0, 1], relations=[relation])
    assert scores.get("model", "top1").n_correct == 1
    assert any("the truth has no label set" in note for note in scores.notes)
    with pytest.raises(regauge.InputError, match="is listed twice"):
        regauge.score(model, truth, relations=[relation, relation])


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"needs {PUBLISHED.name} data beside the repository")
def test_the_published_overlaps_give_resnet50_112_more_right_answers_under_real(tmp_path: Path):
    released = np.load(PUBLISHED / "recht2019_imagenet_top1.npz", allow_pickle=False)
    ids = [f"ILSVRC2012_val_{number:08d}" for number in released["val_ids"]]
    model = regauge.Predictions("resnet50", ids, released["val_top1"][released["models"].tolist().index("resnet50")])
    packaged = Path(regauge.__file__).parent / "formats" / "data" / "imagenet-1k-relations.csv"
    path = tmp_path / "accepted.csv"
    path.write_text(packaged.read_text(encoding="utf-8").replace("proposed", "accepted"), encoding="utf-8")
    truth = PUBLISHED / "real2020_labels.json"
    before, after = (
        regauge.score(model, truth, taxonomy="imagenet-1k", relations=relations) for relations in (None, path)
    )
    counts = [scores.get("resnet50", "real").n_correct for scores in (before, after)]
    assert counts == [38_855, 38_967]
    assert any("1,134 verdicts on 788 images derived from 15 accepted relations" in note for note in after.notes)
