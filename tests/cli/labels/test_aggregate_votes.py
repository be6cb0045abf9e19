from __future__ import annotations

import json

import polars as pl
import pytest
from tests.cli.command_runner import make_runner, read_rows, write

VOTES = "task,worker,label\n" + "".join(
    f"t{task},w{who},{'dog' if (task + (who == task % 4)) % 2 else 'cat'}\n" for task in range(12) for who in range(4)
)
GOLD = "task,label\nt0,cat\nt1,dog\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"votes.csv": VOTES, "gold.csv": GOLD})
    return make_runner(monkeypatch, capsys, "aggregate", "votes")


@pytest.mark.parametrize("method", ["majority", "dawid-skene", "one-coin"])
def test_csv_has_a_row_per_task_in_the_order_of_first_appearance(run, method):
    result = run("votes.csv", "--method", method, "--format", "csv")
    rows = read_rows(result.out)
    assert result.status == 0
    assert list(rows[0]) == [
        "task",
        "label",
        "probability",
        "n_votes",
        "n_agree",
        "majority",
        "share",
        "low",
        "high",
        "tied",
        "gold",
        "n_abstained",
    ]
    assert [row["task"] for row in rows] == [f"t{task}" for task in range(12)]
    assert [row["label"] for row in rows] == ["cat", "dog"] * 6
    assert {row["n_votes"] for row in rows} == {"4"}
    assert "48 votes of 4 annotators on 12 tasks, 2 labels" in result.err


def test_json_has_everything(run):
    result = run("votes.csv", "--method", "dawid-skene", "--gold", "gold.csv", "--agreement", "--format", "json")
    content = json.loads(result.out)
    assert list(content) == [
        "labels", "annotators", "classes", "agreement", "convergence", "notes", "warnings", "settings", "version",
    ]  # fmt: skip
    assert content["labels"][0]["gold"] is True
    assert content["convergence"]["converged"] is True
    assert content["convergence"]["stop"] == "likelihood"
    assert content["convergence"]["tolerance"] == 1e-8
    assert [one["name"] for one in content["agreement"]] == ["krippendorff_alpha", "fleiss_kappa", "mean_cohen_kappa"]
    assert content["settings"]["method"] == "dawid-skene"
    assert content["annotators"][0]["n_gold"] == 2


def test_json_lines_are_one_object_per_task(run):
    lines = [json.loads(line) for line in run("votes.csv", "--format", "jsonl").out.splitlines()]
    assert len(lines) == 12
    assert lines[0]["probability"] == 0.75


def test_the_table_shows_tasks_labels_annotators_and_agreement(run):
    result = run("votes.csv", "--method", "one-coin", "--agreement", "--gold", "gold.csv")
    for text in (
        "Labels of 12 tasks by one-coin",
        "2 more tasks: see them with --format csv or --output FILE.",
        "Annotators (4)",
        "agrees with",
        "on known",
        "krippendorff_alpha: ",
        "Clopper–Pearson",
    ):
        assert text in result.out


UNSURE = "task,worker,label\n" + "".join(
    f"t{task},w{who},{answer}\n"
    for task, answers in enumerate(("yes yes yes no", "no no maybe no", "maybe maybe maybe maybe", "yes no maybe yes"))
    for who, answer in enumerate(answers.split())
)


@pytest.mark.parametrize("method", ["majority", "one-coin", "dawid-skene"])
def test_truths_and_a_threshold(run, tmp_path, method):
    (tmp_path / "unsure.csv").write_text(UNSURE)
    result = run("unsure.csv", "--method", method, "--truths", "no, yes", "--accept", "yes=0.8", "--format", "csv")
    rows = read_rows(result.out)
    assert result.status == 0
    assert list(rows[0])[-3:] == ["n_abstained", "probability_no", "probability_yes"]
    assert [row["n_abstained"] for row in rows] == ["0", "1", "4", "1"]
    for row in rows:
        if row["label"]:
            assert (row["label"] == "yes") == (float(row["probability_yes"]) >= 0.8)
            assert float(row["probability"]) == pytest.approx(float(row[f"probability_{row['label']}"]))
    assert (rows[2]["label"], rows[2]["probability"]) == ("", "") or method == "dawid-skene"
    assert rows[2]["majority"] == rows[2]["share"] == ""
    assert "3 answers of which 2 can be true" in result.err
    assert "6 of 16 votes (37.5%) are no truth" in result.err
    assert "A task is labelled 'yes' where its probability is at least 0.8" in result.err


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_labels_go_to_a_file_with_the_probability_of_every_truth(run, tmp_path, suffix):
    (tmp_path / "unsure.csv").write_text(UNSURE)
    result = run("unsure.csv", "--truths", "no,yes", "--output", f"labels{suffix}", "--format", "csv")
    path = tmp_path / f"labels{suffix}"
    rows = (
        pl.read_parquet(path)
        if suffix == ".parquet"
        else pl.read_ndjson(path)
        if suffix == ".jsonl"
        else pl.read_csv(path)
    )
    assert result.out == ""
    assert rows["probability_yes"].to_list() == [0.75, 0, None, pytest.approx(2 / 3)]
    assert rows["label"].to_list() == ["yes", "no", None, "yes"]


