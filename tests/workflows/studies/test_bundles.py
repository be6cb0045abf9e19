"""A study goes to a file and comes back as it was, from either database to either."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert, select
from tests.storage.small_studies import fill, list_computed_indexes, make_circumstances, make_study
from tests.storage.tampered_bundles import meddle, read_members
from tests.workflows.conftest import make_database
from tests.workflows.studies.test_migrations import make_old_study

from regauge import ShiftSettings
from regauge.errors import FormatError, InputError, RegaugeError, StorageError
from regauge.records.studies import Selection
from regauge.storage.database.schema import events, metadata
from regauge.storage.evaluation.comparisons import load_shift
from regauge.storage.events import list_events
from regauge.storage.labels.label_set import load_label_set
from regauge.storage.predictions import load_predictions
from regauge.storage.testsets.test_set import get_test_set, load_places, load_test_set
from regauge.workflows.evaluation.evaluations import compare, evaluate, load_scores
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.backups import back_up
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study, describe_status, init_study, open_study
from regauge.workflows.testsets.test_set import add_test_set


def fill_all(study: Study, folder: Path) -> None:
    """Two test sets, two participants, two label versions, an evaluation and a comparison."""
    fill(study, folder)
    (folder / "verdicts.jsonl").write_text('{"image_id":"a","correct":[0],"wrong":[]}\n')
    with study.begin() as begun:
        add_test_set(begun, folder / "truth.csv", name="=1+1 été")
        add_predictions(begun, PredictionSource(folder / "good.csv"), test_set="=1+1 été")
        add_labels(begun, folder / "verdicts.jsonl")
        evaluate(begun, Selection("truth"))
        compare(begun, Selection("truth"), Selection("=1+1 été"), settings=ShiftSettings(n_bootstrap=100))


def read_rows(study: Study) -> dict[str, list[Any]]:
    """Every row of every table."""
    with study.read() as begun:
        return {
            table.name: [
                tuple(row) for row in begun.connection.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in metadata.sorted_tables
        }


def read_records(study: Study) -> list[Any]:
    """Everything as workflows hand it out; arrays as their bytes."""
    with study.read() as begun:
        status = describe_status(begun)
        found: list[Any] = [status.test_sets, status.predictions, status.label_sets, status.evaluations]
        found += [status.comparisons, begun.taxonomy, begun.about]
        for entry in status.test_sets:
            test_set = load_test_set(begun, entry)
            found += [test_set.image_ids.tolist(), test_set.labels.tolist(), load_places(begun, entry)]
        for one in status.predictions:
            entry = get_test_set(begun, one.test_set)
            answers = load_predictions(begun, one, test_set=load_test_set(begun, entry), digest=entry.digest)
            found += [answers.classes.tobytes(), None if answers.scores is None else answers.scores.tobytes()]
        for labels in status.label_sets:
            label_set = load_label_set(begun, labels)
            found += [label_set.name, label_set.image_ids.tolist(), label_set.verdicts.tolist()]
        found += [load_scores(begun, one.id).to_frame().rows() for one in status.evaluations]
        found += [load_shift(begun, one.id).models for one in status.comparisons]
    return found


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The bundle of a filled SQLite study."""
    with make_study(tmp_path) as study:
        fill_all(study, tmp_path)
        with study.read() as begun:
            return export_bundle(begun, tmp_path / "x.zip")


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_study_comes_back_as_it_was(
    study: Study, tmp_path: Path, target: str, request: pytest.FixtureRequest
) -> None:
    fill_all(study, tmp_path)
    with study.read() as begun:
        path = export_bundle(begun, tmp_path / "x.zip")
    address = "" if target == "sqlite" else make_database(request.getfixturevalue("postgres"))
    made = import_study(path, tmp_path / "deep" / "again", database=address, around=make_circumstances(1))
    before, after = read_rows(study), read_rows(made.study)
    event = after["events"].pop()
    # A copy has an id of its own, and the event says whose copy it is.
    assert made.study.id == after["studies"][0][0] != before["studies"][0][0] == event[4]["study_id"]
    after["studies"] = [(study.id, *after["studies"][0][1:])]
    assert after == before
    assert len(before["scores"]) > 10
    assert read_records(made.study) == read_records(study)
    assert (event[1], event[4]["sha256"]) == ("import", hashlib.sha256(path.read_bytes()).hexdigest())
    made.study.close()
    again = open_study(tmp_path / "deep" / "again", around=make_circumstances())
    assert read_rows(again)["events"][-1] == event
    again.close()


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_work_goes_on_in_the_imported_study(
    bundle: Path, tmp_path: Path, target: str, request: pytest.FixtureRequest
) -> None:
    address = "" if target == "sqlite" else make_database(request.getfixturevalue("postgres"))
    study = import_study(bundle, tmp_path / "again", database=address, around=make_circumstances(1)).study
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv", name="third")
        add_predictions(begun, PredictionSource(tmp_path / "bad.csv"), test_set="third")
        add_labels(begun, tmp_path / "verdicts.jsonl")
        assert evaluate(begun, Selection("third")).id == 2
        assert [entry.id for entry in describe_status(begun).test_sets] == [1, 2, 3]
    study.close()


