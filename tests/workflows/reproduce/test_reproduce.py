"""Reproductions without the released data: the comparisons themselves, missing files and wrong folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from regauge.errors import FormatError, InputError, MissingDataError
from regauge.records.reproductions import Basis, FigureAgreement, ReproducedFigure
from regauge.stats.independence import chi_square
from regauge.workflows.reproduce.checks import Figures, count_fitting, leave_open
from regauge.workflows.reproduce.papers import PAPERS, reproduce
from regauge.workflows.reproduce.recht2019 import _describe_drops
from regauge.workflows.reproduce.tsipras2020_objects import _tell_fifth
from regauge.workflows.reproduce.vasudevan2022 import SOUPS_TESTS, _try_two_more
from regauge.workflows.reproduce.vasudevan2022_arithmetic import check_counts, check_slice, check_soups, format_test

FIGURES = Figures("paper")


def test_figures_are_equal_to_the_printed_digits_or_differ() -> None:
    assert FIGURES.equal("a", published="1.11", recomputed="1.11").agreement is FigureAgreement.EQUAL
    assert FIGURES.equal("a", published="1.11", recomputed="1.12").is_surprising
    assert not FIGURES.differs("a", published="1.11", recomputed="1.12", note="why").is_surprising


def test_why_a_figure_differs_is_not_said_where_it_comes_out() -> None:
    assert FIGURES.differs("a", published="1.11", recomputed="1.12", note="why").note == "why"
    assert FIGURES.differs("a", published="1.11", recomputed="1.11", note="why").note == ""


@pytest.mark.parametrize(
    ("limits", "said"),
    [((0.201, 0.23), ""), ((0.19, 0.23), "; it does not rule out a fifth"), ((0.1, 0.19), "; it lies below a fifth")],
)
def test_what_an_interval_says_of_a_fifth_follows_from_it(limits: tuple[float, float], said: str) -> None:
    assert _tell_fifth(*limits) == said


def test_two_more_mistakes_are_mentioned_only_where_they_give_the_printed_test() -> None:
    # Table 2 prints 378 and 249 mistakes; with two more of the first model, one of them major, p is that of the paper.
    severities = np.array([[154, 224], [89, 160]])
    printed = SOUPS_TESTS[1][1]
    assert format_test(chi_square(np.array([[155, 225], [89, 160]]))) == printed
    assert "with two more mistakes" in _try_two_more(severities, printed)
    assert _try_two_more(severities, "9.99, p = .01") == ""


def test_who_drops_least_is_named_with_all_that_drop_as_little() -> None:
    drops = {"a": 12.0, "b": 10.0, "c": 10.0}
    assert _describe_drops(drops) == ("the 3 convolutional networks drop by 10.0 to 12.0; the least is that of b and c")


def test_a_part_is_consistent_when_its_interval_covers_the_published_share() -> None:
    # 30 of 100 has the 99% Clopper–Pearson interval [0.189, 0.431].
    near = FIGURES.part("a", published=(400, 1_000), found=(30, 100))
    assert (near.agreement, near.published) == (FigureAgreement.CONSISTENT, "40.0% (400 of 1,000)")
    far = FIGURES.part("a", published=(500, 1_000), found=(30, 100))
    assert far.is_surprising
    assert far.recomputed == "30.0% [18.9, 43.1] (30 of 100)"


def test_a_whole_is_compared_exactly() -> None:
    assert FIGURES.whole("a", published=(40, 100), found=(40, 100)).agreement is FigureAgreement.EQUAL
    # 41 of 100 would be well within the interval of a part; of the whole it is another number.
    assert FIGURES.whole("a", published=(40, 100), found=(41, 100)).is_surprising
    known = FIGURES.whole("a", published=(40, 100), found=(41, 100), expected=FigureAgreement.DIFFERS)
    assert (known.is_surprising, known.recomputed) == (False, "41.0% (41 of 100)")


def test_what_was_never_seen_whole_is_no_surprise_either_way() -> None:
    for recomputed in ("1", "2"):
        assert not FIGURES.untried("a", published="1", recomputed=recomputed).is_surprising
    assert not leave_open(FIGURES.statement("a", published="all", recomputed="none", holds=False)).is_surprising


def test_every_figure_that_is_computed_says_what_it_rests_on() -> None:
    made = (
        FIGURES.equal("a", published="1", recomputed="1", basis=Basis.ARITHMETIC),
        FIGURES.equal("b", published="1", recomputed="1", basis=Basis.ROWS),
        FIGURES.every("c", found=(3, 3)),
        FIGURES.whole("d", published=(1, 2), found=(1, 2)),
    )
    assert [figure.verdict for figure in made] == [
        "equal: arithmetic",
        "equal: count of rows",
        "equal: recomputed from data",
        "equal: recomputed from data",
    ]
    assert FIGURES.every("c", found=(2, 3)).is_surprising


def test_intervals_of_whole_numbers_are_recognised() -> None:
    # 1,813 of 2,021 is 89.7% [88.3, 91.0]; no whole number of 50 has an interval as narrow.
    assert [count_fitting([(89.7, 88.3, 91.0)], n) for n in (2_021, 50)] == [1, 0]


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (FormatError(Path("folder/data.npz"), "it is cut short."), "data.npz: it is cut short."),
        (MissingDataError("a.npy", "b.json"), "not in the folders given: a.npy or b.json"),
    ],
)
def test_what_cannot_be_read_makes_the_planned_figures_with_the_reason(error: InputError, note: str) -> None:
    def make() -> Iterator[ReproducedFigure]:
        yield FIGURES.equal("a", published="1", recomputed="1")
        raise error

    figures = list(FIGURES.attempt(make, [("Table 1", "5"), ("Table 2", "6")]))
    assert [(one.figure, one.published, one.agreement) for one in figures] == [
        ("Table 1", "5", FigureAgreement.NOT_COMPUTABLE),
        ("Table 2", "6", FigureAgreement.NOT_COMPUTABLE),
    ]
    assert {one.note for one in figures} == {note}


def test_an_unknown_paper_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no reproduction of 'nobody2000'; there are: recht2019"):
        reproduce("nobody2000", tmp_path)


@pytest.mark.parametrize("paper", list(PAPERS))
def test_a_folder_without_released_data_is_refused(paper: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(InputError, match="holds none of the papers' data"):
        reproduce(paper, tmp_path)


@pytest.mark.parametrize("paper", list(PAPERS))
def test_a_folder_with_another_paper_gives_what_needs_no_data(paper: str, tmp_path: Path) -> None:
    (tmp_path / "other2021_data.json").write_text("{}", encoding="utf-8")
    result = reproduce(paper, tmp_path)
    assert result.is_sound
    assert result.count(FigureAgreement.NOT_COMPUTABLE) > 0


def test_coded_mistakes_that_do_not_give_the_table_are_a_surprise(tmp_path: Path) -> None:
    rows = [
        {"image": number, "prediction": 1, "category": "Fine-grained error", "severity": "Major"} for number in (1, 2)
    ]
    path = tmp_path / "vasudevan2022_mistakes_vit3b.json"
    path.write_text(json.dumps({"vit_3b": rows}), encoding="utf-8")
    result = reproduce("vasudevan2022", tmp_path)
    assert not result.is_sound
    surprising = [figure.figure for figure in result.figures if figure.is_surprising]
    assert "§4: remaining mistakes of ViT-3B" in surprising


def test_what_the_paper_on_mistakes_prints_closes_with_380_alone() -> None:
    found = {one.figure: one for one in (*check_counts(), *check_soups(), *check_slice())}
    assert not [one.figure for one in found.values() if one.is_surprising]
    differing = {name for name, one in found.items() if one.agreement is FigureAgreement.DIFFERS}
    assert differing == {
        "§4, §4.2, §4.2, Figure 1: remaining mistakes of ViT-3B",
        "§4.3: from the shares in Table 2, χ² of the categories",
    }
    severities = found["§4.3: from printed counts, χ² of the severities"]
    # (155·160 − 225·89)² · 629 / (380 · 249 · 244 · 385) = 1.61
    assert pytest.approx(1.61, abs=5e-3) == (155 * 160 - 225 * 89) ** 2 * 629 / (380 * 249 * 244 * 385)
    assert severities.agreement is FigureAgreement.EQUAL
    assert "243, 54, 52 and 31 of 380 give 2.41, p = .49" in found[max(differing)].note


def test_the_intervals_of_the_slice_are_those_of_clopper_and_pearson() -> None:
    found = {one.figure: one.recomputed for one in check_slice()}
    # With none of 68, the upper limit is 1 − 0.025^(1/68) = 5.3%.
    assert found["§5.1: ImageNet-M, ViT-3B"] == "0.0% [0.0, 5.3]"
    assert pytest.approx(5.3, abs=0.05) == 100 * (1 - 0.025 ** (1 / 68))
    assert found["§5.1: ImageNet-M, CoCa-FT"].startswith("61.8% [")
