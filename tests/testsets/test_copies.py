"""Of images that are the same one candidate stays, or none where an original image is the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from regauge.testsets.copies import Merits, find_copies, link_equal, rank_images
from regauge.testsets.duplicates import find_components


def decide(ids: str, pairs: list[tuple[int, int]], kinds: str) -> tuple[str, list[int]]:
    """Which of the images are excluded, and what stands for each; kinds are original, candidate or stranger."""
    image_ids = np.array(list(ids))
    of = np.array(list(kinds))
    found = find_copies(
        image_ids,
        np.array(pairs, np.int64).reshape(-1, 2),
        is_original=of == "o",
        is_candidate=of == "c",
        ranks=np.argsort(np.argsort(image_ids)),
    )
    return "".join(image_ids[found.is_excluded]), found.stands.tolist()


def test_the_first_by_id_stays_and_stands_for_the_others() -> None:
    assert decide("cab", [(0, 1), (0, 2)], "ccc") == ("cb", [1, 1, 1])


def test_an_original_image_leaves_none() -> None:
    assert decide("abz", [(0, 1), (1, 2)], "cco") == ("ab", [2, 2, 2])


def test_images_joined_by_a_stranger_are_the_same_and_one_of_them_stays() -> None:
    assert decide("acb", [(0, 1), (1, 2)], "sco"[:1] + "cc") == ("c", [2, 2, 2])


def test_a_stranger_alone_with_a_candidate_excludes_nothing() -> None:
    assert decide("ab", [(0, 1)], "sc") == ("", [1, 1])


def test_images_without_a_pair_stay() -> None:
    assert decide("ab", [], "cc") == ("", [0, 1])


def test_equal_texts_join_across_columns() -> None:
    first = np.array(["x", "x", "y", ""])
    second = np.array(["", "p", "p", ""])
    components = find_components(
        np.array(list("abcd")), link_equal([first, second]), is_original=np.zeros(4, np.bool_)
    ).components.tolist()
    assert components[0] == components[1] == components[2] != components[3]


def test_empty_texts_join_nothing() -> None:
    assert link_equal([np.array(["", "", ""])]).shape == (0, 2)


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20),
    st.lists(st.sampled_from("ocs"), min_size=12, max_size=12),
)
def test_every_component_keeps_one_candidate_or_none_with_an_original(
    pairs: list[tuple[int, int]], kinds: list[str]
) -> None:
    ids, of, edges = np.array(list("fbkdaeclhgji")), np.array(kinds), np.array(pairs, np.int64).reshape(-1, 2)
    found = find_copies(ids, edges, is_original=of == "o", is_candidate=of == "c", ranks=np.argsort(np.argsort(ids)))
    components = find_components(ids, edges, is_original=of == "o").components
    for component in np.unique(components):
        members = components == component
        kept = members & (of == "c") & ~found.is_excluded
        wanted = 0 if (of[members] == "o").any() else min(int((of[members] == "c").sum()), 1)
        assert kept.sum() == wanted
        assert not wanted or ids[kept][0] == min(ids[members & (of == "c")])


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=8),
    st.lists(st.sampled_from("ocs"), min_size=12, max_size=12),
    st.permutations(range(12)),
)
def test_two_rules_never_exclude_each_others_choice(
    exact: list[tuple[int, int]], near: list[tuple[int, int]], kinds: list[str], ranks: list[int]
) -> None:
    ids, of = np.array(list("fbkdaeclhgji")), np.array(kinds)
    by_exact, by_both = (
        find_copies(
            ids,
            np.array(pairs, np.int64).reshape(-1, 2),
            is_original=of == "o",
            is_candidate=of == "c",
            ranks=np.array(ranks),
        )
        for pairs in (exact, [*exact, *near])
    )
    assert not (by_exact.is_excluded & ~by_both.is_excluded).any()


def rank(ids: str, **columns: list[int]) -> str:
    """The images, the one that stays before all others first."""
    n = len(ids)
    merits = Merits(
        is_usable=np.array(columns.get("usable", [1] * n), np.bool_),
        is_barred=np.array(columns.get("barred", [0] * n), np.bool_),
        is_drawn=np.array(columns.get("drawn", [0] * n), np.bool_),
        classes=np.array(columns.get("classes", [0] * n), np.int32),
        n_shown=np.array(columns.get("shown", [0] * n)),
        n_selected=np.array(columns.get("selected", [0] * n)),
    )
    return "".join(np.array(list(ids))[np.argsort(rank_images(np.array(list(ids)), merits))])


def test_without_frequencies_the_id_decides() -> None:
    assert rank("bca") == "abc"


def test_of_good_images_those_of_the_scarcest_class_come_first() -> None:
    """Class 0 has a and b at 7 of 10 or more, class 1 only c; d of class 1 has 6 of 10, and nobody saw e."""
    assert rank("abcde", classes=[0, 0, 1, 1, 1], shown=[10, 10, 10, 10, 0], selected=[8, 10, 7, 6, 0]) == "cbade"


def test_an_image_that_cannot_be_taken_counts_for_no_class_and_comes_last() -> None:
    """Without b, class 0 has one good image and class 1 two."""
    found = rank("abcd", classes=[0, 0, 1, 1], shown=[10] * 4, selected=[7, 10, 9, 10], usable=[1, 0, 1, 1])
    assert found == "adcb"


def test_a_drawn_image_comes_before_better_ones_and_a_barred_one_before_its_copies() -> None:
    assert rank("abc", shown=[10, 10, 0], selected=[10, 7, 0], drawn=[0, 1, 0]) == "bac"
    assert rank("abc", usable=[0, 0, 0], barred=[0, 0, 1]) == "cab"
