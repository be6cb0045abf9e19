"""What was answered about each image."""

from __future__ import annotations

import numpy as np
import pytest
from tests.responses.live.small_ledgers import DROPPED, book, make_choices, make_grids

from regauge.kinds.classify.results import MainCounter
from regauge.kinds.contains import figures as contains_figures
from regauge.records.responses.figures import ImageCounts
from regauge.responses.ledger import Ledger
from regauge.responses.live.images import ImageIndex


def count_mains(ledger: Ledger) -> ImageCounts:
    return MainCounter().count(ledger)


def test_the_most_named_main_label_stands_for_an_image():
    ledger = make_choices([4, 6, 8], [4, 6], [4])
    book(ledger, (1, 7, [8]), (1, 8, [6]), (1, 9, [6]), (2, 7, [6]), (2, 8, [4]), (3, 7, []))
    counts = count_mains(ledger)
    # Image 2: one vote each, and class 6 was named first. Image 3: nobody names a main object.
    assert counts.classes.tolist() == [6, 6, -1]
    assert counts.n_selected.tolist() == [2, 1, 0]
    assert counts.n_shown.tolist() == [3, 2, 1]


def test_disagreement_is_the_chance_that_two_answers_differ():
    counts = ImageCounts(*np.array([[1, 2, 3], [0, 0, 0], [3, 3, 1], [3, 1, 1], [0, 0, 0]]))
    # All three alike; one of three, so that two of the three pairs differ; and one answer alone.
    assert counts.disagreements.tolist() == pytest.approx([0.0, 2 / 3, np.nan], nan_ok=True)


def test_answers_that_do_not_count_name_nothing():
    ledger = book(make_choices([4, 6]), (1, 7, [4]))
    book(ledger, (1, 8, [6]), (1, 9, [6]), first=2, status=DROPPED)
    counts = count_mains(ledger)
    assert (counts.classes.tolist(), counts.n_selected.tolist(), counts.n_shown.tolist()) == ([4], [1], [1])


def test_images_nobody_judged_have_no_frequency():
    assert np.isnan(count_mains(make_choices([4], [6])).frequencies).all()


def test_hidden_repeats_are_no_images_of_their_own():
    assert len(count_mains(make_choices([4, 6], [6, 4], sources=[0, 1]))) == 1


def test_the_index_finds_every_task_of_an_image():
    ledger = make_grids([(5, 0), (6, 0)], [(7, 0), (5, 0)], [(6, 0)])
    index = ImageIndex(ledger.tasks, contains_figures)
    found = {image: ledger.tasks.ids[index.find_tasks(image)].tolist() for image in (4, 5, 6, 7)}
    assert found == {4: [], 5: [1, 2], 6: [1, 3], 7: [2]}
