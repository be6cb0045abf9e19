"""What a summary of coded mistakes holds: shares by category and severity, tests between two files, and their overlap."""

from __future__ import annotations

from dataclasses import dataclass, field

from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, check_level
from regauge.records.mistakes.coded import STANDARD_NAMES

MAX_PERMUTATIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class MistakesSettings:
    """How to summarise mistakes.

    Attributes:
        level: nominal coverage of every interval.
        seed: start of the permutations.
        n_permutations: how many times the mistakes on all images are swapped at random.
    """

    level: float = DEFAULT_LEVEL
    seed: int = 0
    n_permutations: int = 10_000

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 100 <= self.n_permutations <= MAX_PERMUTATIONS:
            raise InputError(
                f"A permutation test takes 100 to {MAX_PERMUTATIONS:,} permutations, not {self.n_permutations:,}."
            )
        if self.seed < 0:
            raise InputError(f"A seed is a whole number from 0 up, not {self.seed}.")


@dataclass(frozen=True, slots=True)
class ClassPair:
    """Two classes of which one was the dataset label and the other the prediction, in either direction.

    Attributes:
        first: the smaller class index.
        second: the larger class index.
        n: how many mistakes confuse the two.
    """

    first: int
    second: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.second:
            raise InputError(f"A pair names two classes, the smaller index first, not {self.first} and {self.second}.")


@dataclass(frozen=True, slots=True)
class LevelShares:
    """The mistakes whose prediction is that far from the dataset label.

    Attributes:
        level: levels up to the nearest common ancestor, 1 for the same parent and 0 for the same class; None where
            nothing joins the two classes.
        n: the mistakes at this level.
        categories: the share of each category among them, in the order of the file's categories.
    """

    level: int | None
    n: int
    categories: tuple[Share[float | None], ...]


@dataclass(frozen=True, slots=True)
class FileSummary:
    """One file of coded mistakes in numbers.

    Attributes:
        name: what outputs call it.
        n: all its mistakes.
        categories: the share of each category, in the order of `category_names`.
        severities: the share of each severity, in the order of `FOLDED_SEVERITIES`: borderline ones are minor.
        table: one row per category with the share of each severity, all of the whole file.
        major_by_category: the share of major mistakes within each category.
        n_labelled: the mistakes on images whose dataset label is known; None where no dataset labels were given.
        class_pairs: the confused class pairs, the most frequent first; None where no dataset labels were given.
        levels: the categories by ancestor level; None where there are no dataset labels or no hierarchy.
        category_names: the categories that are counted: the four of Vasudevan et al. (2022), `other` where it occurs, or the
            list of the study.
        n_borderline: how many of the minor mistakes were entered as borderline.
    """

    name: str
    n: int
    categories: tuple[Share[float | None], ...]
    severities: tuple[Share[float | None], ...]
    table: tuple[tuple[Share[float | None], ...], ...]
    major_by_category: tuple[Share[float | None], ...]
    n_labelled: int | None = None
    class_pairs: tuple[ClassPair, ...] | None = None
    levels: tuple[LevelShares, ...] | None = None
    category_names: tuple[str, ...] = STANDARD_NAMES[:4]
    n_borderline: int = 0


@dataclass(frozen=True, slots=True)
class Independence:
    """Whether two files spread their mistakes differently, by chi-square and by permutation.

    Attributes:
        chi2: the statistic, without Yates' correction; None where only one kind of mistake occurs.
        dof: its degrees of freedom; 0 where there is no test.
        p: its p-value, which takes the mistakes of the two files for independent; None where there is no test.
        n: the mistakes of both files.
        min_expected: the smallest count that independence would expect among the kinds that occur.
        p_permutation: the p-value by permutation within images; None where the files share no image.
        n_images: the images that were permuted; None likewise.
    """

    chi2: float | None
    dof: int
    p: float | None
    n: int
    min_expected: float | None = None
    p_permutation: float | None = None
    n_images: int | None = None


@dataclass(frozen=True, slots=True)
class SharedMistakes:
    """How two files overlap, in images.

    Attributes:
        n_same_prediction: images in both with a prediction in common.
        n_different_prediction: images in both without one.
        n_only_first: images of the first file alone.
        n_only_second: images of the second file alone.
    """

    n_same_prediction: int
    n_different_prediction: int
    n_only_first: int
    n_only_second: int

    @property
    def n_shared(self) -> int:
        """The images in both files."""
        return self.n_same_prediction + self.n_different_prediction


@dataclass(frozen=True, slots=True)
class MajorsFixed:
    """Whether major mistakes of one participant are the first that another corrects.

    Attributes:
        first: whose coded mistakes they are.
        second: who corrects or keeps them.
        corrected: the share of major ones among those that the second corrects.
        kept: likewise among those on images that the second gets wrong too, with whichever answer.
        difference: corrected minus kept, by Newcombe; above 0, major mistakes are corrected more often than minor ones.
        test: chi-square without Yates' correction.
        p_exact: Fisher's exact test; None where there is no test.
        n_left_out: coded mistakes of which it is not known whether they are corrected.
    """

    first: str
    second: str
    corrected: Share[float | None]
    kept: Share[float | None]
    difference: Estimate[float | None]
    test: Independence
    p_exact: float | None = None
    n_left_out: int = 0


@dataclass(frozen=True, slots=True)
class MistakesComparison:
    """Two files of coded mistakes against each other, and whether the second corrects major mistakes of the first."""

    category: Independence
    severity: Independence
    shared: SharedMistakes
    majors: MajorsFixed


@dataclass(frozen=True, slots=True)
class MistakesSummary:
    """One or two files of coded mistakes in numbers, and how two of them differ.

    Attributes:
        files: one summary per file.
        comparison: the tests and the overlap; None for a single file.
        settings: how they were computed.
        notes: what the reader should know, a sentence each.
    """

    files: tuple[FileSummary, ...]
    comparison: MistakesComparison | None = None
    settings: MistakesSettings = field(default_factory=MistakesSettings)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FixedMistakes:
    """Coded mistakes, and who corrects which of them.

    Attributes:
        coded: whose mistakes they are, as outputs call them.
        n: how many were coded.
        n_major: those among them that are major.
        test_set: what outputs call the images.
        labels: the label set, with its version where it has one.
        fixes: one entry per participant, in their order.
        p_adjusted: Fisher's exact p-values, adjusted by Holm for all of these participants; None where there is no test.
        is_strict: unclear answers are mistakes too.
        notes: what the reader should know, a sentence each.
    """

    coded: str
    n: int
    n_major: int
    test_set: str
    labels: str
    fixes: tuple[MajorsFixed, ...]
    p_adjusted: tuple[float | None, ...]
    is_strict: bool = False
    notes: tuple[str, ...] = ()
