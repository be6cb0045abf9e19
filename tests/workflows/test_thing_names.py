"""One rule for the names of things, and what has another name already keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update
from tests.storage.small_studies import fill
from tests.workflows.campaign_studies import add_contains, make_pictured

from regauge.errors import InputError
from regauge.storage.database.schema import label_sets
from regauge.storage.database.study_tables import test_sets as image_sets
from regauge.storage.labels.label_set import get_label_set
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.labels.label_set import add_labels, merge_label_sets
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

WORDS = "has a name of 1 to 200 printable characters"
BAD = ["a/b", "a@1", "..", "a\u200bb"]


@pytest.mark.same_sql
@pytest.mark.parametrize("name", BAD)
def test_test_sets_and_label_sets_follow_one_rule(study: Study, tmp_path: Path, name: str) -> None:
    fill(study, tmp_path)
    for what, work in (
        ("A test set", lambda begun: add_test_set(begun, tmp_path / "truth.csv", name=name)),
        ("A label set", lambda begun: add_labels(begun, tmp_path / "truth.csv", name=name)),
        ("A label set", lambda begun: merge_label_sets(begun, ["verdicts", "verdicts"], name=name)),
    ):
        with pytest.raises(InputError, match=f"{what} {WORDS}"), study.begin() as begun:
            work(begun)


@pytest.mark.parametrize("name", BAD)
def test_campaigns_follow_it_too(tmp_path: Path, name: str) -> None:
    with make_pictured(tmp_path) as study, pytest.raises(InputError, match=f"A campaign {WORDS}"):
        add_contains(study, name)


def test_what_has_another_name_already_opens_and_goes_on(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        begun.connection.execute(update(image_sets).values(name="old/name").where(image_sets.c.name == "truth"))
        begun.connection.execute(update(label_sets).values(name="old/labels").where(label_sets.c.name == "verdicts"))
    with study.begin() as begun:
        assert get_test_set(begun, "old/name").name == "old/name"
        before = get_label_set(begun, "old/labels")
        after = merge_label_sets(begun, ["old/labels", "old/labels"], name="old/labels")
        assert (after.name, after.version) == ("old/labels", before.version + 1)
