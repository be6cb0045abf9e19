"""Coded mistakes in numbers: category by severity, two files against each other, confused classes, ancestor levels.

The analysis is that of Vasudevan et al. (2022), When does dough become a bagel?, section 4, with an interval for every
share and a permutation within images where two files share some.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import NO_CLASS, CountArray, IntArray
from regauge.errors import InputError
from regauge.estimates import Share, count_things, make_share
from regauge.mistakes.fixing import compare_files
from regauge.records.mistakes.coded import (
    FOLDED_SEVERITIES,
    SEVERITIES,
    STANDARD_NAMES,
    Category,
    CodeArray,
    CodedMistakes,
    Severity,
    fold_severities,
)
from regauge.records.mistakes.summaries import (
    ClassPair,
    FileSummary,
    Independence,
    LevelShares,
    MistakesComparison,
    MistakesSettings,
    MistakesSummary,
    SharedMistakes,
)
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.stats.independence import NO_MISTAKE, chi_square, permutation_test_by_image
from regauge.stats.intervals import clopper_pearson
from regauge.taxonomy.hierarchy import count_ancestor_levels

MIN_EXPECTED = 5
"""Below this expected count in a cell, the p-value of chi-square is only a rough one (Cochran 1954)."""


def summarise_mistakes(
    files: Sequence[CodedMistakes],
    settings: MistakesSettings,
    *,
    rng: np.random.Generator,
    test_set: TestSet | None = None,
    taxonomy: Taxonomy | None = None,
) -> MistakesSummary:
    """One or two files in numbers; two are compared as well.

    Args:
        files: the coded mistakes.
        settings: level and number of permutations.
        rng: the source of the permutations.
        test_set: the dataset labels, for confused class pairs and, with a hierarchy, ancestor levels.
        taxonomy: the classes and the hierarchy above them.

    Raises:
        InputError: there are no files, or more than two, or dataset labels were given and no image has one.
    """
    if not 1 <= len(files) <= 2:
        raise InputError(f"One or two files of coded mistakes are summarised, not {len(files)}.")
    names = list_categories(files)
    summaries = tuple(_summarise_file(mistakes, names, level=settings.level) for mistakes in files)
    notes = tuple(_describe_borderline(summaries))
    if test_set is not None:
        labels = [find_dataset_labels(mistakes, test_set) for mistakes in files]
        _check_labels(files, labels, test_set)
        summaries = tuple(
            _add_labels(summary, mistakes, labels=column, taxonomy=taxonomy, level=settings.level)
            for summary, mistakes, column in zip(summaries, files, labels, strict=True)
        )
        notes = (*notes, *_describe_labels(files, labels, test_set=test_set, taxonomy=taxonomy))
    comparison = compare_mistakes(*files, settings=settings, rng=rng) if len(files) == 2 else None
    if comparison is not None:
        notes = (*notes, *_describe_comparison(files, comparison))
    return MistakesSummary(summaries, comparison, settings, notes)


def list_categories(files: Sequence[CodedMistakes]) -> tuple[str, ...]:
    """The categories that tables of these files have: those of their list, `other` of the standard one only where it occurs.

    Raises:
        InputError: the files were coded with different lists.
    """
    names = files[0].category_names
    for mistakes in files[1:]:
        if mistakes.category_names != names:
            raise InputError(
                f"{files[0].name} and {mistakes.name} were coded with different lists of categories: {', '.join(names)}; and "
                f"{', '.join(mistakes.category_names)}. Only codes of one list can be compared."
            )
    if names != STANDARD_NAMES:
        return names
    other = names.index(Category.OTHER)
    has_other = any((mistakes.categories == other).any() for mistakes in files)
    return names if has_other else names[:other]


def count_codes(mistakes: CodedMistakes, names: Sequence[str] | None = None) -> CountArray:
    """How many mistakes there are of each category and severity [k, 2], borderline ones as minor.

    Args:
        mistakes: the coded mistakes.
        names: the first categories of their list; `list_categories` of these mistakes alone by default.
    """
    n_categories = len(list_categories([mistakes]) if names is None else names)
    table = np.zeros((n_categories, len(FOLDED_SEVERITIES)), np.int64)
    severities = fold_severities(mistakes.severities)
    np.add.at(table, (mistakes.categories.astype(np.intp), severities.astype(np.intp)), 1)
    return table


def compare_mistakes(
    first: CodedMistakes, second: CodedMistakes, *, settings: MistakesSettings, rng: np.random.Generator
) -> MistakesComparison:
    """Whether two files spread their mistakes differently over categories and severities, and how far they overlap.

    Chi-square without Yates' correction, as Vasudevan et al. (2022) tested test sets and models. It takes the mistakes of
    the two files for independent, which they are not where two models err on the same images; there the codes are
    permuted within images too. That needs one mistake per image, and is left out where an image has several in a file.
    """
    shared = count_shared(first, second)
    names = list_categories((first, second))
    tables = [count_codes(mistakes, names) for mistakes in (first, second)]
    category = _test([table.sum(axis=1) for table in tables])
    severity = _test([table.sum(axis=0) for table in tables])
    if shared.n_shared and _has_one_per_image(first) and _has_one_per_image(second):
        images = np.union1d(first.image_ids, second.image_ids)
        codes = [
            (_place(one.categories, one, images), _place(fold_severities(one.severities), one, images))
            for one in (first, second)
        ]
        n_resamples = settings.n_permutations
        category = _permute(category, codes[0][0], codes[1][0], rng=rng, n_resamples=n_resamples)
        severity = _permute(severity, codes[0][1], codes[1][1], rng=rng, n_resamples=n_resamples)
    return MistakesComparison(category, severity, shared, compare_files(first, second, level=settings.level))


def count_shared(first: CodedMistakes, second: CodedMistakes) -> SharedMistakes:
    """The images that are mistakes in both files, with a prediction in common or without, and in one of them only."""
    pairs = [set(zip(one.image_ids.tolist(), one.predictions.tolist(), strict=True)) for one in (first, second)]
    images = [{image for image, _ in one} for one in pairs]
    n_same = len({image for image, _ in pairs[0] & pairs[1]})
    return SharedMistakes(
        n_same_prediction=n_same,
        n_different_prediction=len(images[0] & images[1]) - n_same,
        n_only_first=len(images[0] - images[1]),
        n_only_second=len(images[1] - images[0]),
    )


def find_dataset_labels(mistakes: CodedMistakes, test_set: TestSet) -> IntArray:
    """The dataset label of the image of each mistake; `NO_CLASS` where the test set does not have it."""
    label_of = dict(zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True))
    return np.array([label_of.get(image_id, NO_CLASS) for image_id in mistakes.image_ids.tolist()], np.int32)


def count_class_pairs(mistakes: CodedMistakes, labels: IntArray) -> tuple[ClassPair, ...]:
    """How often each two classes were confused, in either direction; the most frequent first, then by index.

    Mistakes without a dataset label, and those that predict it, confuse no pair and are left out.
    """
    is_pair = (labels != NO_CLASS) & (labels != mistakes.predictions)
    pairs = np.sort(np.stack([labels[is_pair], mistakes.predictions[is_pair]], axis=1), axis=1)
    counts = Counter(map(tuple, pairs.tolist()))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(ClassPair(first, second, n) for (first, second), n in ordered)


def count_levels(
    mistakes: CodedMistakes, labels: IntArray, *, taxonomy: Taxonomy, level: float, names: Sequence[str] | None = None
) -> tuple[LevelShares, ...]:
    """The share of each category among the mistakes at each ancestor level, nearest first.

    Predictions close to the dataset label in the hierarchy should be fine-grained mistakes more often than distant ones
    (Vasudevan et al. 2022, section 4.1). Mistakes without a dataset label are left out; those whose class nothing in the
    hierarchy joins with the label come last, without a level.
    """
    is_labelled = labels != NO_CLASS
    pairs = zip(labels[is_labelled].tolist(), mistakes.predictions[is_labelled].tolist(), strict=True)
    heights = _count_heights(list(pairs), taxonomy)
    n_categories = len(list_categories([mistakes]) if names is None else names)
    counts: dict[int | None, CountArray] = {}
    for height, category in zip(heights, mistakes.categories[is_labelled].tolist(), strict=True):
        counts.setdefault(height, np.zeros(n_categories, np.int64))[category] += 1
    ordered = sorted(counts, key=lambda height: (height is None, height))
    return tuple(
        LevelShares(height, n := int(counts[height].sum()), _make_shares(counts[height], n, level))
        for height in ordered
    )


def _summarise_file(mistakes: CodedMistakes, names: tuple[str, ...], *, level: float) -> FileSummary:
    counts, n = count_codes(mistakes, names), len(mistakes)
    n_major = counts[:, FOLDED_SEVERITIES.index(Severity.MAJOR)]
    return FileSummary(
        name=mistakes.name,
        n=n,
        categories=_make_shares(counts.sum(axis=1), n, level),
        severities=_make_shares(counts.sum(axis=0), n, level),
        table=tuple(_make_shares(row, n, level) for row in counts),
        major_by_category=_make_shares(n_major, counts.sum(axis=1), level),
        category_names=names,
        n_borderline=int(np.count_nonzero(mistakes.severities == SEVERITIES.index(Severity.BORDERLINE))),
    )


def _add_labels(
    summary: FileSummary, mistakes: CodedMistakes, *, labels: IntArray, taxonomy: Taxonomy | None, level: float
) -> FileSummary:
    levels = None
    if taxonomy is not None and taxonomy.has_hierarchy:
        names = summary.category_names
        levels = count_levels(mistakes, labels, taxonomy=taxonomy, level=level, names=names)
    n_labelled = int(np.count_nonzero(labels != NO_CLASS))
    pairs = count_class_pairs(mistakes, labels)
    return replace(summary, n_labelled=n_labelled, class_pairs=pairs, levels=levels)


def _make_shares(counts: CountArray, totals: ArrayLike, level: float) -> tuple[Share[float | None], ...]:
    wholes = np.broadcast_to(np.asarray(totals), counts.shape)
    low, high = clopper_pearson(counts, wholes, level=level)
    return tuple(
        make_share(k, n, limits=limits, method="clopper-pearson")
        for k, n, *limits in zip(counts.tolist(), wholes.tolist(), low.tolist(), high.tolist(), strict=True)
    )


def _test(rows: Sequence[CountArray]) -> Independence:
    test = chi_square(np.stack(rows))
    if not test.dof:
        return Independence(None, 0, None, test.n)
    return Independence(test.statistic, test.dof, test.p, test.n, float(test.expected[test.expected > 0].min()))


def _permute(
    test: Independence, first: CountArray, second: CountArray, *, rng: np.random.Generator, n_resamples: int
) -> Independence:
    """The test with its p-value by permutation within images."""
    if test.chi2 is None:
        return test
    n_categories = int(max(first.max(), second.max())) + 1
    permuted = permutation_test_by_image(first, second, n_categories=n_categories, rng=rng, n_resamples=n_resamples)
    return replace(test, p_permutation=permuted.p, n_images=permuted.n_images)


def _place(codes: CodeArray, mistakes: CodedMistakes, images: np.ndarray[tuple[int], np.dtype[np.str_]]) -> CountArray:
    """The code of each image, or `NO_MISTAKE`."""
    placed = np.full(len(images), NO_MISTAKE, np.int64)
    placed[np.searchsorted(images, mistakes.image_ids)] = codes
    return placed


def _has_one_per_image(mistakes: CodedMistakes) -> bool:
    return mistakes.n_images == len(mistakes)


def _count_heights(pairs: Sequence[tuple[int, int]], taxonomy: Taxonomy) -> list[int | None]:
    """The ancestor level of each pair of classes."""
    return list(count_ancestor_levels(taxonomy, [first for first, _ in pairs], [second for _, second in pairs]))


def _check_labels(files: Iterable[CodedMistakes], labels: Sequence[IntArray], test_set: TestSet) -> None:
    """Refuse dataset labels of other images than those of the mistakes."""
    if any((column != NO_CLASS).any() for column in labels):
        return
    names = " and ".join(mistakes.name for mistakes in files)
    coded = next((str(image_id) for mistakes in files for image_id in mistakes.image_ids[:1]), "")
    labelled = str(test_set.image_ids[0]) if len(test_set) else ""
    raise InputError(
        f"No image of {names} has a dataset label in {test_set.name}: the first coded image is {coded!r}, the first "
        f"labelled one {labelled!r}."
    )


def _describe_borderline(files: Iterable[FileSummary]) -> Iterator[str]:
    for file in files:
        if file.n_borderline:
            yield f"{file.n_borderline:,} of {file.n:,} mistakes of {file.name} were entered as borderline; they count as minor."


def _describe_labels(
    files: Sequence[CodedMistakes], labels: Sequence[IntArray], *, test_set: TestSet, taxonomy: Taxonomy | None
) -> Iterator[str]:
    for mistakes, column in zip(files, labels, strict=True):
        n_without = int(np.count_nonzero(column == NO_CLASS))
        if n_without:
            yield (
                f"{n_without:,} of {len(mistakes):,} mistakes of {mistakes.name} are on images without a dataset label in "
                f"{test_set.name}; class pairs and ancestor levels leave them out."
            )
        n_same = int(np.count_nonzero(column == mistakes.predictions))
        if n_same:
            yield (
                f"{count_things(n_same, 'mistake')} of {mistakes.name} where the prediction is the dataset label "
                "itself: no class pair is confused."
            )
    if taxonomy is None:
        yield "Ancestor levels need a hierarchy: name a taxonomy that has one with `taxonomy=…`."
    elif not taxonomy.has_hierarchy:
        yield f"Taxonomy {taxonomy.name} has no hierarchy, so there are no ancestor levels."


def _describe_comparison(files: Sequence[CodedMistakes], comparison: MistakesComparison) -> Iterator[str]:
    if comparison.shared.n_shared:
        yield (
            f"{count_things(comparison.shared.n_shared, 'image')} in both files, so the mistakes are not "
            "independent, although the "
            "chi-square test assumes that they are; trust the permutation test by image where there is one."
        )
        for mistakes in files:
            if not _has_one_per_image(mistakes):
                yield f"{mistakes.name} has several mistakes on one image, so there is no permutation by image."
    for name, test in (("category", comparison.category), ("severity", comparison.severity)):
        if test.chi2 is None:
            yield f"There is no test of {name}: all mistakes are of one {name}, or one file has none."
        elif test.min_expected is not None and test.min_expected < MIN_EXPECTED:
            yield (
                f"The chi-square test of {name} is a rough one: independence expects only {test.min_expected:.1f} mistakes "
                f"in one cell, fewer than {MIN_EXPECTED}."
            )
