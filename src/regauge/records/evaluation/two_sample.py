"""Whether two test sets can be told apart by the features of their images."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import regauge.frames as pl
from regauge.columns import ColumnTypes
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, check_level, format_plain, to_fields
from regauge.records.results import Result

TWO_SAMPLE_COLUMNS = ColumnTypes(
    {
        "first": "String",
        "second": "String",
        "by_class": "Boolean",
        "n_first": "Int64",
        "n_second": "Int64",
        "n_shared": "Int64",
        "n_identical": "Int64",
        "n_pairs": "Int64",
        "n_classes": "Int64",
        "n_features": "Int64",
        "n_components": "Int64",
        "n_folds": "Int64",
        "n_correct": "Int64",
        "accuracy": "Float64",
        "accuracy_low": "Float64",
        "accuracy_high": "Float64",
        "auc": "Float64",
        "auc_low": "Float64",
        "auc_high": "Float64",
        "p": "Float64",
        "n_permutations": "Int64",
    }
)
"""Names and types of the columns of a test."""

LIKENESS_COLUMNS = ColumnTypes(
    {
        "test_set": "String",
        "image_id": "String",
        "class": "Int64",
        "other_probability": "Float64",
    }
)
"""Names and types of the columns of an image."""


@dataclass(frozen=True, slots=True)
class TwoSampleSettings:
    """How two sets are told apart.

    Attributes:
        by_class: compare within classes, so that their proportions do not count as a difference.
        n_components: principal components that the features are cut to.
        n_folds: parts of the images, each judged by a fit on the others.
        n_permutations: how many times labels are swapped within pairs for the p-value.
        seed: start of the pairs, the folds and the swaps.
        level: nominal coverage of every interval.
    """

    by_class: bool = False
    n_components: int = 256
    n_folds: int = 5
    n_permutations: int = 199
    seed: int = 0
    level: float = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        check_level(self.level)
        limits = {"n_components": (1, 4_096), "n_folds": (2, 20), "n_permutations": (19, 100_000)}
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise InputError(f"A two-sample test takes {name} from {low} to {high:,}, not {value:,}.")
        if not 0 <= self.seed < 2**64:
            raise InputError(f"A seed is a whole number from 0 to 2**64 - 1, not {self.seed}.")


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much an image looks like one of the other set.

    Attributes:
        test_set: the set that it is in.
        image_id: the image.
        class_index: its class, where classes are known.
        other_probability: by the fit on other images, that it is of the other set; ½ says nothing.
    """

    test_set: str
    image_id: str
    class_index: int | None
    other_probability: float


@dataclass(frozen=True, slots=True, eq=False)
class TwoSample(Result):
    """A classifier two-sample test (Lopez-Paz & Oquab 2017).

    Attributes:
        first: name of the first set.
        second: name of the second set.
        n_first: its images with features.
        n_second: likewise.
        n_shared: image ids that both sets have; these images are left out of both.
        n_identical: further images left out because another has the very same features.
        n_pairs: images of either set that take part, as many of each.
        n_classes: classes that take part; None where classes play no part.
        n_features: features of an image.
        n_components: principal components that they were cut to.
        accuracy: the share of held-out images on the right side, of 2 · n_pairs; ½ where the sets cannot be told apart.
        auc: the chance that a held-out image of the second set looks more like that set than one of the first; ½ where the
            sets cannot be told apart.
        p: of the hypothesis that it is chance which image is in which set.
        likenesses: the images that take part, those that look most like the other set first.
        settings: how it was done.
        notes: what the reader should know, a sentence each.
    """

    first: str
    second: str
    n_first: int
    n_second: int
    n_shared: int
    n_identical: int
    n_pairs: int
    n_classes: int | None
    n_features: int
    n_components: int
    accuracy: Share[float]
    auc: Estimate[float]
    p: float
    likenesses: tuple[Likeness, ...]
    settings: TwoSampleSettings
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<TwoSample of {self.first} and {self.second}: AUC {self.auc.value:.3f}, p = {self.p:.3g}>"

    def describe(self) -> str:
        """What was found, in one sentence with its numbers."""
        alpha = 1 - self.settings.level
        verdict = "are told apart" if self.p <= alpha else "are not told apart"
        within = " within their classes" if self.settings.by_class else ""
        return (
            f"Images of {self.first} and of {self.second} {verdict}{within} by these features: held-out accuracy {self.accuracy} "
            f"(n = {self.accuracy.n:,}), AUC {format_plain(self.auc, decimals=3)}, p = {self.p:.3g} "
            f"({self.settings.n_permutations:,} permutations)."
        )

    def to_frame(self) -> pl.DataFrame:
        """The test as one row; fractions, not percentages."""
        estimates = {"n_correct": self.accuracy.k, **to_fields(self.accuracy, "accuracy"), **to_fields(self.auc, "auc")}
        settings = {name: getattr(self.settings, name) for name in ("by_class", "n_folds", "n_permutations")}
        others = [name for name in TWO_SAMPLE_COLUMNS if name not in estimates and name not in settings]
        row = {**estimates, **settings, **{name: getattr(self, name) for name in others}}
        return pl.DataFrame([row], schema=dict(TWO_SAMPLE_COLUMNS))

    def to_likeness_frame(self) -> pl.DataFrame:
        """One row per image, those that look most like the other set first."""
        rows = [
            {"class" if key == "class_index" else key: v for key, v in asdict(one).items()} for one in self.likenesses
        ]
        return pl.DataFrame(rows, schema=dict(LIKENESS_COLUMNS))


@dataclass(frozen=True, slots=True)
class TwoSampleEntry:
    """A two-sample test that a study keeps.

    Attributes:
        id: the number under which it is stored.
        first: the first test set.
        second: the second test set.
        by_class: whether they were compared within classes.
        n_pairs: images of either set that took part.
        auc: how well held-out images were told apart.
        p: of the hypothesis that it is chance which image is in which set.
        code_version: the version of Regauge.
        created_at: when.
    """

    id: int
    first: str
    second: str
    by_class: bool
    n_pairs: int
    auc: float
    p: float
    code_version: str
    created_at: str
