"""Found mistakes: by hand, against a loop with plain sets, and what holds whatever the answers are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mistakes.small_sources import BEFORE, FIRST, FLAT, IDS, IMAGES, PETS, SECOND, aim, answer, list_correct

from regauge.errors import InputError
from regauge.mistakes.finding import apply_labels, count_mistakes, find_mistakes, take_dataset_labels
from regauge.records.labels.label_set import LabelKind, LabelSet
from regauge.records.mistakes.found import NO_LEVEL, FindSettings

APPLIED = apply_labels(aim(BEFORE))


def test_mistakes_are_answers_that_are_not_accepted_and_novel_where_nobody_judged_them() -> None:
    found = find_mistakes(FIRST, APPLIED)
    assert found.image_ids.tolist() == ["a", "b", "c", "d"]
    assert found.predictions.tolist() == [1, 3, 0, 0]
    assert found.is_novel.tolist() == [False, False, True, False]
    assert (found.n_mistakes, found.n_images, found.n_novel) == (4, 4, 1)


def test_each_has_its_labels_its_score_and_the_dataset_label() -> None:
    found = find_mistakes(FIRST, APPLIED)
    assert [found.accepted.list_classes(row) for row in range(4)] == [[0], [1, 2], [2], [3]]
    assert [found.rejected.list_classes(row) for row in range(4)] == [[1], [3], [], [0]]
    assert found.scores.tolist() == pytest.approx([0.9, 0.8, 0.7, 0.6])
    assert found.dataset_labels.tolist() == [0, 1, 2, 3]


def test_problematic_images_are_left_out_and_counted() -> None:
    found = find_mistakes(FIRST, APPLIED)
    assert "e" not in found.image_ids.tolist()
    assert found.n_problematic == 1


def test_unclear_is_accepted_unless_it_is_strict() -> None:
    assert find_mistakes(SECOND, APPLIED).image_ids.tolist() == ["c", "d"]
    strict = find_mistakes(SECOND, apply_labels(aim(BEFORE), is_strict=True))
    assert strict.image_ids.tolist() == ["b", "c", "d"]
    assert strict.is_novel.tolist() == [False, True, True]
    assert strict.accepted.list_classes(0) == [1]


def test_the_nearest_accepted_class_gives_the_ancestor_level() -> None:
    # a: siamese for tabby, the same parent; b: an island for siamese or pug, joined by nothing; c: tabby for pug, whose
    # common ancestor is two up; d: tabby for an island.
    assert find_mistakes(FIRST, APPLIED, taxonomy=PETS).levels.tolist() == [1, NO_LEVEL, 2, NO_LEVEL]


def test_of_several_accepted_classes_the_nearest_counts() -> None:
    labels = LabelSet.from_lists("near", ["a"], correct=[[2, 1]], wrong=[[0]])
    found = find_mistakes(answer("one", [0], ["a"]), apply_labels(aim(labels, images=None)), taxonomy=PETS)
    assert found.levels.tolist() == [1]


def test_without_a_hierarchy_there_are_no_levels() -> None:
    for taxonomy in (None, FLAT):
        assert set(find_mistakes(FIRST, APPLIED, taxonomy=taxonomy).levels.tolist()) == {NO_LEVEL}


def test_others_who_answer_the_same_are_named() -> None:
    elsewhere = answer("elsewhere", [1], ["z"])
    half = answer("half", [3, 1], ["b", "a"])
    found = find_mistakes(FIRST, APPLIED, others=[SECOND, elsewhere, half])
    assert found.others == ("second", "half")
    assert found.agrees.tolist() == [[False, True], [False, True], [True, False], [False, False]]
    assert found.n_others.tolist() == [1, 1, 1, 0]


def test_a_label_set_that_lists_everything_has_no_novel_mistakes() -> None:
    found = find_mistakes(FIRST, apply_labels(aim(list_correct())))
    assert (found.n_mistakes, found.n_novel, found.novel) == (5, 0, None)


def test_reassessed_labels_do_not_judge_images_without_a_label() -> None:
    labels = LabelSet.from_lists("real", IDS, correct=[[0], [], [2], [], [0]], kind=LabelKind.REAL)
    found = find_mistakes(FIRST, apply_labels(aim(labels)))
    assert found.image_ids.tolist() == ["a", "c", "e"]
    assert (found.n_images, found.n_unknown) == (3, 2)


def test_dataset_labels_stand_in_for_a_label_set_and_every_mistake_is_novel() -> None:
    found = find_mistakes(FIRST, apply_labels(take_dataset_labels(aim())))
    assert found.image_ids.tolist() == IDS
    assert found.n_novel == 5


def test_answers_are_joined_by_image_and_not_by_place() -> None:
    turned = FIRST.choose(np.array([4, 2, 0, 1, 3]))
    one, other = find_mistakes(FIRST, APPLIED), find_mistakes(turned, APPLIED)
    assert other.image_ids.tolist() == one.image_ids.tolist()
    assert other.scores.tolist() == one.scores.tolist()


def test_images_without_an_answer_are_no_mistakes() -> None:
    found = find_mistakes(answer("half", [1], ["a"]), APPLIED)
    assert (found.n_mistakes, found.n_images, found.n_unanswered) == (1, 1, 4)


def test_a_sample_is_drawn_by_its_seed_and_says_of_how_many() -> None:
    settings = FindSettings(n_sample=2, seed=3)
    found = find_mistakes(FIRST, APPLIED, settings=settings)
    assert (len(found), found.n_mistakes, found.is_sample) == (2, 4, True)
    assert found.image_ids.tolist() == find_mistakes(FIRST, APPLIED, settings=settings).image_ids.tolist()
    assert found.novel is not None
    assert (found.novel.share.n, found.novel.n_whole, found.novel.share.method) == (2, 4, "hypergeometric")


def test_every_mistake_is_drawn_equally_often() -> None:
    drawn = [find_mistakes(FIRST, APPLIED, settings=FindSettings(n_sample=1, seed=seed)) for seed in range(400)]
    counts = [sum(image in one.image_ids for one in drawn) for image in "abcd"]
    # Binomial(400, 1/4) has the standard deviation 8.7.
    assert all(abs(n - 100) < 40 for n in counts)


def test_a_sample_larger_than_the_mistakes_is_refused() -> None:
    with pytest.raises(InputError, match="first has 4 mistakes, and a sample of 5 is asked for"):
        find_mistakes(FIRST, APPLIED, settings=FindSettings(n_sample=5))


def test_answers_on_other_images_are_refused() -> None:
    with pytest.raises(InputError, match="share no image id"):
        find_mistakes(answer("elsewhere", [1], ["z"]), APPLIED)
    with pytest.raises(InputError, match="has no predictions at all"):
        find_mistakes(answer("nobody", [], []), APPLIED)


def test_a_label_set_that_judges_no_image_is_refused() -> None:
    labels = LabelSet.from_lists("void", IDS, correct=[[0]] * 5, is_problematic=[True] * 5)
    with pytest.raises(InputError, match="Label set void has no verdict on an image of five that is not problematic"):
        apply_labels(aim(labels))


def test_several_participants_are_counted_and_equal_novel_answers_once() -> None:
    counts = count_mistakes([FIRST, SECOND], APPLIED)
    assert [one.wrong.k for one in counts.participants] == [4, 2]
    assert [one.novel.k for one in counts.participants if one.novel] == [1, 2]
    # The answer on c is the same; on d the second gives another, which nobody has judged.
    assert counts.n_novel_pairs == 2


def test_many_participants_are_taken_together_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regauge.mistakes.finding.MAX_PILED", 1)
    assert count_mistakes([FIRST, SECOND, FIRST, SECOND], APPLIED).n_novel_pairs == 2


classes = st.integers(0, 3)
lists = st.lists(st.sets(classes, max_size=3), min_size=5, max_size=5)


@given(lists, lists, lists, st.lists(classes, min_size=5, max_size=5), st.booleans())
def test_mistakes_are_those_of_a_loop_with_plain_sets(correct, unclear, wrong, answers, is_strict) -> None:
    columns = [[sorted(one) for one in correct]]
    columns += [[sorted(a - b) for a, b in zip(unclear, correct, strict=True)]]
    columns += [[sorted(a - b - c) for a, b, c in zip(wrong, correct, unclear, strict=True)]]
    labels = LabelSet.from_lists("drawn", IDS, correct=columns[0], unclear=columns[1], wrong=columns[2])
    if not labels.has_verdicts:
        return
    found = find_mistakes(answer("one", answers), apply_labels(aim(labels), is_strict=is_strict))
    accepted = [set(a) | (set() if is_strict else set(b)) for a, b in zip(columns[0], columns[1], strict=True)]
    expected = [image for image, own, one in zip(IDS, accepted, answers, strict=True) if one not in own]
    assert found.image_ids.tolist() == expected
    known = {image: {*a, *b, *c} for image, a, b, c in zip(IDS, *columns, strict=True)}
    novel = [one not in known[image] for image, one in zip(IDS, answers, strict=True) if image in expected]
    assert found.is_novel.tolist() == novel


def test_the_answers_are_left_as_they_were() -> None:
    before = FIRST.classes.copy()
    find_mistakes(FIRST, APPLIED, others=[SECOND], taxonomy=PETS)
    assert (FIRST.classes == before).all()
    assert IMAGES.labels.tolist() == [0, 1, 2, 3, 0]
