"""What most coders say of mistakes: by hand, and against a loop with plain counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.labels.coding import decide_mistakes
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.mistakes.coders import CODER_REASONS, NO_CODE, CoderVotes

NAMES = ("texture", "shape", "other")
Said = tuple[int, int, str, int]
"""Which image, which coder, and a category with a severity; or a reason with no severity."""


def vote(*said: Said) -> CoderVotes:
    reasons = tuple(word if severity == NO_CODE else "" for *_, word, severity in said)
    return CoderVotes(
        image_ids=np.array([f"i{one}" for one in range(4)]),
        names=np.array([f"coder {one}" for one in range(5)]),
        images=np.array([image for image, *_ in said], np.int32),
        predictions=np.array([image + 7 for image, *_ in said], np.int32),
        coders=np.array([coder for _, coder, *_ in said], np.int32),
        categories=tuple("" if severity == NO_CODE else word for *_, word, severity in said),
        severities=np.array([severity for *_, severity in said], np.int8),
        reasons=reasons,
        notes=tuple(f"{word} by {coder}" for _, coder, word, _ in said),
        received=np.arange(len(said)),
    )


def gone(image: int, coder: int, reason: str = CODER_REASONS[0]) -> Said:
    return image, coder, reason, NO_CODE


def test_category_and_severity_are_decided_each_by_itself_among_those_who_code():
    votes = vote((0, 0, "texture", 0), (0, 1, "texture", 1), (0, 2, "shape", 1), gone(0, 3))
    decided = decide_mistakes(votes, NAMES)
    assert (decided.n_votes.tolist(), decided.n_overturning.tolist()) == ([4], [1])
    assert (decided.categories.tolist(), decided.severities.tolist()) == ([0], [1])
    assert decided.is_coded.tolist() == [True]
    assert decided.notes == ("texture by 0 | texture by 1 | shape by 2",)


def test_as_many_who_overturn_as_who_code_leave_it_open_and_so_do_ties_of_codes():
    votes = vote(
        (0, 0, "texture", 0),
        gone(0, 1),
        (1, 0, "texture", 0),
        (1, 1, "shape", 0),
        (2, 0, "shape", 0),
        (2, 1, "shape", 2),
    )
    decided = decide_mistakes(votes, NAMES)
    assert decided.is_shared.tolist() == [[True, False, False], [False, True, False], [False, False, True]]
    assert decided.categories.tolist() == [0, NO_CODE, 1]
    assert not decided.is_settled.any()
    assert not decided.is_unanimous.any()


def test_most_who_overturn_decide_and_the_most_frequent_reason_holds_else_the_first_in_order():
    first, second, third = CODER_REASONS
    votes = vote(
        gone(0, 0, third),
        gone(0, 1, second),
        (0, 2, "shape", 0),
        gone(1, 0, third),
        gone(1, 1, third),
        gone(1, 2, first),
    )
    decided = decide_mistakes(votes, NAMES)
    assert decided.is_overturned.tolist() == [True, True]
    assert decided.reasons == (second, third)
    assert decided.is_settled.all()
    assert decided.notes[0] == f"{third} by 0 | {second} by 1"
    assert decided.is_unanimous.tolist() == [False, True]


def test_a_category_that_the_list_lacks_is_refused():
    with pytest.raises(InputError, match="A coder chose the category 'shape', and the list has: texture"):
        decide_mistakes(vote((0, 0, "shape", 0)), ("texture",))


SAYING = st.tuples(st.sampled_from(["gone", *NAMES]), st.sampled_from(range(len(SEVERITIES))))


@given(st.lists(st.lists(SAYING, min_size=1, max_size=5), min_size=1, max_size=4))
def test_it_is_what_plain_counts_say(images: list[list[tuple[str, int]]]):
    said = [
        gone(image, coder) if word == "gone" else (image, coder, word, severity)
        for image, votes in enumerate(images)
        for coder, (word, severity) in enumerate(votes)
    ]
    decided = decide_mistakes(vote(*said), NAMES)
    for image, votes in enumerate(images):
        coded = [one for one in votes if one[0] != "gone"]
        n_gone = len(votes) - len(coded)
        assert decided.is_overturned[image] == (n_gone > len(coded))
        assert decided.is_shared[image, 0] == (n_gone == len(coded))
        if n_gone > len(coded):
            assert (decided.categories[image], decided.severities[image]) == (NO_CODE, NO_CODE)
            continue
        for column, part in ((decided.categories, 0), (decided.severities, 1)):
            counts = Counter(NAMES.index(one[0]) if part == 0 else one[1] for one in coded).most_common()
            is_tied = len(counts) > 1 and counts[0][1] == counts[1][1]
            assert decided.is_shared[image, 1 + part] == is_tied
            assert column[image] == (NO_CODE if is_tied else counts[0][0])


def test_votes_that_code_and_overturn_at_once_are_none():
    with pytest.raises(InputError, match="codes a mistake or overturns it"):
        CoderVotes(
            *(np.array(["a"]), np.array(["ann"]), np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)),
            *(("shape",), np.zeros(1, np.int8), ("missed object",), ("",), np.zeros(1, np.int64)),
        )