def test_a_bundle_of_a_bundle_differs_only_in_its_events(bundle: Path, tmp_path: Path) -> None:
    study = import_study(bundle, tmp_path / "again", keeps_access=True, around=make_circumstances()).study
    with study.begin() as begun:
        begun.connection.execute(events.delete().where(events.c.what == "import"))
    with study.read() as begun:
        second = export_bundle(begun, tmp_path / "y.zip")
    study.close()
    assert second.read_bytes() == bundle.read_bytes()


def test_a_taxonomy_of_ones_own_and_what_the_study_is_about_come_along(tmp_path: Path) -> None:
    (tmp_path / "classes.csv").write_text("index,id,names\n0,x,cat\n1,y,dog\n")
    around = make_circumstances()
    first = init_study(tmp_path / "s", taxonomy=str(tmp_path / "classes.csv"), about="Two pets.", around=around)
    with first.read() as begun:
        export_bundle(begun, tmp_path / "x.zip")
    first.close()
    study = import_study(tmp_path / "x.zip", tmp_path / "again", around=around).study
    assert ([one.name for one in study.taxonomy.classes], study.about) == (["cat", "dog"], "Two pets.")
    study.close()
    assert "taxonomy.json" in read_members(tmp_path / "x.zip")


def test_the_address_of_the_database_stays_at_home(study: Study, database: str, tmp_path: Path) -> None:
    with study.read() as begun:
        members = read_members(export_bundle(begun, tmp_path / "x.zip"))
    assert b"postgresql" not in members["study.json"]
    assert not [name for name, content in members.items() if database and database.encode() in content]


def test_arrays_are_stored_as_they_are_and_tables_are_packed(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        kinds = {info.filename.partition("/")[0]: info.compress_type for info in archive.infolist()}
    assert (kinds["predictions"], kinds["tables"]) == (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


# Backups


def test_a_study_is_restored_from_its_backup(study: Study, database: str, tmp_path: Path, request: Any) -> None:
    fill_all(study, tmp_path)
    backup, before = back_up(study), read_rows(study)
    if database:
        address = make_database(request.getfixturevalue("postgres"))
        around = make_circumstances()
        restored = import_study(backup, tmp_path / "again", database=address, keeps_access=True, around=around).study
        assert read_rows(restored)["events"].pop()[1] == "import"
    else:
        shutil.copytree(study.paths.folder, tmp_path / "again", ignore=shutil.ignore_patterns("study.db*"))
        shutil.copy(backup, tmp_path / "again" / "study.db")
        restored = open_study(tmp_path / "again", around=make_circumstances())
    after = read_rows(restored)
    assert [after.pop("events")[: len(before["events"])], after] == [before.pop("events"), before]
    restored.close()


def test_a_backup_before_a_migration_is_restored_and_brought_up_to_date(
    tmp_path: Path, postgres: Path, database: str
) -> None:
    old = open_study(make_old_study(tmp_path, make_database(postgres)), around=make_circumstances())
    before = read_rows(old)
    backup = next(old.paths.folder.glob("before-*.zip"))
    old.close()
    around = make_circumstances()
    made = import_study(backup, tmp_path / "again", database=database, keeps_access=True, around=around).study
    after = read_rows(made)
    assert after.pop("events")[:-1] == before.pop("events")
    assert after == before
    with made.begin() as begun:
        assert evaluate(begun, Selection("truth")).id == 2
        assert list_computed_indexes(begun.connection) == ["ix_tasks_campaign_id_role_panel_position"]
    made.close()


# What is refused, and leaves nothing


def check_refused(path: Path, folder: Path, reason: str, *, kind: type[RegaugeError] = FormatError) -> None:
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(kind, match=reason) as error:
        import_study(path, folder, around=make_circumstances())
    assert "\n" not in str(error.value)
    assert sorted(folder.parent.rglob("*")) == before


def test_every_changed_byte_is_refused(bundle: Path, tmp_path: Path, rng: np.random.Generator) -> None:
    content = bundle.read_bytes()
    changed = tmp_path / "changed.zip"
    (tmp_path / "below").mkdir()
    for at in rng.choice(len(content), 300, replace=False).tolist():
        changed.write_bytes(content[:at] + bytes([content[at] ^ (1 << at % 8)]) + content[at + 1 :])
        check_refused(changed, tmp_path / "below" / "again", "not a bundle of Regauge|was changed|is damaged")


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99])
def test_a_bundle_that_was_cut_off_is_refused(bundle: Path, tmp_path: Path, share: float) -> None:
    content = bundle.read_bytes()
    bundle.write_bytes(content[: int(share * len(content))])
    check_refused(bundle, tmp_path / "again", "not a bundle of Regauge, or one that was cut off")


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("PK")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("holiday.jpg", b"...")
    check_refused(tmp_path / "text.zip", tmp_path / "again", "this is not a bundle of Regauge")
    check_refused(tmp_path / "other.zip", tmp_path / "again", r"it has no manifest\.json")
    check_refused(tmp_path / "gone.zip", tmp_path / "again", "there is no such file")
    for endless in (tmp_path, Path("/dev/zero")):
        check_refused(endless, tmp_path / "again", "a folder or a device, and no bundle of Regauge")


