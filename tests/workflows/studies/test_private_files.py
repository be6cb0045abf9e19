"""What a study keeps is for its owner only, whatever the machine allows others usually."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.storage.small_studies import make_circumstances
from tests.workflows.campaign_studies import add_contains, add_people, get_clock, make_pictured

from regauge.server.state import load_secret
from regauge.storage.study import Study
from regauge.workflows.annotation.renditions import list_campaign_images, load_rendition
from regauge.workflows.people.access import end_sessions
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.studies.backups import back_up, restore_study
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import describe_exposure, init_study


@pytest.fixture(params=[0o000, 0o022, 0o077])
def lax(request: pytest.FixtureRequest) -> Iterator[None]:
    """A machine where new files are for everybody, or for nobody else."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def list_open(folder: Path) -> list[str]:
    """What others may read, write or look into."""
    return [
        str(path.relative_to(folder.parent))
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]


def work(study: Study) -> None:
    """Whatever makes files."""
    campaign = add_contains(study)
    add_people(study, campaign, 2)
    load_secret(study.paths.folder)
    with study.read() as reading:
        images = list_campaign_images(reading, campaign.id)
    load_rendition(study, images[0])
    with study.begin() as begun:
        end_sessions(begun, "annotator-0001")
        erase_annotator(begun, "annotator-0002", reason="asked")
    back_up(study)
    get_clock(study).jump(1)
    back_up(study, as_bundle=True)


@pytest.mark.usefixtures("lax")
def test_everything_in_a_new_study_is_for_its_owner_only(tmp_path: Path, database: str) -> None:
    with make_pictured(tmp_path, database=database) as study:
        work(study)
        # The write-ahead log is there as long as the database is open.
        assert database or (study.paths.folder / "study.db-wal").exists()
        assert list_open(study.paths.folder) == []
        assert describe_exposure(study) == ""


@pytest.mark.usefixtures("lax")
def test_so_is_a_study_that_was_imported_or_restored(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        copy = back_up(study)
        with study.read() as reading:
            bundle = export_bundle(reading, tmp_path / "study.zip")
        assert stat.S_IMODE(bundle.stat().st_mode) == 0o600
        for number, made in enumerate(
            (
                import_study(bundle, tmp_path / "imported", around=study.around),
                restore_study(copy, tmp_path / "restored", around=study.around),
            )
        ):
            assert list_open(made.study.paths.folder) == [], number
            made.study.close()


@pytest.mark.usefixtures("lax")
def test_a_folder_that_was_there_becomes_the_owners(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    folder.chmod(0o755)
    init_study(folder, taxonomy="cifar-10", around=make_circumstances()).close()
    assert list_open(folder) == []


def test_a_folder_that_others_can_look_into_is_told(tmp_path: Path) -> None:
    study = init_study(tmp_path / "a study", taxonomy="cifar-10", around=make_circumstances())
    study.paths.folder.chmod(0o750)
    assert describe_exposure(study).endswith(f"chmod -R go= '{study.paths.folder}'")
    study.paths.folder.chmod(0o700)
    assert describe_exposure(study) == ""
    study.close()
