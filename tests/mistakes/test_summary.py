"""Coded mistakes in numbers: worked examples, an oracle, and what holds whatever the mistakes are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from regauge.errors import InputError
from regauge.mistakes.summary import (
    compare_mistakes,
    count_class_pairs,
    count_codes,
    count_levels,
    count_shared,
    find_dataset_labels,
    summarise_mistakes,
)
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.mistakes.summaries import ClassPair, MistakesComparison, MistakesSettings, MistakesSummary
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy
from regauge.records.testsets.test_set import TestSet

SETTINGS = MistakesSettings(n_permutations=1_000)

# Four classes: tabby and siamese are cats, pug is a dog, all of them animals; the island stands alone.
PARENTS = {"tabby": ("cat",), "siamese": ("cat",), "pug": ("dog",), "cat": ("animal",), "dog": ("animal",)}
TOY = Taxonomy(
    "toy",
    tuple(
        ImageClass(ClassIndex(index), NodeId(name), (name,))
        for index, name in enumerate(["tabby", "siamese", "pug", "island"])
    ),
    parents={NodeId(child): tuple(map(NodeId, above)) for child, above in PARENTS.items()},
)
FLAT = Taxonomy("flat", TOY.classes)


def code(rows: Sequence[tuple[str, int, int, int]], name: str = "first") -> CodedMistakes:
    image_ids, predictions, categories, severities = zip(*rows, strict=True) if rows else ((), (), (), ())
    return CodedMistakes(
        name,
        np.array(image_ids, np.str_),
        np.array(predictions, np.int32),
        categories=np.array(categories, np.int8),
        severities=np.array(severities, np.int8),
    )


def from_counts(table: Sequence[Sequence[int]], prefix: str) -> CodedMistakes:
    """Mistakes with that table [category, severity], each on an image of its own."""
    codes = [(k, s) for k, row in enumerate(table) for s, n in enumerate(row) for _ in range(n)]
    return code([(f"{prefix}{i}", 0, k, s) for i, (k, s) in enumerate(codes)], prefix)


def compare(first: CodedMistakes, second: CodedMistakes) -> MistakesComparison:
    return compare_mistakes(first, second, settings=SETTINGS, rng=np.random.default_rng(0))


def summarise(*files: CodedMistakes, **options: object) -> MistakesSummary:
    return summarise_mistakes(files, SETTINGS, rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]


MISTAKES = code([("a", 1, 0, 0), ("b", 0, 0, 1), ("c", 2, 2, 0), ("d", 3, 3, 1), ("e", 2, 0, 1)])


def test_codes_are_counted_by_category_and_severity() -> None:
    assert count_codes(MISTAKES).tolist() == [[1, 2], [0, 0], [1, 0], [0, 1]]


def test_every_share_has_its_n_and_its_interval() -> None:
    (file,) = summarise(MISTAKES).files
    assert [(share.k, share.n) for share in file.categories] == [(3, 5), (0, 5), (1, 5), (1, 5)]
    assert [share.value for share in file.severities] == [0.4, 0.6]
    assert [[share.k for share in row] for row in file.table] == [[1, 2], [0, 0], [1, 0], [0, 1]]
    assert [(share.k, share.n) for share in file.major_by_category] == [(1, 3), (0, 0), (1, 1), (0, 1)]
    # No mistake of a category: the share of majors in it is unknown, not 0.
    assert (file.major_by_category[1].value, file.major_by_category[1].low) == (None, None)
    # Clopper–Pearson limits are quantiles of beta distributions: 3 of 5 gives Beta(3, 3) and Beta(4, 2).
    assert file.categories[0].low == pytest.approx(stats.beta.ppf(0.025, 3, 3))
    assert file.categories[0].high == pytest.approx(stats.beta.ppf(0.975, 4, 2))


def test_the_level_reaches_every_interval() -> None:
    settings = MistakesSettings(level=0.5)
    summary = summarise_mistakes([MISTAKES], settings, rng=np.random.default_rng(0))
    share = summary.files[0].severities[0]
    assert share.method == "clopper-pearson"
    # 2 of 5: Beta(2, 4) and Beta(3, 3).
    assert share.low == pytest.approx(stats.beta.ppf(0.25, 2, 4))
    assert share.high == pytest.approx(stats.beta.ppf(0.75, 3, 3))


def test_one_file_has_nothing_to_be_compared_with() -> None:
    assert summarise(MISTAKES).comparison is None
    assert summarise(MISTAKES).notes == ()


@pytest.mark.parametrize("n_files", [0, 3])
def test_one_or_two_files_are_summarised(n_files: int) -> None:
    with pytest.raises(InputError, match=f"One or two files of coded mistakes are summarised, not {n_files}"):
        summarise(*[MISTAKES] * n_files)


def test_no_mistakes_give_no_shares() -> None:
    (file,) = summarise(code([])).files
    assert {share.value for share in (*file.categories, *file.severities)} == {None}


def test_a_worked_chi_square_of_severity() -> None:
    # Majors 10 of 20 and 5 of 20: 7.5 are expected in each, so 4 cells with 2.5² / 7.5 or 2.5² / 12.5:
    # 2 · (6.25 / 7.5) + 2 · (6.25 / 12.5) = 1.6667 + 1 = 2.6667.
    test = compare(from_counts([[10, 10]], "a"), from_counts([[5, 15]], "b")).severity
    assert test.chi2 == pytest.approx(8 / 3)
    assert (test.dof, test.n, test.min_expected) == (1, 40, 7.5)
    assert (test.p_permutation, test.n_images) == (None, None)


@given(st.lists(st.lists(st.integers(0, 30), min_size=2, max_size=2), min_size=8, max_size=8))
def test_the_tests_agree_with_scipy(rows: list[list[int]]) -> None:
    tables = np.array(rows).reshape(2, 4, 2)
    comparison = compare(from_counts(rows[:4], "a"), from_counts(rows[4:], "b"))
    for test, margins in ((comparison.category, tables.sum(axis=2)), (comparison.severity, tables.sum(axis=1))):
        assert test.n == margins.sum()
        kept = margins[margins.sum(axis=1) > 0][:, margins.sum(axis=0) > 0]
        if min(kept.shape) < 2:
            assert (test.chi2, test.dof, test.p) == (None, 0, None)
        else:
            oracle = stats.chi2_contingency(kept, correction=False)
            assert (test.chi2, test.p) == pytest.approx((oracle.statistic, oracle.pvalue))
            assert test.dof == oracle.dof
            assert test.min_expected == pytest.approx(oracle.expected_freq.min())


def test_the_same_mistakes_do_not_differ() -> None:
    comparison = compare(MISTAKES, MISTAKES)
    for test in (comparison.category, comparison.severity):
        assert test.chi2 == pytest.approx(0, abs=1e-12)
        assert (test.p_permutation, test.n_images) == (1.0, 5)


def test_permutation_joins_by_image_and_not_by_position() -> None:
    rng = np.random.default_rng(1)
    first = code([(f"i{i}", 0, 0, int(s)) for i, s in enumerate(rng.integers(0, 2, 60))])
    rows = [(f"i{i}", 1, int(k), int(s)) for i, (k, s) in enumerate(rng.integers(0, 2, (60, 2)), start=20)]
    shuffled = [rows[i] for i in rng.permutation(60)]
    assert compare(first, code(rows)) == compare(first, code(shuffled))
    assert compare(first, code(rows)).category.n_images == 80


def test_shared_mistakes_coded_alike_leave_the_few_that_differ_to_decide() -> None:
    # 100 images are minor in both files; 6 more are major in the first and minor in the second. By chi-square 6 majors of
    # 106 against none of 106 are p = 0.013; swapped within images, both tables are as uneven as this only if all 6 go
    # the same way, which has the probability 2 · 2⁻⁶ = 1/32.
    first = code([(f"i{i}", 0, 0, 1 if i < 100 else 0) for i in range(106)])
    second = code([(f"i{i}", 0, 0, 1) for i in range(106)], "second")
    settings = MistakesSettings(n_permutations=20_000)
    test = compare_mistakes(first, second, settings=settings, rng=np.random.default_rng(0)).severity
    assert test.p == pytest.approx(0.0130, abs=5e-5)
    assert test.p_permutation == pytest.approx(1 / 32, abs=4 * (1 / 32 / 20_000) ** 0.5)


def test_several_mistakes_on_an_image_leave_the_permutation_out_and_say_so() -> None:
    second = code([("a", 1, 0, 0), ("a", 2, 1, 1), ("z", 0, 2, 0)], "second")
    summary = summarise(MISTAKES, second)
    assert summary.comparison is not None
    assert summary.comparison.category.chi2 is not None
    assert summary.comparison.category.p_permutation is None
    assert "second has several mistakes on one image, so there is no permutation by image." in summary.notes


def test_overlap_is_counted_in_images() -> None:
    second = code([("a", 1, 1, 1), ("b", 3, 0, 0), ("b", 2, 0, 0), ("c", 2, 0, 0), ("c", 1, 0, 0), ("z", 0, 0, 0)])
    shared = count_shared(MISTAKES, second)
    # a and c have a prediction in common, b has not; d and e are only in the first, z only in the second.
    assert (shared.n_same_prediction, shared.n_different_prediction) == (2, 1)
    assert (shared.n_only_first, shared.n_only_second) == (2, 1)


PAIRS = st.sets(st.tuples(st.sampled_from("abcdef"), st.integers(0, 2)), max_size=12)


@given(PAIRS, PAIRS)
def test_overlap_adds_up_and_mirrors(first: set[tuple[str, int]], second: set[tuple[str, int]]) -> None:
    one, other = (code([(*pair, 0, 0) for pair in sorted(pairs)]) for pairs in (first, second))
    shared, mirrored = count_shared(one, other), count_shared(other, one)
    assert shared.n_shared + shared.n_only_first == one.n_images
    assert shared.n_shared + shared.n_only_second == other.n_images
    assert (shared.n_same_prediction, shared.n_only_first) == (mirrored.n_same_prediction, mirrored.n_only_second)


def test_notes_say_what_the_tests_rest_on() -> None:
    summary = summarise(MISTAKES, code([("a", 1, 0, 0), ("y", 0, 0, 0)], "second"))
    assert summary.notes[0].startswith("1 image in both files, so the mistakes are not independent")
    # 2 of 7 mistakes are in the second file and 1 is non-prototypical: 2/7 is expected where the two meet.
    assert summary.notes[1].startswith("The chi-square test of category is a rough one: independence expects only 0.3 ")
    only = summarise(from_counts([[3, 0]], "a"), from_counts([[4, 0]], "b"))
    assert only.notes[0] == "There is no test of category: all mistakes are of one category, or one file has none."


LABELS = TestSet("val", np.array(["e", "d", "c", "b", "a"]), np.array([1, 0, 0, 1, 0]))


def test_dataset_labels_are_found_by_image() -> None:
    partly = TestSet("val", np.array(["c", "a"]), np.array([7, 5]))
    assert find_dataset_labels(MISTAKES, partly).tolist() == [5, -1, 7, -1, -1]


def test_class_pairs_have_no_direction_and_the_most_frequent_comes_first() -> None:
    labels = find_dataset_labels(MISTAKES, LABELS)
    # tabby → siamese and siamese → tabby are one pair, confused twice.
    assert count_class_pairs(MISTAKES, labels) == (
        ClassPair(0, 1, n=2),
        ClassPair(0, 2, n=1),
        ClassPair(0, 3, n=1),
        ClassPair(1, 2, n=1),
    )


def test_a_prediction_of_the_dataset_label_and_an_unlabelled_image_confuse_no_pair() -> None:
    assert count_class_pairs(MISTAKES, np.array([1, -1, 2, 3, 2], np.int32)) == ()


def test_categories_are_shown_by_ancestor_level() -> None:
    levels = count_levels(MISTAKES, find_dataset_labels(MISTAKES, LABELS), taxonomy=TOY, level=0.95)
    # Same parent: a and b. Same grandparent: c and e. Nothing joins tabby and the island: d.
    assert [(one.level, one.n) for one in levels] == [(1, 2), (2, 2), (None, 1)]
    assert [[share.k for share in one.categories] for one in levels] == [[2, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]
    # 2 of 2: from the 2.5% quantile of Beta(2, 1), √0.025, to 1.
    assert levels[0].categories[0].low == pytest.approx(0.025**0.5)
    assert levels[0].categories[0].high == 1


def test_the_label_itself_is_level_0() -> None:
    (level,) = count_levels(code([("a", 2, 1, 0)]), np.array([2], np.int32), taxonomy=TOY, level=0.95)
    assert (level.level, level.n) == (0, 1)


def test_labels_add_pairs_and_with_a_hierarchy_levels() -> None:
    (plain,) = summarise(MISTAKES, taxonomy=TOY).files
    assert (plain.n_labelled, plain.class_pairs, plain.levels) == (None, None, None)
    (file,) = summarise(MISTAKES, test_set=LABELS, taxonomy=TOY).files
    assert file.n_labelled == 5
    assert file.class_pairs is not None
    assert file.levels is not None
    assert sum(one.n for one in file.levels) == 5
    for taxonomy, note in ((None, "Ancestor levels need a hierarchy"), (FLAT, "Taxonomy flat has no hierarchy")):
        summary = summarise(MISTAKES, test_set=LABELS, taxonomy=taxonomy)
        assert summary.files[0].levels is None
        assert summary.notes[-1].startswith(note)


def test_images_without_a_label_are_counted_and_said() -> None:
    partly = TestSet("val", np.array(["c", "a"]), np.array([0, 1]))
    summary = summarise(MISTAKES, test_set=partly, taxonomy=TOY)
    assert summary.files[0].n_labelled == 2
    assert summary.files[0].class_pairs == (ClassPair(0, 2, n=1),)
    assert summary.notes == (
        "3 of 5 mistakes of first are on images without a dataset label in val; class pairs and ancestor levels leave them out.",
        "1 mistake of first where the prediction is the dataset label itself: no class pair is confused.",
    )


def test_labels_of_other_images_are_refused_unless_one_file_has_some() -> None:
    other = code([("x", 1, 0, 0)], "second")
    with pytest.raises(
        InputError, match="No image of second has a dataset label in val: the first coded image is 'x', "
    ):
        summarise(other, test_set=LABELS, taxonomy=TOY)
    files = summarise(MISTAKES, other, test_set=LABELS, taxonomy=TOY).files
    assert [(file.n_labelled, file.levels == ()) for file in files] == [(5, False), (0, True)]