def test_a_task_without_a_label_is_shown_as_such(run, tmp_path):
    (tmp_path / "unsure.csv").write_text(UNSURE)
    result = run("unsure.csv", "--truths", "no,yes")
    assert result.status == 0
    assert "t2    –" in result.out
    assert "1 of 4 tasks have no vote that is a truth, and so no label" in result.err


def test_an_answer_that_holds_a_comma_is_quoted(run, tmp_path):
    (tmp_path / "comma.csv").write_text('task,worker,label\na,x,"dog, big"\na,y,cat\na,z,?\n')
    result = run("comma.csv", "--truths", '"dog, big",cat', "--format", "csv")
    assert list(read_rows(result.out)[0])[-2:] == ["probability_dog, big", "probability_cat"]
    assert """'"dog, big",cat'""" in run("comma.csv").err


def test_annotators_and_confusions_are_written(run, tmp_path):
    result = run("votes.csv", "--method", "dawid-skene", "--annotators", "who.csv", "--confusions", "how.csv")
    assert result.status == 0
    who, how = (read_rows((tmp_path / name).read_text()) for name in ("who.csv", "how.csv"))
    assert [row["annotator"] for row in who] == ["w0", "w1", "w2", "w3"]
    assert float(who[0]["low"]) <= float(who[0]["accuracy"]) <= float(who[0]["high"])
    assert list(how[0]) == ["annotator", "true_label", "label", "n", "probability"]


def test_what_is_missing_is_empty_in_csv(run, tmp_path):
    run("votes.csv", "--annotators", "who.csv")
    row = read_rows((tmp_path / "who.csv").read_text())[0]
    assert row["accuracy"] == ""
    assert row["gold_accuracy"] == ""
    assert row["n_gold"] == "0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.csv",), "there is no such file"),
        (("gold.csv",), "votes need the columns"),
        (("votes.csv", "votes.csv"), "annotator 'w0' gives task 't0' the label"),
        (("votes.csv", "--method", "dawid-skene", "--stop", "crowd-kit"), "dawid-skene at prior 0"),
        (("votes.csv", "--truths", "cat,Dog"), "Nobody answered 'Dog', which is named as a truth"),
        (("votes.csv", "--truths", "cat"), "Truths are at least two answers"),
        (("votes.csv", "--accept", "dog"), "like yes=0.8, not 'dog'"),
        (("votes.csv", "--accept", "dog=2"), "above 0 and up to 1"),
        (("votes.csv", "--accept", "cow=0.8"), "'cow' can only be accepted if it is one of several truths"),
        (("votes.csv", "--output", "labels.txt"), "--output writes .csv, .jsonl, .parquet files, not .txt"),
        (("votes.csv", "--prior", "-1"), "A prior is a number of votes from 0 up"),
        (("votes.csv", "--min-votes", "9"), "No task has 9 votes"),
        (("votes.csv", "--gold", "votes.csv"), "task 't0' occurs a second time"),
        (("votes.csv", "--annotators", "no/such/folder.csv"), "cannot be written"),
        (("votes.csv", "--confusions", "how.csv"), "--confusions needs --method dawid-skene"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_status_2(run, arguments, message):
    result = run(*arguments)
    assert result.status == 2
    assert message in result.err
    assert result.out == ""
    assert "Traceback" not in result.err


def test_few_votes_are_warned_of_on_standard_error(run, tmp_path):
    write(tmp_path, {"few.csv": "task,worker,label\na,u,x\na,v,y\n"})
    assert "Warning: 1 of 1 tasks have fewer than 3 votes" in run("few.csv", "--format", "csv").err


def test_contains_answers_get_probabilities_from_the_same_models(tmp_path, monkeypatch, capsys):
    rows = "task_id,annotator_id,class,image_id,control,selected\n" + "".join(
        f"g,a{who},3,i{image},{'positive' if image < 2 else ''},{int(image < 3 and (who + image) % 5 > 0)}\n"
        for who in range(5)
        for image in range(5)
    )
    write(tmp_path, {"answers.csv": rows})
    run = make_runner(monkeypatch, capsys, "aggregate", "contains")
    for method in ("majority", "dawid-skene", "one-coin"):
        result = run(str(tmp_path / "answers.csv"), "--method", method, "--format", "csv")
        found = {row["image_id"]: float(row["probability"]) for row in read_rows(result.out)}
        assert found["i2"] > 0.5 > found["i4"]
    assert "probability" in run(str(tmp_path / "answers.csv"), "--method", "one-coin").out
