"""Making, finding and opening a study, and what it says of itself; on both databases."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import delete, select, text, update
from tests.cli.command_runner import write
from tests.storage.small_studies import STAMP, draw_flat, fill, make_circumstances, make_study

import regauge
from regauge import Predictions, ShiftSettings
from regauge.errors import FormatError, InputError, StorageError
from regauge.records.studies import Selection
from regauge.storage.database.engine import make_postgres_engine, parse_url
from regauge.storage.database.schema import revisions
from regauge.storage.database.study_tables import studies as studies_table
from regauge.storage.events import add_event, list_events
from regauge.workflows.evaluation.evaluations import compare, evaluate
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies import study as studies_module
from regauge.workflows.studies.study import Study, describe_status, find_study, init_study, open_study
from regauge.workflows.testsets.test_set import add_test_set

REPORT = "Write the report: regauge report"


def list_steps(study: Study) -> tuple[str, ...]:
    return tuple(map(str, describe_status(study).next_steps))


def test_a_new_study_has_its_folders_and_says_what_comes_first(study: Study) -> None:
    assert sorted(entry.name for entry in study.paths.folder.iterdir() if entry.is_dir()) == [
        "cache",
        "predictions",
        "reports",
    ]
    with study.read() as begun:
        status = describe_status(begun)
    assert (status.taxonomy, status.n_classes, status.test_sets) == ("cifar-10", 10, ())
    assert tuple(map(str, status.next_steps)) == ("Add a test set: regauge testset add PATH",)


def test_a_study_that_was_closed_is_found_as_it_was(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    study.close()
    again = open_study(tmp_path / "study", around=make_circumstances())
    with study.read() as before, again.read() as after:
        assert describe_status(after) == describe_status(before)
        assert [entry.name for entry in describe_status(after).test_sets] == ["truth"]
    again.close()


def test_the_status_names_what_is_missing_until_nothing_is(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        assert list_steps(begun) == ("Evaluate 2 new predictions: regauge evaluate --test-set truth",)
        evaluate(begun)
        assert list_steps(begun) == (REPORT,)
        add_event(begun, "report", {})
        assert list_steps(begun) == ()
        other = PredictionSource(Predictions("good", list("abcd"), [0] * 4))
        add_predictions(begun, other, replace=True)
        assert list_steps(begun) == ("Evaluate one new prediction: regauge evaluate --test-set truth",)


def test_the_status_asks_for_labels_of_a_test_set_that_has_none(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"flat.csv": "image_id,class\nx,0\n", "found.jsonl": '{"image_id":"x","correct":[0]}\n'})
    draw_flat(tmp_path / "flat" / "x.png")
    ask = "Add labels of flat, which has none to score by: regauge labels add FILE"
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "flat")
        add_predictions(begun, PredictionSource(f"good={tmp_path}/flat.csv"), test_set="flat")
        assert ask in list_steps(begun)
        assert not [one for one in list_steps(begun) if "--test-set flat" in one or "compare" in one]
        add_labels(begun, tmp_path / "found.jsonl")
        assert ask not in list_steps(begun)
        assert "Evaluate one new prediction: regauge evaluate --test-set flat" in list_steps(begun)


def test_the_status_asks_for_an_evaluation_under_labels_that_are_new(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        evaluate(begun)
        write(tmp_path, {"far.csv": "image_id,label\nx y,0\n", "far.jsonl": '{"image_id":"x y","correct":[0]}\n'})
        add_test_set(begun, tmp_path / "far.csv", name="far away")
        add_labels(begun, tmp_path / "far.jsonl")
        add = "Add predictions on far away: regauge predictions add FILE… --test-set 'far away'"
        # The new labels are about another test set, so the first one needs no evaluation.
        assert list_steps(begun) == (add, REPORT)
        add_labels(begun, tmp_path / "verdicts.jsonl")
        again = "Evaluate truth under verdicts@2: regauge evaluate --test-set truth"
        assert list_steps(begun) == (again, add, REPORT)
        evaluate(begun, Selection("truth"))
        assert list_steps(begun) == (add, REPORT)


def test_the_status_asks_for_a_comparison_with_the_answers_of_today(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    step = "Compare truth and new: regauge compare truth new"
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv", name="new")
        add_predictions(begun, PredictionSource(Predictions("new", list("abcd"), [0] * 4)), test_set="new")
        assert step not in list_steps(begun)
        add_predictions(begun, PredictionSource(tmp_path / "good.csv"), test_set="new")
        assert step in list_steps(begun)
        # The other way round it is a comparison of the same two.
        compare(begun, Selection("new"), Selection("truth"), settings=ShiftSettings(n_bootstrap=100))
        add_event(begun, "report", {})
        assert step not in list_steps(begun)
        assert REPORT not in list_steps(begun)
        other = PredictionSource(Predictions("good", list("abcd"), [0] * 4))
        add_predictions(begun, other, test_set="new", replace=True)
        assert step in list_steps(begun)
        compare(begun, Selection("truth"), Selection("new"), settings=ShiftSettings(n_bootstrap=100))
        assert step not in list_steps(begun)
        assert REPORT in list_steps(begun)


def test_every_change_is_an_event_with_time_person_and_version(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.read() as begun:
        events = list_events(begun)
    assert [event.what for event in events] == ["init", "testset add", "predictions add", "labels add"]
    assert {(event.who, event.at, event.code_version) for event in events} == {("tester", STAMP, regauge.__version__)}
    assert events[3].parameters["labels"] == "verdicts@1"


def test_what_is_not_committed_leaves_no_trace(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        before = describe_status(begun)
    with pytest.raises(InputError, match="no test set"), study.begin() as begun:
        fill_without_commit(begun, tmp_path)
    with study.read() as begun:
        assert describe_status(begun) == before
        assert [event.what for event in list_events(begun)] == ["init"]


def fill_without_commit(study: Study, folder: Path) -> None:
    add_test_set(study, folder / "truth.csv")
    add_predictions(study, PredictionSource(folder / "good.csv"))
    add_predictions(study, PredictionSource(folder / "bad.csv"), test_set="other")


def test_a_workflow_outside_of_a_transaction_is_refused(study: Study) -> None:
    with pytest.raises(InputError, match=r"inside `with study.begin"):
        describe_status(study)


def test_a_database_with_a_study_takes_no_second_one(study: Study, tmp_path: Path, database: str) -> None:
    folder = tmp_path / ("study" if not database else "second")
    with pytest.raises((InputError, StorageError), match="already holds a study"):
        init_study(folder, taxonomy="cifar-10", database=database, around=make_circumstances())


def test_a_study_whose_making_was_stopped_after_its_tables_is_made_anew(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(studies_module, "write_settings", stop)
        with pytest.raises(KeyboardInterrupt):
            init_study(tmp_path / "s", taxonomy="cifar-10", database=database, around=make_circumstances())
    assert not (tmp_path / "s" / "study.toml").exists()
    if database:
        # From another folder the same tables are somebody else's.
        with pytest.raises(StorageError, match="already holds a study"):
            init_study(tmp_path / "t", taxonomy="cifar-10", database=database, around=make_circumstances())
    init_study(tmp_path / "s", taxonomy="imagenet-1k", database=database, around=make_circumstances(1)).close()
    study = open_study(tmp_path / "s", around=make_circumstances())
    with study.read() as begun:
        assert [event.what for event in list_events(begun)] == ["init"]
    assert len(study.taxonomy) == 1000
    assert not (tmp_path / "s" / "study.toml.partial").exists()
    study.close()


def test_tables_that_somebody_has_used_are_never_replaced(tmp_path: Path, postgres_database: str) -> None:
    with make_study(tmp_path, database=postgres_database) as study:
        fill(study, tmp_path)
        folder = study.paths.folder
        (folder / "study.toml").rename(folder / "study.toml.partial")
        with pytest.raises(StorageError, match="already holds a study"):
            init_study(folder, taxonomy="cifar-10", database=postgres_database, around=make_circumstances())
        with study.read() as begun:
            assert len(describe_status(begun).test_sets) == 1


def test_a_database_with_a_table_of_our_names_is_not_empty(tmp_path: Path, postgres_database: str) -> None:
    engine = make_postgres_engine(parse_url(postgres_database))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE images (precious INTEGER)"))
    with pytest.raises(StorageError, match="already holds a table 'images'"):
        init_study(tmp_path / "s", taxonomy="cifar-10", database=postgres_database, around=make_circumstances())
    engine.dispose()


def test_a_database_of_another_study_is_refused(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        begun.connection.execute(update(studies_table).values(id="another"))
    with pytest.raises(StorageError, match=r"holds the study another, but study.toml is that of"):
        open_study(tmp_path / "study", around=make_circumstances())


def test_tables_of_a_newer_version_are_refused(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        begun.connection.execute(update(revisions).values(version_num="9999"))
    with pytest.raises(StorageError, match="revision 9999, which this version of Regauge does not know"):
        open_study(tmp_path / "study", around=make_circumstances())


def test_a_reader_sees_one_moment_while_others_write(study: Study, tmp_path: Path) -> None:
    with study.read() as reader:
        assert reader.connection.execute(select(studies_table)).one()
        fill(study, tmp_path)
        assert describe_status(reader).test_sets == ()
    with study.read() as reader:
        assert len(describe_status(reader).test_sets) == 1


def test_an_address_with_a_password_or_of_another_database_is_refused(tmp_path: Path) -> None:
    for address, reason in (
        ("postgresql://me:secret@host/name", "Leave the password out"),
        ("postgresql://me@host/name?password=secret", "Leave the password out"),
        ("mysql://host/name", "SQLite or PostgreSQL, not mysql"),
        ("nonsense", "not a database address"),
    ):
        with pytest.raises(InputError, match=reason) as error:
            init_study(tmp_path / "s", taxonomy="cifar-10", database=address, around=make_circumstances())
        assert "secret" not in str(error.value)
    assert not (tmp_path / "s").exists()


def test_a_server_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    address = f"postgresql://me@/name?host={tmp_path}"
    with pytest.raises(StorageError, match="cannot be used: ") as error:
        init_study(tmp_path / "s", taxonomy="cifar-10", database=address, around=make_circumstances())
    assert "\n" not in str(error.value)


# SQLite only: what is about folders.


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match=r"holds 'thesis.tex' already"):
        init_study(tmp_path, taxonomy="cifar-10", around=make_circumstances())
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_study_whose_making_was_stopped_is_made_anew(tmp_path: Path) -> None:
    init_study(tmp_path / "s", taxonomy="cifar-10", around=make_circumstances()).close()
    (tmp_path / "s" / "study.toml").unlink()
    init_study(tmp_path / "s", taxonomy="imagenet-1k", around=make_circumstances(1)).close()
    study = open_study(tmp_path / "s", around=make_circumstances())
    assert len(study.taxonomy) == 1000
    study.close()


def test_a_taxonomy_of_your_own_goes_into_the_study(tmp_path: Path) -> None:
    classes = tmp_path / "classes.csv"
    classes.write_text("index,id,names\n0,x,cat\n1,y,dog\n")
    init_study(tmp_path / "s", taxonomy=str(classes), around=make_circumstances()).close()
    classes.unlink()
    study = open_study(tmp_path / "s", around=make_circumstances())
    assert [one.name for one in study.taxonomy.classes] == ["cat", "dog"]
    study.close()


def test_the_nearest_study_above_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    init_study(tmp_path / "s", taxonomy="cifar-10", around=make_circumstances()).close()
    below = tmp_path / "s" / "reports" / "deep"
    below.mkdir()
    monkeypatch.chdir(below)
    assert find_study() == tmp_path / "s"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="There is no study here"):
        find_study()
    with pytest.raises(InputError, match=r"is not a study: it has no study\.toml"):
        find_study(tmp_path)


def test_a_study_without_its_database_is_refused_and_gets_no_new_one(tmp_path: Path) -> None:
    init_study(tmp_path / "s", taxonomy="cifar-10", around=make_circumstances()).close()
    (tmp_path / "s" / "study.db").unlink()
    with pytest.raises(StorageError, match=r"study\.db is gone"):
        open_study(tmp_path / "s", around=make_circumstances())
    assert not (tmp_path / "s" / "study.db").exists()


@pytest.mark.parametrize("content", [b"this is not a database, whatever its name says" * 40, b""])
def test_a_damaged_database_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    init_study(tmp_path / "s", taxonomy="cifar-10", around=make_circumstances()).close()
    (tmp_path / "s" / "study.db").write_bytes(content)
    with pytest.raises(StorageError, match=r"study\.db (cannot be used|holds no study)"):
        open_study(tmp_path / "s", around=make_circumstances())


def test_a_study_without_its_id_row_is_refused(tmp_path: Path) -> None:
    study = init_study(tmp_path / "s", taxonomy="cifar-10", around=make_circumstances())
    with study.begin() as begun:
        begun.connection.execute(delete(studies_table))
    study.close()
    with pytest.raises(StorageError, match="do not belong together"):
        open_study(tmp_path / "s", around=make_circumstances())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("format = 2\n", "format must be 1, not 2"),
        ("format = 1\nid = 3\ntaxonomy = 'cifar-10'\n", "id must be a text, not 3"),
        ("format = 1\nid = 'x'\n", "taxonomy must be a text, not ''"),
        ("format = ", "this is not TOML"),
    ],
)
def test_a_study_file_that_is_not_ours_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "study.toml").write_text(content)
    with pytest.raises(FormatError, match=reason):
        open_study(tmp_path, around=make_circumstances())


def test_who_still_reads_when_a_study_is_closed_leaves_no_connection_open(study: Study) -> None:
    with study.read() as reading:
        kept = reading.connection.connection.dbapi_connection
        study.close()
        assert reading.connection.scalar(text("SELECT 1")) == 1
    assert kept is not None
    with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError), match="closed"):
        kept.cursor()
