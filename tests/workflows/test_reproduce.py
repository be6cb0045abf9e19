"""Reproductions without the released data: the comparisons themselves, missing files and wrong folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from regauge.errors import FormatError, InputError
from regauge.records.reproductions import Agreement, ReproducedFigure
from regauge.workflows.reproduce.checks import Figures
from regauge.workflows.reproduce.papers import PAPERS, reproduce

FIGURES = Figures("paper")


def test_figures_are_equal_to_the_printed_digits_or_differ() -> None:
    assert FIGURES.equal("a", published="1.11", recomputed="1.11").agreement is Agreement.EQUAL
    assert FIGURES.equal("a", published="1.11", recomputed="1.12").is_surprising
    assert not FIGURES.differs("a", published="1.11", recomputed="1.12", note="why").is_surprising


def test_a_part_is_consistent_when_its_interval_covers_the_published_share() -> None:
    # 30 of 100 has the 99% Clopper–Pearson interval [0.189, 0.431].
    assert FIGURES.sample("a", "40%", share=0.40, count=(30, 100)).agreement is Agreement.CONSISTENT
    far = FIGURES.sample("a", "50%", share=0.50, count=(30, 100))
    assert far.is_surprising
    assert far.recomputed == "30.0% [18.9, 43.1] (30 of 100)"


def test_a_missing_file_makes_one_figure_that_names_it() -> None:
    def make() -> Iterator[ReproducedFigure]:
        yield FIGURES.equal("a", published="1", recomputed="1")
        raise FormatError(Path("folder/data.npz"), "there is no such file.")

    (figure,) = FIGURES.attempt(make, figure="Table 1")
    assert figure.agreement is Agreement.NOT_COMPUTABLE
    assert figure.note == "data.npz: there is no such file."


def test_an_unknown_paper_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no reproduction of 'nobody2000'; there are: recht2019"):
        reproduce("nobody2000", tmp_path)


@pytest.mark.parametrize("paper", list(PAPERS))
def test_a_folder_without_released_data_is_refused(paper: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(InputError, match="holds none of the released data"):
        reproduce(paper, tmp_path)


@pytest.mark.parametrize("paper", list(PAPERS))
def test_a_folder_with_another_paper_gives_what_needs_no_data(paper: str, tmp_path: Path) -> None:
    (tmp_path / "other2021_data.json").write_text("{}", encoding="utf-8")
    result = reproduce(paper, tmp_path)
    assert result.is_sound
    assert result.count(Agreement.NOT_COMPUTABLE) > 0


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
