"""A study from before there were campaigns gets their tables and keeps all it had, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from tests.storage.small_studies import make_circumstances
from tests.workflows.campaign_studies import write_pictures
from tests.workflows.studies.test_migrations import find_all_columns, make_old_study, read_everything

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.responses.answers import GridShape
from regauge.storage.database.migrate import upgrade
from regauge.storage.database.schema import HEAD, metadata
from regauge.storage.settings import StudySettings
from regauge.storage.study import StudyPaths, make_engine
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.studies.study import open_study
from regauge.workflows.testsets.test_set import add_test_set

NEW = {"assignments", "annotators", "campaign_images", "campaign_texts", "campaigns", "consents", "responses", "tasks"}


@pytest.fixture
def old(tmp_path: Path, database: str) -> Path:
    """The folder of a study at the revision before campaigns."""
    folder = make_old_study(tmp_path, database)
    engine = make_engine(StudyPaths(folder), StudySettings("", "", database))
    with engine.begin() as connection:
        upgrade(connection, head="0002")
    engine.dispose()
    return folder


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_the_tables_of_campaigns_are_added_and_nothing_else_changes(old: Path, database: str) -> None:
    engine = make_engine(StudyPaths(old), StudySettings("", "", database))
    columns = find_all_columns(engine)
    before = read_everything(engine, columns)
    engine.dispose()
    study = open_study(old, around=make_circumstances())
    assert read_everything(study.engine, columns) == before
    after = read_everything(study.engine, find_all_columns(study.engine))
    assert set(after) - set(before) >= NEW
    assert all(after[name] == [] for name in NEW)
    with study.read() as reading:
        assert compare_metadata(MigrationContext.configure(reading.connection), metadata) == []
    assert list(old.glob(f"before-{HEAD}*"))
    study.close()


def test_a_campaign_can_be_made_in_such_a_study(old: Path, tmp_path: Path) -> None:
    study = open_study(old, around=make_circumstances())
    with study.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "pictures"), name="pictures")
        questions = ContainsQuestions("pictures", shape=GridShape(8, n_positive=2, n_negative=2), seed=0)
        assert create_contains(begun, CampaignPlan("first", Kind("contains"), 3), questions).id == 1
    study.close()
