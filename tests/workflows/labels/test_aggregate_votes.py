from __future__ import annotations

import csv
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.labels.simulated_votes import CROWD_KIT, Drawn, abstain, draw_questions, draw_votes

from regauge.errors import InputError
from regauge.records.labels.votes import (
    ANNOTATOR_COLUMNS,
    CLASS_COLUMNS,
    CONFUSION_COLUMNS,
    LABEL_COLUMNS,
    Acceptance,
    GoldLabels,
    VoteMethod,
    VoteSettings,
)
from regauge.records.option_names import name_options
from regauge.records.responses.votes import Votes
from regauge.workflows.labels.aggregate_votes import aggregate_votes

DAWID_SKENE = VoteSettings(method=VoteMethod.DAWID_SKENE)


def record(*columns: Any) -> Votes:
    return Votes(*columns)


def know(*columns: Any) -> GoldLabels:
    return GoldLabels(*columns)


def make_votes(drawn: Drawn) -> Votes:
    n_annotators, n_labels = drawn.skills.shape
    return record(
        [f"t{i}" for i in range(drawn.truth.size)],
        [f"w{i}" for i in range(n_annotators)],
        [f"l{i}" for i in range(n_labels)],
        drawn.tasks,
        drawn.annotators,
        drawn.answers,
    )


@pytest.fixture
def drawn(rng: np.random.Generator) -> Drawn:
    return draw_votes(rng, n_tasks=200, n_votes=5, skills=rng.uniform(0.6, 0.95, (10, 3)))


@pytest.mark.parametrize("method", list(VoteMethod))
def test_every_method_gives_labels_annotators_and_classes_in_their_columns(drawn, method):
    labels = aggregate_votes(make_votes(drawn), settings=VoteSettings(method=method))
    assert dict(labels.frame.schema) == LABEL_COLUMNS
    assert dict(labels.annotators.schema) == ANNOTATOR_COLUMNS
    assert dict(labels.classes.schema) == CLASS_COLUMNS
    assert dict(labels.confusions.schema) == CONFUSION_COLUMNS
    assert labels.frame["task"].to_list() == [f"t{i}" for i in range(200)]
    assert labels.frame["probability"].is_between(0, 1).all()
    found = labels.frame["label"].str.strip_prefix("l").cast(int).to_numpy()
    assert (found == drawn.truth).mean() > 0.9
    assert (labels.convergence is None) == (method is VoteMethod.MAJORITY)
    assert labels.annotators["accuracy"].is_null().all() == (method is VoteMethod.MAJORITY)
    assert labels.frame["low"].is_between(0, labels.frame["share"]).all()
    assert labels.classes["prevalence"].sum() == pytest.approx(1)


def test_accuracy_is_the_sum_over_labels_of_prevalence_times_confusion(drawn):
    labels = aggregate_votes(make_votes(drawn), settings=DAWID_SKENE)
    diagonal = labels.confusions.filter(pl.col("true_label") == pl.col("label"))
    joined = diagonal.join(labels.classes, left_on="true_label", right_on="label")
    parts = joined.with_columns(part=pl.col("probability") * pl.col("prevalence"))
    expected = parts.group_by("annotator").agg(accuracy=pl.col("part").sum())
    both = labels.annotators.join(expected, on="annotator", suffix="_expected")
    np.testing.assert_allclose(both["accuracy"], both["accuracy_expected"], atol=1e-9)
    sums = labels.confusions.group_by("annotator", "true_label").agg(pl.col("probability").sum())
    np.testing.assert_allclose(sums["probability"], 1, atol=1e-6)


