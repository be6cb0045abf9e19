"""A pool goes into a bundle and comes back with its facts and exclusions, and a bundle that was meddled with is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.storage.small_studies import make_circumstances
from tests.storage.tampered_bundles import Change, edit_rows, meddle
from tests.workflows.conftest import make_database
from tests.workflows.pool_folders import gather, list_reasons, save_pictures
from tests.workflows.studies.test_bundles import read_rows

from regauge.errors import FormatError
from regauge.records.testsets.pool import FieldNames
from regauge.workflows.pools.filters import Windows, filter_pool, read_window
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import relocate_test_set


@pytest.fixture
def bundle(study: Study, tmp_path: Path) -> Path:
    """The bundle of a study with a pool of three images, one of them a duplicate and all outside a window."""
    folder = save_pictures(tmp_path / "more", {"cat/k.png": 1, "cat/l.png": 1, "dog/ü.png": 2})
    gather(study, folder, names=FieldNames(constants={"keyword": "Kätzchen", "taken": "2001-01-01"}))
    with study.begin() as begun:
        filter_pool(begun, Windows(read_window("2012-07-11..")))
    with study.read() as reading:
        return export_bundle(reading, tmp_path / "x.zip")


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_pool_comes_back_as_it_was(study: Study, bundle: Path, tmp_path: Path, postgres: Path, target: str) -> None:
    address = make_database(postgres) if target == "postgresql" else ""
    imported = import_study(bundle, tmp_path / "again", database=address, around=make_circumstances())
    try:
        before, after = read_rows(study), read_rows(imported.study)
        for table in ("test_sets", "images", "pool_images", "exclusions"):
            assert after[table] == before[table]
        assert len(after["exclusions"]) == 4
        assert list_reasons(imported.study, "more") == list_reasons(study, "more")
        assert imported.notes == ()
        (tmp_path / "more").rename(tmp_path / "moved")
        with imported.study.begin() as begun:
            moved = relocate_test_set(begun, "more", root=tmp_path / "moved")
        assert "3 checksums were compared" in moved.notes[0]
    finally:
        imported.study.close()


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda members, _: edit_rows(members, "pool_images", lambda rows: rows.pop()),
            "do not all say where they come from",
        ),
        (
            lambda members, _: edit_rows(members, "exclusions", lambda rows: rows[0].update(row=99)),
            "an image that is excluded is not in the pool 'more'",
        ),
        (
            lambda members, _: edit_rows(members, "exclusions", lambda rows: rows[0].update(rule="whim")),
            "what it holds is not understood",
        ),
    ],
)
def test_a_pool_that_was_meddled_with_is_refused(bundle: Path, tmp_path: Path, change: Change, problem: str) -> None:
    forged = meddle(bundle, tmp_path / "forged.zip", change)
    with pytest.raises(FormatError, match=problem):
        import_study(forged, tmp_path / "again", around=make_circumstances())
    assert not (tmp_path / "again").exists()
