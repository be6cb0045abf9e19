"""A bundle whose tasks or answers are none that Regauge writes is refused before it becomes a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.storage.small_studies import make_circumstances
from tests.storage.tampered_bundles import edit_rows, meddle
from tests.workflows.campaign_studies import (
    add_classify,
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.errors import FormatError
from regauge.workflows.studies.bundles import export_bundle, import_study

REPORT = {"version": 2, "not_shown": True}
Edit = Callable[[dict[str, Any]], object]


def nest(depth: int) -> list[Any]:
    """A list in a list in a list."""
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The bundle of a study with a campaign of each kind and an answer to each."""
    folder = tmp_path_factory.mktemp("answered")
    with make_pictured(folder) as study:
        for add in (add_contains, add_classify):
            campaign = add(study)
            (who,) = add_people(study, campaign, 1)
            (one,) = take(study, campaign, who)
            get_clock(study).jump(30)
            said = (
                {"mask": "3"}
                if add is add_contains
                else {"selected": one.payload["candidates"][:1], "main": one.payload["candidates"][0]}
            )
            answer(study, replace(make_answer(one), answer=said))
        with study.read() as reading:
            yield export_bundle(reading, folder / "x.zip")


def import_meddled(bundle: Path, folder: Path, table: str, edit: Edit) -> None:
    """Import the bundle after an edit of a row of the table: the first that can be edited so."""

    def edit_first(rows: list[dict[str, Any]]) -> None:
        column = {"tasks": "payload", "responses": "answer"}[table]
        for row in rows:
            try:
                edit(row[column])
            except KeyError:
                continue
            return
        raise AssertionError(table)

    path = meddle(bundle, folder / "y.zip", lambda members, _: edit_rows(members, table, edit_first))
    import_study(path, folder / "again", around=make_circumstances()).study.close()


def test_what_was_not_forged_is_read(bundle: Path, tmp_path: Path) -> None:
    import_meddled(bundle, tmp_path, "tasks", lambda task: task["cells"])


@pytest.mark.parametrize(
    "edit",
    [
        lambda task: task.update({"class": 10, "cells": task["cells"]}),
        lambda task: task.update({"class": -1, "cells": task["cells"]}),
        lambda task: task["cells"][0].__setitem__(0, 10_000),
        lambda task: task["cells"][0].__setitem__(1, 7),
        lambda task: task["cells"].append(task["cells"][0]),
        lambda task: task["cells"].clear(),
        lambda task: task.update(cells="all" if task["cells"] else ""),
        lambda task: task["candidates"].append(10),
        lambda task: task.update(image=-1 if task["candidates"] else 0),
        lambda task: task.update(image=1.5 if task["candidates"] else 0),
        lambda task: task.update(priority="high" if task["cells"] else ""),
        lambda task: task.update(after=3 if task["cells"] else 0),
        lambda task: task.update(only_after="3" if task["cells"] else ""),
        lambda task: task.update(panel=["me"] if task["cells"] else []),
        lambda task: task.update(more=nest(600) if task["cells"] else []),
    ],
)
def test_a_forged_task_is_refused_with_a_sentence(bundle: Path, tmp_path: Path, edit: Edit) -> None:
    with pytest.raises(FormatError, match=r"task \d+ of campaign '\w+' is none that can be shown\.$"):
        import_meddled(bundle, tmp_path, "tasks", edit)
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "edit",
    [
        lambda answer: answer.update(mask="ffffffffffff" if answer["mask"] else ""),
        lambda answer: answer.update(mask=["1"] if answer["mask"] else []),
        lambda answer: answer.update(not_shown="xyz", mask=answer["mask"]),
        lambda answer: answer["selected"].append(999),
        lambda answer: answer.update(main=999, selected=answer["selected"]),
    ],
)
def test_a_forged_answer_is_refused_with_a_sentence(bundle: Path, tmp_path: Path, edit: Edit) -> None:
    with pytest.raises(FormatError, match=r"answer \d+ to campaign '\w+' does not answer its task\.$"):
        import_meddled(bundle, tmp_path, "responses", edit)
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    ("changes", "word"),
    [({"answer": REPORT}, "counted"), ({"status": "not shown"}, "not shown"), ({"status": "paid"}, "paid")],
)
def test_a_report_counts_for_nothing_and_nothing_else_is_one(
    bundle: Path, tmp_path: Path, changes: dict[str, Any], word: str
) -> None:
    path = meddle(
        bundle,
        tmp_path / "y.zip",
        lambda members, _: edit_rows(members, "responses", lambda rows: rows[0].update(changes)),
    )
    with pytest.raises(FormatError, match=rf"answer \d+ to campaign 'grids' cannot be '{word}'\.$"):
        import_study(path, tmp_path / "again", around=make_circumstances())


@pytest.mark.parametrize("bounds", [[], {}, "[0]", [1.5], ["0"], [0, 5], [9, 3, 1]])
def test_forged_free_time_is_refused_before_it_stops_whoever_has_it(
    bundle: Path, tmp_path: Path, bounds: object
) -> None:
    path = meddle(
        bundle,
        tmp_path / "y.zip",
        lambda members, _: edit_rows(members, "free_times", lambda rows: rows[0].update(bounds=bounds)),
    )
    with pytest.raises(FormatError, match=r"what is free of the time of annotator \d+ is not understood\.$"):
        import_study(path, tmp_path / "again", around=make_circumstances())