def test_known_labels_are_kept_and_score_the_annotators(drawn):
    gold = know(["t0", "t1", "elsewhere"], ["l2", "new", "l0"])
    labels = aggregate_votes(make_votes(drawn), gold=gold, settings=DAWID_SKENE)
    first = labels.frame.head(2)
    assert first["label"].to_list() == ["l2", "new"]
    assert first["probability"].to_list() == [1, 1]
    assert labels.frame["gold"].sum() == 2
    assert labels.annotators["n_gold"].sum() == 10
    assert labels.classes["label"].to_list() == ["l0", "l1", "l2", "new"]
    assert any("2 of 200 tasks have a known label" in note for note in labels.notes)
    assert any("1 task with a known label left out" in note for note in labels.notes)


def test_known_labels_of_other_tasks_are_refused(drawn):
    with pytest.raises(InputError, match=r"None of the 1 tasks with a known label has a vote, the first being 'x'"):
        aggregate_votes(make_votes(drawn), gold=know(["x"], ["l0"]))


def test_tasks_with_too_few_votes_are_left_out_and_said():
    votes = record(["a", "b"], ["u", "v", "w"], ["x", "y"], [0, 0, 0, 1], [0, 1, 2, 0], [0, 0, 1, 1])
    labels = aggregate_votes(votes, settings=VoteSettings(min_votes=2))
    assert labels.frame["task"].to_list() == ["a"]
    assert any("1 of 2 tasks have fewer than 2 votes and are left out" in note for note in labels.notes)
    with pytest.raises(InputError, match=r"No task has 4 votes; the most is 3; lower `min_votes=…`"):
        aggregate_votes(votes, settings=VoteSettings(min_votes=4))


def test_ties_go_to_the_label_that_comes_first_in_the_votes_and_are_said():
    votes = record(["a", "b"], ["u", "v"], ["z", "c"], [0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 0])
    labels = aggregate_votes(votes)
    assert labels.frame.select("label", "tied").rows() == [("z", True), ("z", False)]
    assert any("1 of 2 tasks (50.0%) have several labels" in note for note in labels.notes)


def test_too_few_votes_for_any_method_are_warned_of():
    votes = record(["a", "b"], ["u", "v", "w"], ["x", "y"], [0, 0, 1, 1, 1], [0, 1, 0, 1, 2], [0, 0, 1, 1, 1])
    assert any("1 of 2 tasks have fewer than 3 votes" in warning for warning in aggregate_votes(votes).warnings)


def test_labels_turned_round_are_warned_of(rng):
    # Known labels say that all annotators are wrong most of the time.
    drawn = draw_votes(rng, n_tasks=300, n_votes=5, skills=np.full((8, 2), 0.2))
    gold = know([f"t{i}" for i in range(150)], [f"l{one}" for one in drawn.truth[:150]])
    warnings = aggregate_votes(make_votes(drawn), gold=gold, settings=DAWID_SKENE).warnings
    assert any("8 of 8 annotators are estimated to be right less often than chance (50%)" in one for one in warnings)
    assert any("disagrees with the majority on" in one for one in warnings)


def test_a_fit_that_is_stopped_early_is_warned_of(drawn):
    labels = aggregate_votes(make_votes(drawn), settings=replace(DAWID_SKENE, max_iterations=1))
    assert any("The fit has not converged after 1 iterations" in one for one in labels.warnings)
    assert any(
        "The one-coin model, on which accuracies" in one and "after 1 iterations" in one for one in labels.warnings
    )
    assert not any(
        "has not converged" in one for one in aggregate_votes(make_votes(drawn), settings=DAWID_SKENE).warnings
    )
    assert labels.convergence is not None
    assert not labels.convergence.converged


def test_the_notes_say_by_which_rule_a_fit_ended(rng):
    votes = make_votes(draw_questions(rng, n_tasks=500))
    by_likelihood = aggregate_votes(votes, settings=replace(DAWID_SKENE, prior=0)).notes
    assert any(
        "iterations: the last raised the log-likelihood by less than 1e-08 per vote" in note for note in by_likelihood
    )
    with_prior = aggregate_votes(votes, settings=DAWID_SKENE).notes
    assert any("the last raised the log-posterior by less than 1e-08 per vote" in note for note in with_prior)
    by_crowd_kit = aggregate_votes(votes, settings=CROWD_KIT).notes
    assert any(
        "iterations by crowd-kit's rule; the last raised the log-likelihood by " in note for note in by_crowd_kit
    )
    assert not any("converged" in note for note in by_crowd_kit)


