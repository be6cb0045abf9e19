"""A table goes into the pool first; its images join it when they are fetched, and are compared as if they had come at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.workflows.pool_folders import gather, list_reasons, save_pictures

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.responses.answers import GridShape
from regauge.records.testsets.pool import ExclusionRule
from regauge.storage.events import list_events
from regauge.storage.testsets.pool import load_facts
from regauge.storage.testsets.test_set import get_test_set, load_places
from regauge.workflows.campaigns.campaign import LEFT_OUT
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.studies.study import Study

TABLE = "image_id,class,keyword\na,cat,tabby\nb,cat,lion\nc,cat,tabby\nd,cat,tabby\n"


@pytest.fixture
def found(study: Study, tmp_path: Path) -> Path:
    """A table of four candidates that are in the pool without files."""
    write(tmp_path, {"p.csv": TABLE})
    gather(study, tmp_path / "p.csv")
    return tmp_path / "p.csv"


def fetch(study: Study, table: Path, **pictures: int) -> tuple[str, ...]:
    """Save pictures in a folder beside the table, and add the table again."""
    images = save_pictures(table.parent / "got", {f"{name}.png": seed for name, seed in pictures.items()})
    return gather(study, table, images=images, skips_missing=True).notes


def list_files(study: Study) -> list[str]:
    with study.read() as reading:
        return [place.path for place in load_places(reading, get_test_set(reading, "p"))]


def test_files_join_candidates_that_are_there(study: Study, found: Path) -> None:
    write(found.parent, {"got/d.png": b"no image"})
    notes = fetch(study, found, a=1, b=1)
    assert "p is already there; 3 of its images have a file now." in notes
    assert list_files(study) == ["a.png", "b.png", "", "d.png"]
    assert list_reasons(study, "p", ExclusionRule.EXACT_DUPLICATE).keys() == {"b"}
    assert list_reasons(study, "p", ExclusionRule.UNREADABLE).keys() == {"d"}
    with study.read() as reading:
        entry = get_test_set(reading, "p")
        checksums = [len(one) for one in load_facts(reading, entry).pixels_sha256.tolist()]
        event = list_events(reading)[-1]
    assert (entry.root, checksums) == (str(found.parent / "got"), [64, 64, 0, 0])
    assert (event.what, event.parameters["n_files"]) == ("pool add", 3)


def test_more_files_join_later_and_the_same_ones_change_nothing(study: Study, found: Path) -> None:
    fetch(study, found, a=1)
    assert fetch(study, found, a=1)[-1] == "p is already there with the same candidates."
    assert "p is already there; 1 of its images have a file now." in fetch(study, found, c=1)
    assert list_files(study) == ["a.png", "", "c.png", ""]
    assert list_reasons(study, "p") == {"c": "It has the same bytes as image 'a' of the pool p."}


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (TABLE.replace("lion", "puma"), "another set of images 'p'"),
        (TABLE.replace("b,cat", "b,dog"), "another set of images 'p'"),
        (TABLE + "e,cat,tabby\n", "another set of images 'p'"),
    ],
)
def test_files_of_other_candidates_are_refused(study: Study, found: Path, table: str, problem: str) -> None:
    write(found.parent, {"p.csv": table})
    with pytest.raises(InputError, match=problem):
        fetch(study, found, b=1, e=2)
    assert list_files(study) == [""] * 4


def test_files_that_lie_elsewhere_than_those_before_are_refused(study: Study, found: Path) -> None:
    fetch(study, found, a=1)
    other = save_pictures(found.parent / "other", {"b.png": 2})
    with pytest.raises(InputError, match="if they were moved: regauge testset relocate p DIR"):
        gather(study, found, images=other, skips_missing=True)


def test_people_are_asked_about_what_was_fetched(study: Study, found: Path) -> None:
    plan, shape = CampaignPlan("grids", Kind("contains"), 3), GridShape(4, n_positive=0, n_negative=0)
    with (
        study.begin() as begun,
        pytest.raises(InputError, match=r"files of p are not at hand.* regauge pool add PATH --im"),
    ):
        create_contains(begun, plan, ContainsQuestions("p", shape=shape, seed=0))
    fetch(study, found, a=1, b=2)
    with study.begin() as begun:
        with pytest.raises(InputError, match="Image 'c' of p has no file"):
            create_contains(begun, plan, ContainsQuestions("p", [("c", 3)], shape=shape, seed=0))
        made = create_contains(begun, plan, ContainsQuestions("p", shape=shape, seed=0))
    assert (made.plan.settings["n_pairs"], made.plan.settings[LEFT_OUT]) == (2, 2)
