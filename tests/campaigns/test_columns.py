"""Tasks and answers as columns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.campaigns.columns import mark_selections, parse_masks, parse_selections, parse_tasks
from regauge.errors import InputError
from regauge.records.campaigns import Kind
from regauge.records.ledgers import NO_TASKS

IDS, NONE = np.array([3, 5]), np.zeros(2, np.int64)


def test_a_grid_has_a_class_images_and_controls():
    texts = ['{"version":1,"class":7,"cells":[[4,0],[9,1]]}', '{"version": 1, "class": 8, "cells": [[4, 2]]}']
    tasks = parse_tasks(Kind("contains"), texts, ids=IDS, sources=NONE)
    assert (tasks.subjects.tolist(), tasks.starts.tolist()) == ([7, 8], [0, 2, 3])
    assert (tasks.items.tolist(), tasks.controls.tolist()) == ([4, 9, 4], [0, 1, 2])


def test_tasks_follow_each_other():
    texts = ['{"version":1,"image":7,"candidates":[4,9]}', '{"version":1,"image":8,"candidates":[2]}']
    first = parse_tasks(Kind("classify"), texts, ids=IDS, sources=NONE)
    both = NO_TASKS.extend(first).extend(
        parse_tasks(Kind("classify"), texts[1:], ids=np.array([9]), sources=np.array([3]))
    )
    assert (both.ids.tolist(), both.sources.tolist(), both.sizes.tolist()) == ([3, 5, 9], [0, 0, 3], [2, 1, 1])
    with pytest.raises(InputError, match="order of their numbers"):
        both.extend(first)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=5))
def test_masks_are_read_whole(masks):
    texts = [json.dumps({"version": 1, "mask": f"{mask:x}"}) for mask in masks]
    assert parse_masks(texts)[0].tolist() == masks


@given(st.lists(st.lists(st.sampled_from([4, 9, 11]), unique=True), max_size=5))
def test_selections_are_read_and_become_masks(answers):
    texts = [json.dumps({"version": 1, "selected": one, "main": one[0] if one else None}) for one in answers]
    found = parse_selections(texts)
    assert [
        found.selected[start:end].tolist() for start, end in zip(found.starts, found.starts[1:], strict=False)
    ] == answers
    assert found.main.tolist() == [one[0] if one else -1 for one in answers]
    task = '{"version":1,"image":7,"candidates":[9,4,11]}'
    tasks = parse_tasks(Kind("classify"), [task], ids=IDS[:1], sources=NONE[:1])
    masks = mark_selections(tasks, np.zeros(len(answers), np.int32), selections=found)
    assert masks.tolist() == [sum(1 << [9, 4, 11].index(label) for label in one) for one in answers]