ANSWERS = ["maybe", "yes", "no"]
TASKS, WHO = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3], [0, 1, 2, 0, 1, 2, 0, 1, 0, 1]
UNSURE = record(["a", "b", "c", "d"], ["u", "v", "w"], ANSWERS, TASKS, WHO, [1, 1, 0, 2, 0, 2, 0, 0, 1, 2])


def test_truths_come_in_the_order_of_their_names_and_break_ties_in_it():
    labels = aggregate_votes(UNSURE, settings=VoteSettings(truths=("no", "yes")))
    assert labels.frame["label"].to_list() == ["yes", "no", None, "no"]
    assert labels.frame["probability"].to_list() == [1, 1, None, 0.5]
    assert labels.frame["n_votes"].to_list() == [3, 3, 2, 2]
    assert labels.frame["n_abstained"].to_list() == [1, 1, 2, 0]
    assert labels.frame["probability_yes"].to_list() == [1, 0, None, 0.5]
    assert labels.classes["label"].to_list() == ["no", "yes", "maybe"]
    assert labels.classes["prevalence"].to_list() == [0.5, 0.5, None]
    assert labels.annotators["n_abstained"].to_list() == [1, 2, 1]
    assert any("comes first in `truths=…`" in note for note in labels.notes)
    turned = aggregate_votes(UNSURE, settings=VoteSettings(truths=("yes", "no")))
    assert turned.frame["label"].to_list() == ["yes", "no", None, "yes"]


@pytest.mark.parametrize("method", VoteMethod)
def test_agreement_and_accuracies_are_those_of_votes_that_are_truths(rng, method):
    drawn = abstain(rng, draw_votes(rng, n_tasks=150, n_votes=5, skills=rng.uniform(0.6, 0.9, (8, 2))))
    settings = VoteSettings(method=method, with_agreement=True, n_bootstrap=100)
    labels = aggregate_votes(make_votes(drawn), settings=replace(settings, truths=("l0", "l1")))
    kept = drawn.answers < 2
    columns = (drawn.tasks[kept], drawn.annotators[kept], drawn.answers[kept])
    without = Drawn(*columns, drawn.truth, drawn.skills[:, :2])
    expected = aggregate_votes(make_votes(without), settings=settings)
    assert labels.agreement == expected.agreement
    names = ["annotator", "n_compared", "n_agree", "kappa"] + (["accuracy"] if method is VoteMethod.ONE_COIN else [])
    assert labels.annotators.select(names).equals(expected.annotators.select(names))
    if method is not VoteMethod.MAJORITY:
        assert (labels.annotators["accuracy"] > 0.5).all()
    assert any("votes that are truths" in note and "taken as missing" in note for note in labels.notes)


def test_known_labels_are_truths():
    gold = know(["a", "d"], ["yes", "maybe"])
    with pytest.raises(InputError, match="The known label 'maybe' is none of the truths no, yes"):
        aggregate_votes(UNSURE, gold=gold, settings=VoteSettings(truths=("no", "yes")))
    known = aggregate_votes(UNSURE, gold=know(["c"], ["yes"]), settings=VoteSettings(truths=("no", "yes"))).frame
    assert known["label"].to_list() == ["yes", "no", "yes", "no"]
    assert known["probability_yes"].to_list() == [1, 0, 1, 0.5]


def test_votes_without_any_truth_are_refused():
    votes = record(["a", "b"], ["u", "v"], ["maybe", "yes"], [0, 1], [0, 1], [0, 0])
    gold = know(["a", "b"], ["yes", "no"])
    with pytest.raises(InputError, match="No vote that counts is one of the truths yes, no"):
        aggregate_votes(votes, gold=gold, settings=VoteSettings(truths=("yes", "no")))


