"""What makes a reproduction sound."""

from __future__ import annotations

import pytest

from regauge.records.reproductions import Agreement, ReproducedFigure, Reproduction


def make(agreement: Agreement, expected: Agreement) -> ReproducedFigure:
    return ReproducedFigure("paper", "Table 1", "1", "2", agreement, expected)


@pytest.mark.parametrize("expected", [Agreement.EQUAL, Agreement.CONSISTENT])
def test_a_figure_known_to_match_that_does_not_is_a_surprise(expected: Agreement) -> None:
    assert make(Agreement.DIFFERS, expected).is_surprising
    assert not Reproduction("paper", "A paper", (make(Agreement.DIFFERS, expected),)).is_sound


@pytest.mark.parametrize("agreement", list(Agreement))
def test_a_figure_known_to_differ_is_never_a_surprise(agreement: Agreement) -> None:
    assert not make(agreement, Agreement.DIFFERS).is_surprising


def test_a_missing_file_is_no_surprise() -> None:
    assert not make(Agreement.NOT_COMPUTABLE, Agreement.EQUAL).is_surprising


def test_figures_are_counted_by_how_they_stand() -> None:
    figures = (make(Agreement.EQUAL, Agreement.EQUAL), make(Agreement.DIFFERS, Agreement.DIFFERS))
    result = Reproduction("paper", "A paper", figures)
    assert (result.count(Agreement.EQUAL), result.count(Agreement.CONSISTENT)) == (1, 0)
    assert result.is_sound
