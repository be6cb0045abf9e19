"""Which CLASSIFY answers are ignored, why, and how they come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labels.objects.classify_answers import Answer, make_responses

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.records.labels.classify import Flaw
from regauge.responses.classify_screening import accept_all, find_responses, restore_responses, screen_responses

Given = tuple[list[int], int]
SOUND: Given = ([1, 2], 1)
EMPTY: Given = ([], NO_CLASS)
STRANGE: Given = ([1, 2], 3)
UNNAMED: Given = ([1], NO_CLASS)


def answer(annotator: str, *given: tuple[list[int], int]) -> list[Answer]:
    return [(f"image-{n}", annotator, selected, main) for n, (selected, main) in enumerate(given)]


def test_a_response_without_a_label_or_with_a_main_label_it_does_not_select_is_ignored() -> None:
    screening = screen_responses(make_responses(answer("a", *[SOUND] * 6, EMPTY, STRANGE, UNNAMED)))
    assert screening.flaws.tolist() == [Flaw.NONE] * 6 + [Flaw.NO_LABEL, Flaw.MAIN_NOT_SELECTED, Flaw.MAIN_NOT_SELECTED]
    assert screening.is_accepted.tolist() == [True] * 6 + [False] * 3
    assert not screening.is_ignored.any()


@pytest.mark.parametrize(("n_flawed", "n", "is_ignored"), [(1, 3, False), (2, 5, True), (2, 6, False), (3, 8, True)])
def test_an_annotator_is_ignored_with_more_than_a_third_flawed(n_flawed: int, n: int, is_ignored: bool) -> None:
    screening = screen_responses(make_responses(answer("a", *[EMPTY] * n_flawed, *[SOUND] * (n - n_flawed))))
    assert screening.is_ignored.tolist() == [is_ignored]
    assert screening.is_accepted.sum() == (0 if is_ignored else n - n_flawed)


def test_sound_responses_of_an_ignored_annotator_keep_that_reason_and_their_own_flaws_theirs() -> None:
    screening = screen_responses(make_responses(answer("bad", EMPTY, SOUND) + answer("good", SOUND)))
    assert screening.flaws.tolist() == [Flaw.NO_LABEL, Flaw.ANNOTATOR, Flaw.NONE]
    assert (screening.count(Flaw.NO_LABEL), screening.count(Flaw.ANNOTATOR)) == (1, 1)


def test_a_kept_annotator_counts_with_the_sound_responses_only() -> None:
    responses = make_responses(answer("bad", EMPTY, SOUND) + answer("good", SOUND))
    screening = screen_responses(responses, keep_annotators=["bad", "good"])
    assert screening.is_accepted.tolist() == [False, True, True]
    assert (screening.is_ignored.tolist(), screening.is_restored.tolist()) == ([True, False], [True, False])
    assert screening.count(Flaw.ANNOTATOR) == 0


def test_single_responses_can_be_restored_and_their_flaw_stays_on_record() -> None:
    responses = make_responses(answer("bad", EMPTY, SOUND))
    restored = restore_responses(screen_responses(responses), find_responses(responses, [("image-1", "bad")]))
    assert restored.is_accepted.tolist() == [False, True]
    assert restored.flaws.tolist() == [Flaw.NO_LABEL, Flaw.ANNOTATOR]


def test_whom_nobody_knows_cannot_be_kept() -> None:
    responses = make_responses(answer("a", SOUND))
    with pytest.raises(InputError, match="There is no annotator 'b' to keep among the 1"):
        screen_responses(responses, keep_annotators=["b"])
    with pytest.raises(InputError, match="Annotator 'a' has no response on image 'other'"):
        find_responses(responses, [("other", "a")])
    with pytest.raises(InputError, match="There are 1 responses, counted from 0; 1 is none"):
        restore_responses(screen_responses(responses), [1])


def test_without_screening_everything_counts() -> None:
    assert accept_all(make_responses(answer("a", EMPTY, STRANGE))).is_accepted.all()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([SOUND, EMPTY, STRANGE, UNNAMED])), min_size=1))
def test_plain_python_gives_the_same(given_: list[tuple[str, tuple[list[int], int]]]) -> None:
    answers = [(f"{n}", who, selected, main) for n, (who, (selected, main)) in enumerate(given_)]
    screening = screen_responses(make_responses(answers))
    sound = [bool(selected) and main in selected for *_, selected, main in answers]
    expected = []
    for (_, who, *_), is_sound in zip(answers, sound, strict=True):
        own = [one for (_, other, *_), one in zip(answers, sound, strict=True) if other == who]
        expected.append(is_sound and 3 * own.count(False) <= len(own))
    np.testing.assert_array_equal(screening.is_accepted, expected)
