"""Names are not used again after an erasure, numbers in names neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import make_pictured

from regauge.errors import InputError
from regauge.records.campaigns.campaign import Platform
from regauge.storage.people.annotators import insert_annotator
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.people.identities import make_pseudonym
from regauge.workflows.people.invitations import invite, invite_many
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study

NAME = "Zoë O'Brien"


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """A study of small pictures."""
    with make_pictured(tmp_path, database=database) as made:
        yield made


def test_a_name_is_not_used_again_after_an_erasure(study: Study) -> None:
    with study.begin() as begun:
        invite(begun, [NAME])
        erase_annotator(begun, NAME, reason="asked")
    for again in (lambda begun: invite(begun, ["Ann", NAME]), lambda begun: insert_annotator(begun, NAME)):
        with pytest.raises(InputError, match="names are not used again"), study.begin() as begun:
            again(begun)
    with study.begin() as begun:
        assert [one.annotator.name for one in invite(begun, ["Ann"])] == ["Ann"]


def test_numbers_in_names_never_go_back(study: Study) -> None:
    with study.begin() as begun:
        names = [one.annotator.name for one in invite_many(begun, 4)]
        assert names == [f"annotator-{number:04d}" for number in range(1, 5)]
        invite(begun, ["annotator-0006", "annotator-0042"])
        for name in (names[3], names[1], "annotator-0042"):
            erase_annotator(begun, name, reason="asked")
        names = [one.annotator.name for one in invite_many(begun, 2)]
        assert names == ["annotator-0043", "annotator-0044"]


def test_numbers_pass_over_names_that_were_given_by_hand(study: Study) -> None:
    with study.begin() as begun:
        invite(begun, ["annotator-0002"])
        assert [one.annotator.name for one in invite_many(begun, 3)] == [
            f"annotator-{number:04d}" for number in (1, 3, 4)
        ]


def test_a_bundle_and_a_copy_of_it_know_which_numbers_were_given(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        invite_many(begun, 2)
        erase_annotator(begun, "annotator-0002", reason="asked")
    with study.read() as reading:
        export_bundle(reading, tmp_path / "study.zip")
    imported = import_study(tmp_path / "study.zip", tmp_path / "copy", around=study.around).study
    try:
        with imported.begin() as begun:
            assert [one.annotator.name for one in invite_many(begun, 1)] == ["annotator-0003"]
    finally:
        imported.close()


def test_somebody_from_a_platform_who_was_erased_is_new_when_they_come_again(study: Study) -> None:
    with study.begin() as begun:
        first = make_pseudonym(begun, Platform.PROLIFIC, "5f" * 12)
        insert_annotator(begun, first, platform=Platform.PROLIFIC)
        assert make_pseudonym(begun, Platform.PROLIFIC, "5f" * 12) == first
        erase_annotator(begun, first, reason="asked")
        second = make_pseudonym(begun, Platform.PROLIFIC, "5f" * 12)
        assert second != first
        assert make_pseudonym(begun, Platform.PROLIFIC, "5f" * 12) == second
        insert_annotator(begun, second, platform=Platform.PROLIFIC)