def test_a_newer_format_or_revision_is_refused(bundle: Path, tmp_path: Path) -> None:
    newer = meddle(bundle, tmp_path / "a.zip", lambda _, manifest: manifest.update(version=2))
    check_refused(newer, tmp_path / "again", "bundle of version 2; install a newer Regauge")
    newer = meddle(bundle, tmp_path / "b.zip", lambda _, manifest: manifest.update(schema_revision="9999"))
    check_refused(newer, tmp_path / "again", "revision '9999', which this version of Regauge does not know")


def test_a_folder_or_a_database_in_use_is_refused_and_left_alone(bundle: Path, tmp_path: Path, postgres: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    check_refused(bundle, tmp_path / "mine", "holds 'thesis.tex' already", kind=InputError)
    check_refused(bundle, tmp_path / "study", "already holds a study", kind=InputError)
    (tmp_path / "logits" / "predictions").mkdir(parents=True)
    (tmp_path / "logits" / "predictions" / "resnet.npy").write_text("precious")
    check_refused(bundle, tmp_path / "logits", "holds 'predictions' already", kind=InputError)
    address = make_database(postgres)
    import_study(bundle, tmp_path / "first", database=address, around=make_circumstances()).study.close()
    with pytest.raises(StorageError, match="already holds a study"):
        import_study(bundle, tmp_path / "second", database=address, around=make_circumstances())
    assert not (tmp_path / "second").exists()


def test_a_disk_that_is_too_small_is_told_before_anything_is_written(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))
    check_refused(bundle, tmp_path / "again", "has room for 0.0 GB; make room first", kind=StorageError)


def test_a_damaged_array_is_not_exported(tmp_path: Path) -> None:
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
        array = next(study.paths.predictions.iterdir())
        content = array.read_bytes()
        for bad, reason in ((content[:-1] + b"x", "is damaged"), (None, "is missing")):
            array.unlink()
            if bad is not None:
                array.write_bytes(bad)
            with pytest.raises(StorageError, match=reason), study.read() as begun:
                export_bundle(begun, tmp_path / "x.zip")
    assert not list(tmp_path.glob("x.zip*"))


def test_an_export_replaces_nothing(bundle: Path, tmp_path: Path) -> None:
    content = bundle.read_bytes()
    study = open_study(tmp_path / "study", around=make_circumstances())
    with pytest.raises(InputError, match=r"x\.zip exists"), study.read() as begun:
        export_bundle(begun, bundle)
    study.close()
    assert bundle.read_bytes() == content


# Stopped half-way


@pytest.mark.parametrize("life", [0.05, 0.1, 0.2, 0.4])
def test_an_import_that_is_killed_leaves_no_study_and_can_be_given_again(
    bundle: Path, tmp_path: Path, life: float
) -> None:
    program = (
        "import sys\nfrom tests.storage.small_studies import make_circumstances\n"
        "from regauge.workflows.studies.bundles import import_study\n"
        f"print('ready', flush=True)\nimport_study({str(bundle)!r}, {str(tmp_path / 'again')!r}, "
        "around=make_circumstances())\nprint('done', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(life)
        os.kill(child.pid, signal.SIGKILL)
        is_done = child.stdout.read() == "done\n"
    if not (tmp_path / "again" / "study.toml").exists():
        assert not is_done
        import_study(bundle, tmp_path / "again", around=make_circumstances()).study.close()
    study = open_study(tmp_path / "again", around=make_circumstances())
    assert len(read_rows(study)["predictions"]) == 3
    assert len(list(study.paths.predictions.glob("*.npy"))) == 3
    study.close()


def test_a_copy_has_an_id_of_its_own_also_where_an_import_with_access_was_stopped(bundle: Path, tmp_path: Path) -> None:
    original = import_study(bundle, tmp_path / "again", keeps_access=True, around=make_circumstances()).study
    (original.paths.folder / "study.toml").rename(original.paths.folder / "study.toml.partial")
    original.close()
    copy = import_study(bundle, tmp_path / "again", around=make_circumstances()).study
    assert copy.id != original.id
    copy.close()


def test_an_import_that_was_stopped_between_database_and_folder_starts_over(
    bundle: Path, tmp_path: Path, database: str
) -> None:
    study = import_study(bundle, tmp_path / "again", database=database, around=make_circumstances()).study
    n_events, first_id = len(read_rows(study)["events"]), study.id
    (study.paths.folder / "study.toml").rename(study.paths.folder / "study.toml.partial")
    study.close()
    study = import_study(bundle, tmp_path / "again", database=database, around=make_circumstances()).study
    assert len(read_rows(study)["events"]) == n_events
    assert study.id == first_id
    with study.begin() as begun:
        begun.connection.execute(
            insert(events), {"what": "x", "who": "", "at": "", "parameters": {}, "code_version": ""}
        )
        assert [event.what for event in list_events(begun)][-2:] == ["import", "x"]
    study.close()
