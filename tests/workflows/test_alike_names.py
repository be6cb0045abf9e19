"""Whatever gets a name: one that hides something or looks like another is refused; studies that have such names go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.cli.command_runner import write
from tests.workflows.campaign_studies import add_contains, make_pictured, write_pictures
from tests.workflows.labels.test_campaign_labels import FEW, answer_all

from regauge.errors import InputError
from regauge.storage.campaigns.campaign import list_campaigns
from regauge.storage.database.schema import annotators, campaigns, label_sets
from regauge.storage.people.annotators import list_annotators
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.people.invitations import invite, invite_listed, invite_many
from regauge.workflows.studies.study import Study, describe_status
from regauge.workflows.testsets.test_set import add_test_set

HIDDEN = "gr\u200bids"


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """A study with a campaign `grids`, a test set `pictures`, labels `crowd` and somebody called annotator-0001."""
    with make_pictured(tmp_path, database=database) as made:
        answer_all(made, add_contains(made))
        with made.begin() as begun:
            build_labels(begun, "grids", name="crowd", settings=FEW)
        yield made


def make_label_set(study: Study, _folder: Path, name: str) -> None:
    with study.begin() as begun:
        build_labels(begun, "grids", name=name, settings=FEW)


def make_campaign(study: Study, _folder: Path, name: str) -> None:
    add_contains(study, name)


def make_test_set(study: Study, folder: Path, name: str) -> None:
    if not (folder / "more").exists():
        write_pictures(folder / "more", prefix="m")
    with study.begin() as begun:
        add_test_set(begun, folder / "more", name=name)


def make_person(study: Study, _folder: Path, name: str) -> None:
    with study.begin() as begun:
        invite(begun, [name])


def make_listed(study: Study, folder: Path, name: str) -> None:
    write(folder, {"people.csv": f"name,email\n{name},\n"})
    with study.begin() as begun:
        invite_listed(begun, folder / "people.csv", base_url="http://labels.example")


MAKERS: dict[Callable[[Study, Path, str], None], str] = {
    make_label_set: "Crowd",
    make_campaign: "ＧＲＩＤＳ",
    make_test_set: "Pictures",
    make_person: "Annotator-0001",
    make_listed: "ANNOTATOR-0001",
}


@pytest.mark.same_sql
@pytest.mark.parametrize("make", MAKERS)
def test_names_that_hide_something_or_look_alike_are_refused(
    study: Study, tmp_path: Path, make: Callable[[Study, Path, str], None]
) -> None:
    for name in (HIDDEN, "right\u202eleft", "fill\u3164er", MAKERS[make]):
        with pytest.raises(InputError):
            make(study, tmp_path, name)


def test_nobody_else_is_called_as_the_manager_looks(study: Study, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="manager of the study"):
        make_person(study, tmp_path, "Manager")


def test_a_study_that_has_such_names_goes_on(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        for table in (annotators, campaigns, label_sets):
            begun.connection.execute(update(table).where(table.c.id == 1).values(name=HIDDEN))
    with study.begin() as begun:
        status = describe_status(begun)
        assert HIDDEN in {one.name for one in status.label_sets}
        assert [one.plan.name for one in list_campaigns(begun)] == [HIDDEN]
        assert HIDDEN in {one.name for one in list_annotators(begun)}
        assert build_labels(begun, HIDDEN, name=HIDDEN, settings=FEW).version == 2
        invite_many(begun, 2)
