"""Five experts' answers to 1,135 questions, and the probabilities that Beyer et al. (2020) released for the same questions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import find_shared

from regauge.records.labels.votes import Acceptance, VoteMethod, VoteSettings
from regauge.records.responses.votes import Votes
from regauge.workflows.labels.aggregate_votes import aggregate_votes


@pytest.mark.parametrize(("method", "fewest"), [("majority", 1_067), ("one-coin", 1_050), ("dawid-skene", 1_020)])
def test_experts_answers_with_yes_from_four_in_five_on_agree_with_the_released_labels(method, fewest):
    # The release keeps a label where its probability, from 85 other raters, is 0.8 or more. Nobody of the experts said maybe.
    folder = find_shared() / "clones" / "reassessed-imagenet"
    if not (folder / "golden.npz").is_file() or not (folder / "scores.npz").is_file():
        pytest.skip(f"the released answers are not at {folder}")
    with (
        np.load(folder / "golden.npz", allow_pickle=False) as golden,
        np.load(folder / "scores.npz", allow_pickle=False) as scores,
    ):
        released = {tuple(pair): score for pair, score in zip(scores["info"].tolist(), scores["tensor"], strict=True)}
        questions = [tuple(pair) for pair in golden["info"].tolist()]
        answers, experts = golden["tensor"].argmax(axis=2), golden["ids"].astype(np.str_)
    n, tasks = len(questions), np.tile(np.arange(len(questions)), len(experts))
    who = np.repeat(np.arange(len(experts)), n)
    names, kinds = np.array([" ".join(pair) for pair in questions]), np.array(["no", "maybe", "yes"])
    votes = Votes(names, experts, kinds, *(one.astype(np.int32) for one in (tasks, who, answers.ravel())))
    settings = VoteSettings(method=VoteMethod(method), truths=("no", "yes"), accept=Acceptance("yes", 0.8))
    labels = aggregate_votes(votes, settings=settings)
    expected = np.array(["yes" if released[pair] >= 0.8 else "no" for pair in questions])
    assert labels.frame["n_abstained"].sum() == 0
    assert np.count_nonzero(labels.frame["label"].to_numpy() == expected) >= fewest
    if method == "majority":
        n_yes = (answers == 2).sum(axis=0)
        assert (labels.frame["label"].to_numpy() == np.where(n_yes >= 4, "yes", "no")).all()