@pytest.mark.parametrize("answer", ["maybe", "Unsure", "cannot tell", "don’t know", "N/A", "?", "SKIP", "image_broken"])
def test_an_answer_that_sounds_like_none_is_noted_with_the_way_out(answer):
    votes = record(["a"], ["u", "v", "w"], ["yes", answer, "no"], [0, 0, 0], [0, 1, 2], [0, 1, 2])
    notes = aggregate_votes(votes).notes
    assert any(
        f"By name {answer!r} (1 vote) may be an abstention" in note and note.endswith("`truths=['yes', 'no']`.")
        for note in notes
    )
    named = aggregate_votes(votes, settings=VoteSettings(truths=("no", "yes"))).notes
    assert not any("By name" in note for note in named)


def test_the_way_out_of_several_abstentions_can_be_pasted_into_a_shell():
    answers = ["a dog's", 'a "big, grey" cat', "maybe", "skip", "cow"]
    votes = record(["a"], list("uvwxy"), answers, [0] * 5, range(5), range(5))
    (note,) = (one for one in aggregate_votes(votes).notes if one.startswith("By name"))
    assert note.startswith("By name 'maybe' (1 vote) and 'skip' (1 vote) may be abstentions, though")
    (option,) = shlex.split(name_options(note).split("--truths ")[1].removesuffix("."))
    assert next(csv.reader([option])) == ["a dog's", 'a "big, grey" cat', "cow"]


def test_annotators_at_chance_are_not_below_it():
    votes = record(["a"], ["u", "v"], ["yes", "no"], [0, 0], [0, 1], [0, 1])
    warnings = aggregate_votes(votes, settings=VoteSettings(method=VoteMethod.DAWID_SKENE, prior=0)).warnings
    assert not any("less often than chance" in one for one in warnings)


@pytest.mark.parametrize(
    "labels", [["cat", "dog", "none of these"], ["maybe", "unclear", "yes"], ["correct", "wrong", "dim"]]
)
def test_other_answers_are_not_noted(labels):
    votes = record(["a"], ["u", "v", "w"], labels, [0, 0, 0], [0, 1, 2], [0, 1, 2])
    assert not any("By name" in note for note in aggregate_votes(votes).notes)


def test_confusions_have_rows_for_truths_and_answers_of_all_sorts(rng):
    drawn = abstain(rng, draw_votes(rng, n_tasks=150, n_votes=5, skills=rng.uniform(0.6, 0.9, (8, 2))))
    labels = aggregate_votes(make_votes(drawn), settings=replace(DAWID_SKENE, truths=("l0", "l1")))
    assert set(labels.confusions["true_label"]) == {"l0", "l1"}
    assert set(labels.confusions["label"]) == {"l0", "l1", "l2"}
    sums = labels.confusions.group_by("annotator", "true_label").agg(pl.col("probability").sum())["probability"]
    np.testing.assert_allclose(sums.to_numpy(), 1, atol=1e-5)


@pytest.mark.parametrize("method", VoteMethod)
def test_every_truth_has_its_probability_where_truths_are_named_or_one_has_a_threshold(drawn, method):
    votes, settings = make_votes(drawn), VoteSettings(method=method)
    plain = aggregate_votes(votes, settings=settings).frame
    named = aggregate_votes(votes, settings=replace(settings, truths=("l0", "l1", "l2"))).frame
    assert plain.equals(named.select(plain.columns))
    names = ["probability_l0", "probability_l1", "probability_l2"]
    assert named.columns == [*LABEL_COLUMNS, *names]
    np.testing.assert_allclose(named.select(names).to_numpy().sum(axis=1), 1)
    np.testing.assert_allclose(named.select(pl.max_horizontal(names)).to_series(), named["probability"], atol=1e-9)
    accepted = aggregate_votes(votes, settings=replace(settings, accept=Acceptance("l1", 0.9))).frame
    assert ((accepted["label"] == "l1") == (accepted["probability_l1"] >= 0.9)).all()


