"""Candidates for CLASSIFY: every rule and clause, and the rules once more in plain Python as an oracle."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.candidates.selection_counts import make_counts, make_labels

from regauge.candidates.final import find_candidates
from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.candidates import Candidates
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy
from regauge.taxonomy.hierarchy import count_path_length, count_path_lengths

IMAGENET = load_taxonomy("imagenet-1k")
TENCH, GOLDFISH, WHITE_SHARK = 0, 1, 2
LAPTOP, NOTEBOOK, DESK = 620, 681, 526
DOGS = range(151, 165)
"""Breeds, few edges from each other."""


def choose(counts: dict[int, tuple[int, int]], label: int, taxonomy: Taxonomy = IMAGENET) -> Candidates:
    return find_candidates(make_counts({"a": counts}), make_labels(a=label), taxonomy=taxonomy)


def make_classes(n: int) -> tuple[ImageClass, ...]:
    return tuple(ImageClass(ClassIndex(index), NodeId(f"c{index}"), (f"c{index}",)) for index in range(n))


def list_rules(found: Candidates) -> list[tuple[int, str, str]]:
    return [(row["class"], row["rule"], row["cut"]) for row in found.to_frame().to_dicts()]


def test_the_rules_come_in_their_order_each_by_frequency_then_index() -> None:
    # Laptop is the dataset label. Desk and tench: half and more. Goldfish: some, and far from a laptop. Notebook: some, but near.
    counts = {NOTEBOOK: (4, 9), LAPTOP: (2, 9), TENCH: (5, 9), GOLDFISH: (1, 9), DESK: (5, 10), WHITE_SHARK: (0, 9)}
    assert list_rules(choose(counts, LAPTOP)) == [
        (LAPTOP, "dataset-label", ""),
        (TENCH, "frequent", ""),
        (DESK, "frequent", ""),
        (GOLDFISH, "distant", ""),
        (NOTEBOOK, "fill", ""),
    ]


def test_the_dataset_label_is_a_candidate_even_if_nobody_selected_it() -> None:
    assert list_rules(choose({LAPTOP: (0, 9)}, LAPTOP)) == [(LAPTOP, "dataset-label", "")]


def test_filling_stops_at_five_and_takes_equal_frequencies_by_index() -> None:
    counts = dict.fromkeys(DOGS, (3, 9)) | {DOGS[0]: (4, 9)}
    found = choose(counts, DOGS[3])
    assert found.classes[found.is_candidate].tolist() == [DOGS[3], DOGS[0], DOGS[1], DOGS[2], DOGS[4]]
    assert found.ranks.tolist() == [1, 2, 3, 4, 5]


def test_labels_past_the_sixth_are_cut_when_selected_less_often_than_the_dataset_label() -> None:
    # The dataset label has 7/9; eight others are frequent, of which the last three stand past the sixth place.
    counts = dict.fromkeys(DOGS[1:7], (8, 9)) | {DOGS[7]: (7, 9), DOGS[8]: (6, 9), DOGS[0]: (7, 9)}
    rules = list_rules(choose(counts, DOGS[0]))
    assert [cut for *_, cut in rules] == [""] * 6 + ["", "", "below-dataset-label"]


def test_labels_past_the_sixth_are_cut_when_the_dataset_label_is_rare() -> None:
    counts = dict.fromkeys(DOGS[1:8], (8, 9)) | {DOGS[0]: (1, 8)}
    assert [cut for *_, cut in list_rules(choose(counts, DOGS[0]))] == [""] * 6 + ["dataset-label-rare"] * 2
    # 1/7 is more than 1/8.
    counts[DOGS[0]] = (1, 7)
    assert [cut for *_, cut in list_rules(choose(counts, DOGS[0]))] == [""] * 8


def test_a_pair_that_nobody_was_shown_goes_back_into_the_queue() -> None:
    found = choose({LAPTOP: (9, 9), DESK: (0, 0), TENCH: (0, 9)}, LAPTOP)
    rows = found.to_frame().to_dicts()
    assert [(row["class"], row["rank"], row["ask_again"]) for row in rows] == [(LAPTOP, 1, False), (DESK, None, True)]
    assert rows[1]["selection_frequency"] is rows[1]["low"] is None
    assert found.notes[0].startswith("1 pairs of 1 images have no accepted answer; ask about them again")


def test_a_dataset_label_that_nobody_was_shown_is_offered_and_asked_about_and_cuts_nothing() -> None:
    found = choose(dict.fromkeys(DOGS[1:9], (8, 9)), DOGS[0])
    assert found.ask_again.tolist() == [True] + [False] * 8
    assert found.is_candidate.all()


def test_without_a_hierarchy_no_label_is_distant_and_a_note_says_so() -> None:
    found = choose({0: (9, 9), 1: (1, 9)}, 0, Taxonomy("flat", make_classes(3)))
    assert list_rules(found)[1] == (1, "fill", "")
    assert "flat has no hierarchy" in found.notes[0]


def test_classes_that_nothing_joins_are_distant() -> None:
    parents = {NodeId("c0"): (NodeId("top"),), NodeId("c1"): (NodeId("other"),)}
    apart = Taxonomy("apart", make_classes(2), parents=parents)
    assert list_rules(choose({0: (9, 9), 1: (1, 9)}, 0, apart))[1] == (1, "distant", "")


def test_an_image_without_a_dataset_label_is_refused() -> None:
    with pytest.raises(InputError, match="Image 'a' has selection counts but no dataset label"):
        find_candidates(make_counts({"a": {0: (1, 2)}}), make_labels(b=0), taxonomy=IMAGENET)


def test_many_path_lengths_are_those_of_single_pairs() -> None:
    firsts, seconds = [TENCH, LAPTOP, LAPTOP], [GOLDFISH, NOTEBOOK, TENCH]
    ids = [(IMAGENET.classes[a].id, IMAGENET.classes[b].id) for a, b in zip(firsts, seconds, strict=True)]
    assert list(count_path_lengths(IMAGENET, firsts, seconds)) == [count_path_length(IMAGENET, a, b) for a, b in ids]


def apply_rules(counts: dict[int, tuple[int, int]], label: int) -> list[tuple[int, str, str]]:
    """METHODS by the letter, one image, plain Python."""
    share = {one: Fraction(k, n) for one, (k, n) in counts.items() if n}
    own = share.get(label)
    ranked = sorted((one for one in share if one != label and share[one]), key=lambda one: (-share[one], one))
    chosen = [(label, "dataset-label")]
    chosen += [(one, "frequent") for one in ranked if share[one] >= Fraction(1, 2)]
    ids = [one.id for one in IMAGENET.classes]
    named = {one for one, _ in chosen}
    far = [one for one in ranked if one not in named and (count_path_length(IMAGENET, ids[one], ids[label]) or 0) > 5]
    chosen += [(one, "distant") for one in far]
    named |= set(far)
    rest = [one for one in ranked if one not in named]
    chosen += [(one, "fill") for one in rest[: max(0, 5 - len(chosen))]]
    cuts = []
    for place, (one, rule) in enumerate(chosen):
        cut = ""
        if place >= 6 and own is not None and share[one] < own:
            cut = "below-dataset-label"
        elif place >= 6 and own is not None and own <= Fraction(1, 8):
            cut = "dataset-label-rare"
        cuts.append((one, rule, cut))
    return cuts


pairs = st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(max_examples=60)
@given(
    st.dictionaries(st.sampled_from([*DOGS, TENCH, GOLDFISH, LAPTOP, NOTEBOOK]), pairs, min_size=1),
    st.sampled_from(DOGS),
)
def test_the_rules_by_the_letter_give_the_same(counts: dict[int, tuple[int, int]], label: int) -> None:
    found = [row for row in list_rules(choose(counts, label)) if row[1]]
    assert found == apply_rules(counts, label)
