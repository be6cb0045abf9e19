"""The printed tables of Shankar et al. (2020) against each other: every row is arithmetic that can be done by hand."""

from __future__ import annotations

import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from regauge.records.reproductions import Basis, FigureAgreement, ReproducedFigure
from regauge.workflows.reproduce.checks import Figures
from regauge.workflows.reproduce.shankar2020_tables import check_tables

FOUND = {one.figure: one for one in check_tables(Figures("shankar2020"))}


def find(words: str) -> ReproducedFigure:
    (found,) = [one for name, one in FOUND.items() if words in name]
    return found


def test_every_figure_stands_as_it_is_known_to() -> None:
    assert all(one.basis is Basis.ARITHMETIC for one in FOUND.values())
    assert not any(one.is_surprising for one in FOUND.values())


@pytest.mark.parametrize(
    ("figure", "published", "recomputed"),
    [
        # 84.2 − 75.7 and 97.3 − 96.5.
        ("gap of ResNet50", "8.4", "8.5"),
        ("gap of Human E", "0.7", "0.8"),
        ("Human E on all images of ImageNet,", "97.3", "97.2"),
        # (2.3 + 2.2 + 2.2 + 1.6 + 1.5) / 5 = 1.96, and (5.6 + 3.9 + 3.1 + 3.6 + 0.5) / 5 = 3.34.
        ("gain of people without dogs, ImageNet,", "1.9", "2.0"),
        ("gain of people on objects, ImageNetV2", "3.4", "3.3"),
        # 96.0 − 95.5 and 90.1 − 89.6.
        ("best model without dogs, ImageNet,", "+0.6", "+0.5"),
        ("best model without dogs, ImageNetV2", "+1.1", "+0.5"),
        ("fast images of ImageNet", "77% (756 of 1,000)", "76% (756 of 1,000)"),
    ],
)
def test_what_differs_is_the_difference_of_printed_numbers(figure: str, published: str, recomputed: str) -> None:
    found = next(one for name, one in FOUND.items() if figure in name)
    assert (found.published, found.recomputed, found.agreement) == (published, recomputed, FigureAgreement.DIFFERS)


def test_the_rest_of_the_tables_agrees() -> None:
    equal = [name for name, one in FOUND.items() if one.agreement is FigureAgreement.EQUAL]
    # Six gaps of eight, eleven of twelve accuracies, two of four gains, and the best model on objects twice.
    assert len(equal) == 6 + 11 + 2 + 2


def test_so_many_images_must_count_for_the_printed_percentages() -> None:
    # 756 / 976 = 77.46% and 756 / 988 = 76.52%, but 756 / 975 = 77.54% and 756 / 989 = 76.44%.
    notes = [one.note for name, one in FOUND.items() if "fast images" in name]
    assert notes == ["77% needs 976 to 988 images that count", "73% needs 972 to 984 images that count"]


def test_no_counts_give_the_printed_p_by_the_exact_test_and_one_pair_does_by_the_corrected_one() -> None:
    found = find("Human E against FixRes")
    assert (found.published, found.recomputed) == ("p = 0.037", "none fits")
    assert found.note.endswith("by the chi-square with continuity correction: 38 against 21 fits")
    corrected = mcnemar([[0, 38], [21, 0]], exact=False, correction=True).pvalue
    assert round(corrected, 4) == 0.0372
    # (38 − 21 − 1)² / 59 = 4.339.
    assert corrected == pytest.approx(stats.chi2.sf(16**2 / 59, 1))


def test_counts_for_the_second_test_are_there() -> None:
    found = find("Human B against FixRes")
    assert found.agreement is FigureAgreement.CONSISTENT
    assert found.recomputed == "4 fit, 81 against 39 to 84 against 42"
    assert round(mcnemar([[0, 81], [39, 0]], exact=True).pvalue, 4) == 0.0002
