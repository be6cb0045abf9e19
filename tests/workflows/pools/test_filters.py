"""Windows of time, lists with reasons, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.workflows.pool_folders import gather, list_reasons

from regauge.errors import FormatError, InputError
from regauge.records.testsets.pool import ExclusionRule
from regauge.records.testsets.windows import Window
from regauge.storage.events import list_events
from regauge.storage.testsets.pool import get_pools, list_exclusions
from regauge.workflows.pools.filters import (
    FilteredPools,
    RestoreRequest,
    Windows,
    exclude_listed,
    filter_pool,
    load_listed,
    read_window,
    restore_images,
)
from regauge.workflows.studies.study import Study

TABLE = (
    "image_id,class,taken,uploaded\n"
    "early,cat,2012-07-10,2012-07-12\n"
    "first,cat,2012-07-11,2012-07-12\n"
    "late,cat,2013-01-01,2013-07-11T00:00:00Z\n"
    "undated,cat,,2013-01-01\n"
)
YEAR = Window("2012-07-11", "2013-07-11")


@pytest.fixture
def pool(study: Study, tmp_path: Path) -> Study:
    write(tmp_path, {"one.csv": TABLE, "two.csv": "image_id,class,taken\nother,dog,2001-01-01\n"})
    gather(study, tmp_path / "one.csv")
    gather(study, tmp_path / "two.csv")
    return study


def keep(study: Study, windows: Windows, *pools: str) -> FilteredPools:
    with study.begin() as begun:
        return filter_pool(begun, windows, pools=pools)


def test_what_was_taken_or_uploaded_outside_is_excluded_with_its_day(pool: Study) -> None:
    found = keep(pool, Windows(YEAR, YEAR), "one")
    assert list_reasons(pool, "one") == {
        "early": "It was taken on 2012-07-10, not in 2012-07-11..2013-07-11.",
        "late": "It was uploaded on 2013-07-11, not in 2012-07-11..2013-07-11.",
    }
    assert list_reasons(pool, "two") == {}
    assert found.notes == ("1 image without a time when taken: not excluded for that.",)


def test_images_without_a_date_are_excluded_when_asked(pool: Study) -> None:
    found = keep(pool, Windows(uploaded=Window("2000-01-01"), keeps_undated=False))
    assert list_reasons(pool, "two") == {"other": "Nobody knows when it was uploaded."}
    assert found.notes == ("1 image without a time when uploaded: excluded.",)


def test_a_later_filter_replaces_an_earlier_one(pool: Study) -> None:
    keep(pool, Windows(YEAR), "one")
    again = keep(pool, Windows(YEAR), "one")
    assert (again.changes[0].n_excluded, again.changes[0].n_new, again.changes[0].n_back) == (1, 0, 0)
    wider = keep(pool, Windows(Window("2012-07-10", "2013-01-01")), "one")
    assert list_reasons(pool, "one").keys() == {"late"}
    assert (wider.changes[0].n_new, wider.changes[0].n_back) == (1, 1)
    with pool.read() as reading:
        last = list_exclusions(reading, get_pools(reading, ["one"])[0])[-1]
        event = list_events(reading)[-1]
    assert (last.image_id, last.is_excluded) == ("early", False)
    assert (event.what, event.parameters["taken"]) == ("pool filter", "2012-07-10..2013-01-01")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2012-07-11", "A window of time is FROM..TO"),
        ("..", "needs a first day"),
        ("2012..2013", "'2012' is not a date"),
    ],
)
def test_what_is_no_window_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_window(text)


def test_a_filter_needs_a_window() -> None:
    with pytest.raises(InputError, match="A filter needs a window of time"):
        Windows()


def test_a_list_excludes_images_of_any_batch(pool: Study, tmp_path: Path) -> None:
    write(tmp_path, {"l.csv": "image_id,reason\nlate,a drawing\nother,too small\n"})
    with pool.begin() as begun:
        found = exclude_listed(begun, tmp_path / "l.csv")
    assert [(one.pool, one.n_new) for one in found.changes] == [("one", 1), ("two", 1)]
    assert list_reasons(pool, "one") == {"late": "a drawing"}
    with pool.begin() as begun:
        assert [one.n_new for one in exclude_listed(begun, tmp_path / "l.csv").changes] == [0, 0]
    assert load_listed(tmp_path / "l.csv") == ("late", "other")


def test_an_image_that_is_not_in_the_pool_is_refused(pool: Study, tmp_path: Path) -> None:
    write(tmp_path, {"l.csv": "image_id,reason\nlate,x\nnobody,y\n", "m.csv": "image_id\nlate\n"})
    with (
        pool.begin() as begun,
        pytest.raises(InputError, match="1 of 2 images are not in the pool, the first being 'nobody'"),
    ):
        exclude_listed(begun, tmp_path / "l.csv")
    with pool.begin() as begun, pytest.raises(FormatError, match="every image needs a reason"):
        exclude_listed(begun, tmp_path / "m.csv")
    assert list_reasons(pool, "one") == {}


def test_exclusions_are_taken_back_by_rule_or_by_image(pool: Study, tmp_path: Path) -> None:
    write(tmp_path, {"l.csv": "image_id,reason\nlate,a drawing\nearly,blurred\n"})
    keep(pool, Windows(YEAR, YEAR))
    with pool.begin() as begun:
        exclude_listed(begun, tmp_path / "l.csv")
        found = restore_images(begun, RestoreRequest(rules=(ExclusionRule.WINDOW,), pools=("one",), reason="wider"))
        assert [(one.pool, one.rule, one.n_excluded, one.n_back) for one in found.changes] == [
            ("one", ExclusionRule.WINDOW, 0, 2)
        ]
    assert list_reasons(pool, "one") == {"late": "a drawing", "early": "blurred"}
    assert list_reasons(pool, "two").keys() == {"other"}
    with pool.begin() as begun:
        restore_images(begun, RestoreRequest(("early",), reason="sharp enough"))
        event = list_events(begun)[-1]
    assert list_reasons(pool, "one") == {"late": "a drawing"}
    assert (event.what, event.reason) == ("pool restore", "sharp enough")


def test_an_image_of_another_batch_than_the_one_named_is_refused(pool: Study) -> None:
    keep(pool, Windows(YEAR))
    with (
        pool.begin() as begun,
        pytest.raises(InputError, match="1 of 1 images are not in two, the first being 'early'"),
    ):
        restore_images(begun, RestoreRequest(("early",), pools=("two",), reason="x"))


def test_a_batch_that_is_named_twice_counts_once(pool: Study) -> None:
    found = keep(pool, Windows(YEAR), "one", "one")
    assert [one.pool for one in found.changes] == ["one"]
    assert found.notes == ("1 image without a time when taken: not excluded for that.",)


def test_taking_back_what_is_not_excluded_changes_nothing(pool: Study) -> None:
    with pool.begin() as begun:
        found = restore_images(begun, RestoreRequest(("first",), reason="why not"))
        assert (found.changes, len(found.notes)) == ((), 1)
        with pytest.raises(InputError, match="1 of 1 images are not in the pool"):
            restore_images(begun, RestoreRequest(("nobody",), reason="x"))


@pytest.mark.parametrize(
    ("options", "problem"),
    [({"image_ids": ("a",)}, "needs a reason"), ({"reason": "x"}, "Say which images to take back")],
)
def test_taking_back_needs_images_and_a_reason(options: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        RestoreRequest(**options)  # type: ignore[arg-type]
