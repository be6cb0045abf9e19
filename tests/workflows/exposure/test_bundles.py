"""Bundles and backups carry exposure, between both databases; one that was tampered with is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.workflows.campaign_studies import add_people, make_pictured

from regauge.errors import RegaugeError
from regauge.records.exposure.exposures import ExposureRole, NewExposure, SetExposure
from regauge.storage.database.schema import exposures
from regauge.workflows.exposure.recording import record_exposures
from regauge.workflows.exposure.saying import declare_exposure, declare_same, list_aliases, list_declarations
from regauge.workflows.exposure.seen import list_set_exposure
from regauge.workflows.studies.backups import back_up, restore_study
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study


@pytest.fixture
def seen(tmp_path: Path, database: str) -> Iterator[Study]:
    """A study in which somebody with two names saw three images, and a set is known from outside."""
    with make_pictured(tmp_path, database=database) as study:
        one, other = add_people(study, None, 2)
        with study.begin() as begun:
            at = begun.around.now()
            rows = [NewExposure(one.annotator.id, 1, row, ExposureRole.GUIDE, 0, at) for row in range(3)]
            record_exposures(begun, rows)
            declare_same(begun, one.annotator.name, other=other.annotator.name, why="two links")
            declare_exposure(begun, other.annotator.name, days=("2020-01-01", None), why="is an author")
        yield study


def ask(study: Study) -> tuple[SetExposure, object, object]:
    with study.read() as reading:
        return list_set_exposure(reading), list_aliases(reading), list_declarations(reading)


def test_a_bundle_carries_exposure(seen, tmp_path):
    with seen.read() as reading:
        path = export_bundle(reading, tmp_path / "study.zip")
    with import_study(path, tmp_path / "again", around=seen.around).study as again:
        assert ask(again) == ask(seen)
        assert ask(again)[0].n_seen == 24


def test_a_backup_carries_exposure(seen, tmp_path):
    path = back_up(seen, tmp_path / "copy", as_bundle=True)
    with restore_study(path, tmp_path / "again", around=seen.around).study as again:
        assert ask(again) == ask(seen)


@pytest.mark.parametrize("values", [{"row": 24}, {"role": "onlooker"}])
def test_a_bundle_with_exposure_of_no_image_or_of_no_role_is_refused(seen, tmp_path, values):
    with seen.begin() as begun:
        begun.connection.execute(update(exposures).where(exposures.c.row == 2).values(values))
    with seen.read() as reading:
        path = export_bundle(reading, tmp_path / "study.zip")
    with pytest.raises(RegaugeError, match=r"has only 24|not understood"):
        import_study(path, tmp_path / "again", around=seen.around)
