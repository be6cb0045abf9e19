"""Counts behind the pages of a website, against plain loops."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from regauge.evaluation.site import wrong_answers
from regauge.evaluation.site.counts import count_classes, count_images
from regauge.evaluation.site.wrong_answers import find_wrong_answers

N_CLASSES = 7


@pytest.fixture(scope="module")
def drawn():
    chance = np.random.default_rng(3)
    labels = chance.integers(-1, N_CLASSES, 60).astype(np.int32)
    firsts = chance.integers(-1, N_CLASSES, (9, 60)).astype(np.int16)
    return firsts, labels


def test_images_are_counted_as_a_loop_counts_them(drawn):
    firsts, labels = drawn
    found = count_images(firsts, labels)
    for row, label in enumerate(labels.tolist()):
        given = [one for one in firsts[:, row].tolist() if one >= 0]
        assert found.n_answered[row] == len(given)
        assert found.n_right[row] == (given.count(label) if label >= 0 else 0)


def test_classes_are_counted_as_a_loop_counts_them(drawn):
    firsts, labels = drawn
    found = count_classes(firsts, labels, n_classes=N_CLASSES)
    for person in range(len(firsts)):
        for index in range(N_CLASSES):
            given = [one for one in firsts[person][labels == index].tolist() if one >= 0]
            assert (found.n_answered[person, index], found.n_right[person, index]) == (len(given), given.count(index))


@pytest.mark.parametrize("n_at_once", [1, 4, 64])
def test_wrong_answers_are_those_of_a_loop(drawn, monkeypatch, n_at_once):
    monkeypatch.setattr(wrong_answers, "_N_AT_ONCE", n_at_once)
    firsts, labels = drawn
    expected = Counter(
        (given, row)
        for person in firsts.tolist()
        for row, given in enumerate(person)
        if given >= 0 and labels[row] >= 0 and given != labels[row]
    )
    found = find_wrong_answers(firsts, labels, n_classes=N_CLASSES)
    pairs = zip(found.rows.tolist(), found.n_participants.tolist(), strict=True)
    classes = np.repeat(np.arange(N_CLASSES), np.diff(found.starts)).tolist()
    assert {(index, row): n for index, (row, n) in zip(classes, pairs, strict=True)} == expected


def test_nobody_gives_no_wrong_answer():
    found = find_wrong_answers(np.zeros((0, 3), np.int16), np.array([0, 1, 2], np.int32), n_classes=3)
    assert found.starts.tolist() == [0, 0, 0, 0]
    assert not len(found.rows)
