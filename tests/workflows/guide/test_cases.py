"""Verdicts that the guide cites: with their image, in the entry of their class and of the pair, until they are taken out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.guide.guide_studies import CAT, DOG, TOPIC, make_guided, save

from regauge.errors import InputError
from regauge.records.guide.entries import GuideTopic
from regauge.records.labels.verdicts import Verdict
from regauge.workflows.guide.cases import Citation, cite_label, cite_verdict, list_standing, withdraw_case
from regauge.workflows.guide.entries import get_entry, get_guide_version, measure_coverage
from regauge.workflows.studies.study import Study


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_guided(tmp_path, database=database) as made:
        yield made


def test_a_verdict_of_a_label_set_stands_in_the_entries_of_its_class_and_of_the_pair(study):
    with study.begin() as begun:
        case = cite_label(begun, Citation("a", DOG, "no muzzle", CAT), labels="verdicts")
        assert (case.version, case.verdict, case.labels, case.who) == (1, Verdict.WRONG, "verdicts@1", "tester")
        for topic in (GuideTopic(DOG), GuideTopic(CAT, DOG)):
            assert get_entry(begun, topic).cases == (case,)
        assert get_entry(begun, TOPIC).cases == ()
        assert measure_coverage(begun).n_cases == 1


def test_cited_again_the_last_word_holds_and_the_same_word_changes_nothing(study):
    with study.begin() as begun:
        first = cite_verdict(begun, Citation("a", CAT, "clear"), verdict=Verdict.CORRECT)
        assert cite_verdict(begun, Citation("a", CAT, " clear "), verdict=Verdict.CORRECT) == first
        second = cite_verdict(begun, Citation("a", CAT, "on second thoughts"), verdict=Verdict.UNCLEAR)
        assert list_standing(begun) == (second,)
        assert get_entry(begun, TOPIC, version=1).cases == (first,)


def test_a_case_that_is_taken_out_stood_there_in_the_versions_before(study):
    with study.begin() as begun:
        case = cite_label(begun, Citation("a", CAT), labels="verdicts")
        withdraw_case(begun, case.version)
        assert get_entry(begun, TOPIC).cases == ()
        assert get_entry(begun, TOPIC, version=1).cases == (case,)
        assert get_guide_version(begun) == 2
        for version in (1, 2, 7):
            with pytest.raises(InputError, match="it was withdrawn"):
                withdraw_case(begun, version)


def test_texts_and_cases_share_one_count(study):
    save(study, "Ears.")
    with study.begin() as begun:
        assert cite_label(begun, Citation("a", CAT), labels="verdicts").version == 2
    assert save(study, "Ears, whiskers.", edited=1).version == 3


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("citation", "problem"),
    [
        (Citation("a", 8), "verdicts@1 has no verdict on class 8 in image 'a'"),
        (Citation("nowhere", CAT), "has no image 'nowhere'"),
        (Citation("a", CAT, other_index=CAT), "cannot be told apart from itself"),
        (Citation("a", CAT, other_index=10), "Class 10 is not in the taxonomy"),
        (Citation("a", CAT, "x" * 1_001), "A note is a text of up to 1,000"),
    ],
)
def test_what_cannot_be_cited_is_refused(study, citation, problem):
    with study.begin() as begun:
        with pytest.raises(InputError, match=problem):
            cite_label(begun, citation, labels="verdicts")
        assert list_standing(begun) == ()