def test_with_very_many_labels_a_threshold_needs_the_truths_by_name():
    names = [f"l{i}" for i in range(30)]
    votes = record(["a"], ["u", "v"], names, [0, 0], [0, 1], [0, 1])
    with pytest.raises(InputError, match="more than 20 answers a threshold needs the truths"):
        aggregate_votes(votes, settings=VoteSettings(accept=Acceptance("l0", 0.8)))
    found = aggregate_votes(votes, settings=VoteSettings(truths=("l0", "l1"), accept=Acceptance("l0", 0.8)))
    assert found.frame.select("label", "probability_l0", "probability_l1").row(0) == ("l1", 0.5, 0.5)


def test_an_annotator_twice_on_a_task_is_refused_in_records_too():
    votes = record(["a"], ["u"], ["x", "y"], [0, 0], [0, 0], [0, 1])
    with pytest.raises(InputError, match=r"Annotator 'u' votes on task 'a' twice"):
        aggregate_votes(votes)
    with pytest.raises(InputError, match="no votes"):
        aggregate_votes(record(["a"], ["u"], ["x"], [], [], []))


def test_agreement_is_measured_when_asked_for(drawn):
    votes = make_votes(drawn)
    assert aggregate_votes(votes).agreement == {}
    labels = aggregate_votes(votes, settings=VoteSettings(with_agreement=True, n_bootstrap=200))
    assert list(labels.agreement) == ["krippendorff_alpha", "fleiss_kappa", "mean_cohen_kappa"]
    for one in labels.agreement.values():
        assert one.value is not None
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.value < one.high
    assert labels.classes["alpha"].is_between(labels.classes["alpha_low"], labels.classes["alpha_high"]).all()


def test_where_nothing_can_be_compared_agreement_has_no_value():
    votes = record(["a", "b"], ["u", "v"], ["x"], [0, 1], [0, 1], [0, 0])
    labels = aggregate_votes(votes, settings=VoteSettings(with_agreement=True))
    assert [one.value for one in labels.agreement.values()] == [None, None, None]
    assert labels.classes["alpha"].to_list() == [None]
    assert labels.annotators["agreement"].to_list() == [None, None]


def test_a_single_label_is_given_to_every_task():
    votes = record(["a", "b"], ["u", "v", "w"], ["x"], [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [0] * 6)
    for method in VoteMethod:
        labels = aggregate_votes(votes, settings=VoteSettings(method=method))
        assert labels.frame["label"].to_list() == ["x", "x"]


def test_files_are_read_with_what_was_found(tmp_path: Path):
    path = tmp_path / "votes.csv"
    path.write_text("task,worker,label\na,u,x\na,v,x\na,w,y\n")
    gold = tmp_path / "gold.csv"
    gold.write_text("task,label\na,y\n")
    labels = aggregate_votes(path, gold=gold)
    assert labels.frame.row(0)[:5] == ("a", "y", 1.0, 3, 1)
    assert labels.notes[0] == "votes.csv: 3 votes, one per line."
    assert "1 tasks by majority" in repr(labels)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": -1}, "number of votes from 0 up, not -1"),
        ({"prior": float("nan")}, "not nan"),
        ({"min_votes": 0}, "at least one vote"),
        ({"tolerance": 0}, "above 0"),
        ({"max_iterations": 0}, "at least one iteration"),
        ({"n_bootstrap": 5}, "100 to"),
        ({"seed": -1}, "from 0 up"),
        ({"level": 1}, "strictly between 0 and 1"),
    ],
)
def test_settings_refuse_nonsense(options, message):
    with pytest.raises(InputError, match=message):
        VoteSettings(**options)
