"""What makes a reproduction sound."""

from __future__ import annotations

import pytest

from regauge.records.reproductions import FigureAgreement, ReproducedFigure, Reproduction


def make(agreement: FigureAgreement, expected: FigureAgreement) -> ReproducedFigure:
    return ReproducedFigure("paper", "Table 1", "1", "2", agreement, expected)


@pytest.mark.parametrize("expected", [FigureAgreement.EQUAL, FigureAgreement.CONSISTENT])
def test_a_figure_known_to_match_that_does_not_is_a_surprise(expected: FigureAgreement) -> None:
    assert make(FigureAgreement.DIFFERS, expected).is_surprising
    assert not Reproduction("paper", "A paper", (make(FigureAgreement.DIFFERS, expected),)).is_sound


@pytest.mark.parametrize("agreement", list(FigureAgreement))
def test_a_figure_known_to_differ_is_never_a_surprise(agreement: FigureAgreement) -> None:
    assert not make(agreement, FigureAgreement.DIFFERS).is_surprising


def test_a_missing_file_is_no_surprise() -> None:
    assert not make(FigureAgreement.NOT_COMPUTABLE, FigureAgreement.EQUAL).is_surprising


def test_figures_are_counted_by_how_they_stand() -> None:
    figures = (
        make(FigureAgreement.EQUAL, FigureAgreement.EQUAL),
        make(FigureAgreement.DIFFERS, FigureAgreement.DIFFERS),
    )
    result = Reproduction("paper", "A paper", figures)
    assert (result.count(FigureAgreement.EQUAL), result.count(FigureAgreement.CONSISTENT)) == (1, 0)
    assert result.is_sound
