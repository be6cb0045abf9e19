"""Who corrects which coded mistakes: from files, records and codings of a study."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mistakes.small_sources import BEFORE, FIRST, IMAGES, SECOND, answer
from tests.mistakes.test_fixing import CODED
from tests.storage.small_studies import fill

import regauge
from regauge.errors import InputError
from regauge.storage.study import Study
from regauge.workflows.mistakes.coded import is_coded_file, load_coded
from regauge.workflows.mistakes.codings import CodingSource, add_coding
from regauge.workflows.mistakes.sources import MistakeSource
from regauge.workflows.mistakes.summaries import summarise_codings

ROWS = "image_id,prediction,category,severity\na,1,FG,major\nb,3,FG,minor\nc,0,FG,major\nd,0,FG,borderline\n"


def open_all(*models: regauge.Predictions, participant: tuple[str, ...] = ()) -> MistakeSource:
    answers = regauge.TestSetAnswers(list(models), (IMAGES, BEFORE))
    return regauge.open_mistakes(answers, participant)


def test_each_participant_has_a_test_and_they_are_adjusted_together() -> None:
    third = answer("third", [0, 1, 2, 1, 0])
    found = regauge.follow_majors(open_all(FIRST, SECOND, third), CODED)
    # The first is whose mistakes they are, and corrects none of them.
    assert [one.second for one in found.fixes] == ["second", "third"]
    assert (found.n, found.n_major, found.labels) == (4, 2, "labels@1")
    assert [(one.corrected.k, one.corrected.n) for one in found.fixes] == [(1, 2), (2, 3)]
    assert list(found.p_adjusted) == pytest.approx([1.0, 1.0])


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "coded.csv"
    path.write_text(ROWS, encoding="utf-8")
    found = regauge.follow_majors(open_all(SECOND), f"first={path}")
    assert (found.coded, found.n_major) == ("first", 2)


def test_nobody_else_is_refused() -> None:
    with pytest.raises(InputError, match="Nobody but first is meant"):
        regauge.follow_majors(open_all(FIRST, SECOND, participant=("first",)), CODED)


def test_a_coding_is_no_file(tmp_path: Path) -> None:
    assert not is_coded_file("vit_3b")
    assert not is_coded_file("vit_3b@2")
    assert is_coded_file("released.json#vit_3b")
    assert is_coded_file("vit=coded.csv")
    (tmp_path / "odd").write_text(ROWS, encoding="utf-8")
    assert is_coded_file(str(tmp_path / "odd"))


def test_the_codings_of_a_study_are_summarised_and_compared(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    (tmp_path / "coded.csv").write_text("image_id,prediction,category,severity\na,2,FG,major\nb,5,other,minor\n")
    with study.begin() as begun:
        for participant in ("vit", "soups"):
            add_coding(begun, CodingSource(tmp_path / "coded.csv", participant, "verdicts", participant))
    with study.read() as begun:
        found = summarise_codings(begun, ["vit", "soups@1"])
        with pytest.raises(InputError, match="no coding 'nothing'"):
            summarise_codings(begun, ["nothing"])
    assert [one.name for one in found.files] == ["vit@1", "soups@1"]
    assert found.files[0].n_labelled == 2
    assert found.comparison is not None
    assert (found.comparison.majors.kept.n, found.comparison.majors.kept.k) == (2, 1)


def test_a_coding_of_which_all_was_overturned_has_nothing_to_analyse(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    (tmp_path / "coded.csv").write_text("image_id,prediction,category,severity\na,1,FG,major\n")
    with study.begin() as begun:
        add_coding(begun, CodingSource(tmp_path / "coded.csv", "vit", "verdicts"))
        with pytest.raises(InputError, match="Every mistake of coded@1 was overturned"):
            load_coded(begun, "coded")
