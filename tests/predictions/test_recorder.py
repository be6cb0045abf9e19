"""A recorder keeps the best answers of every batch, and refuses what would make them wrong."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regauge
from regauge.errors import InputError
from regauge.predictions.topk import find_top_k


@given(st.lists(st.integers(1, 7), min_size=1, max_size=5), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_batches_give_what_all_logits_at_once_give(sizes, k, seed):
    logits = np.random.default_rng(seed).normal(size=(sum(sizes), 6)).astype(np.float32)
    ids = [f"i{row}" for row in range(len(logits))]
    recorder = regauge.Recorder("model", k=k)
    for start, end in pairwise(np.cumsum([0, *sizes]).tolist()):
        recorder.update(ids[start:end], logits[start:end])
    found, whole = recorder.predictions(), find_top_k(logits, k=k)
    assert found.image_ids.tolist() == ids
    assert found.classes.tolist() == whole.classes.tolist()
    assert found.scores is not None
    assert found.scores.tolist() == whole.scores.tolist()


def test_only_the_best_are_kept():
    recorder = regauge.Recorder("model")
    recorder.update(range(3), np.random.default_rng(0).normal(size=(3, 1_000)))
    assert recorder.predictions().classes.shape == (3, 5)
    assert repr(recorder) == "<Recorder of model: 3 images>"


def test_a_batch_that_is_refused_leaves_no_trace():
    recorder = regauge.Recorder("model")
    recorder.update(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])
    refused: list[tuple[list[str], Any, str]] = [
        (["c", "a"], [[1.0, 0.0], [0.0, 1.0]], "has answered image 'a' before"),
        (["c", "c"], [[1.0, 0.0], [0.0, 1.0]], "lists image 'c' more than once"),
        (["c"], [[1.0, 0.0], [0.0, 1.0]], r"A batch of 1 ids needs logits of the shape \[1, 2\], not \[2, 2\]"),
        (["c"], [[1.0, 0.0, 0.5]], r"\[1, 2\], not \[1, 3\]"),
        (["c"], [1.0], r"\[1, 2\], not \[1\]"),
        (["c"], [[1, 0]], "Logits must be float"),
        (["c"], [[1.0, np.nan]], "image 'c',.*NaN"),
    ]
    for ids, logits, sentence in refused:
        with pytest.raises(InputError, match=sentence):
            recorder.update(ids, logits)
    assert len(recorder) == 2
    assert recorder.predictions().image_ids.tolist() == ["a", "b"]


def test_a_recorder_without_answers_has_no_predictions():
    with pytest.raises(InputError, match=r"model has not answered any image yet; call update\(ids, logits\)"):
        regauge.Recorder("model").predictions()
    with pytest.raises(InputError, match="at least 1 class of an image, not 0"):
        regauge.Recorder("model", k=0)
