"""What leaves a study for other programs, opened by those programs' own readers where they are installed."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.storage.small_studies import make_study
from tests.workflows.campaign_studies import draw_picture
from tests.workflows.picture_study import IDS, draw, evaluate_all, make_pictured_study

from regauge import ScoreSettings
from regauge.errors import FormatError, InputError, StorageError
from regauge.formats.exports.tables import KINDS, TABLES
from regauge.records.studies import Selection
from regauge.storage.events import list_events
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.evaluation.evaluations import evaluate, load_scores
from regauge.workflows.exports.content import ExportChoice
from regauge.workflows.exports.croissant import export_croissant
from regauge.workflows.exports.crowd_kit import export_crowd_kit
from regauge.workflows.exports.huggingface import export_huggingface
from regauge.workflows.exports.label_studio import export_label_studio
from regauge.workflows.exports.tables import export_tables
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set, relocate_test_set

LABELLED = ExportChoice(labels=["people"])


@pytest.fixture
def pictured(tmp_path: Path) -> Iterator[Study]:
    with make_pictured_study(tmp_path) as study:
        evaluate_all(study)
        with study.read() as begun:
            yield begun


# Tables


def read_table(path: Path) -> pl.DataFrame:
    schema = dict(TABLES[path.stem])
    if path.suffix == ".parquet":
        return pl.read_parquet(path)
    return pl.read_ndjson(path, schema=schema) if path.suffix == ".jsonl" else pl.read_csv(path, schema=schema)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_hold_what_the_study_holds(tmp_path: Path, database: str, kind: str) -> None:
    with make_pictured_study(tmp_path, database=database) as study:
        evaluate_all(study)
        with study.read() as begun:
            files = export_tables(begun, tmp_path / "out", kind=kind)
            scores = load_scores(begun, 1).to_frame()
    tables = {file.path.stem: read_table(file.path) for file in files}
    assert [(file.path.name, file.n_rows) for file in files] == [
        (f"{name}.{kind}", tables[name].height) for name in TABLES
    ]
    assert {name: dict(frame.schema) for name, frame in tables.items()} == {
        name: dict(schema) for name, schema in TABLES.items()
    }
    assert tables["images"]["image_id"].to_list() == list(IDS)
    assert tables["images"]["sha256"].null_count() == 0
    assert tables["labels"].height == 5
    assert tables["predictions"].height == 4 + 15
    assert tables["scores"].select(scores.columns).equals(scores)
    assert set(tables["scores"]["evaluation"]) == {1}


def test_tables_of_one_test_set_one_label_version_and_one_participant(tmp_path: Path) -> None:
    with make_pictured_study(tmp_path) as study:
        (tmp_path / "other.csv").write_text("image_id,label\nx,0\nété,2\n")
        with study.begin() as begun:
            add_test_set(begun, tmp_path / "other.csv")
            add_labels(begun, tmp_path / "other.csv", name="people2")
        evaluate_all_of_pictures(study)
        with study.read() as begun:
            everything = export_tables(begun, tmp_path / "all", kind="csv")
            choice = ExportChoice("pictures", ["people2@1"], ["b*"])
            some = export_tables(begun, tmp_path / "some", kind="csv", choice=choice)
    tables = {file.path.stem: read_table(file.path) for file in some}
    assert read_table(everything[0].path).height == 6
    assert set(read_table(everything[3].path)["labels"]) == {"dataset", "people@1", "people2@1"}
    assert set(tables["images"]["test_set"]) == {"pictures"}
    assert tables["labels"].select("label_set", "image_id", "class").rows() == [("people2", "été", 2)]
    assert set(tables["predictions"]["participant"]) == {"bad"}
    assert set(tables["scores"]["labels"]) == {"dataset", "people2@1"}


def evaluate_all_of_pictures(study: Study) -> None:
    with study.begin() as begun:
        evaluate(begun, Selection("pictures"), settings=ScoreSettings(allow_missing=True, n_bootstrap=100))


def test_a_study_without_answers_or_labels_gives_tables_without_rows(tmp_path: Path) -> None:
    with make_study(tmp_path) as study:
        with pytest.raises(InputError, match="no test set yet"), study.read() as begun:
            export_tables(begun, tmp_path / "out", kind="csv")
        with study.begin() as begun:
            add_test_set(begun, tmp_path / "truth.csv")
            files = export_tables(begun, tmp_path / "out", kind="csv")
    assert [file.n_rows for file in files] == [4, 0, 0, 0]


# Hugging Face


@pytest.mark.parametrize("shards", [False, True])
def test_pictures_are_copied_byte_for_byte_from_files_and_shards(tmp_path: Path, shards: bool) -> None:
    with make_pictured_study(tmp_path, shards=shards) as study, study.read() as begun:
        export_huggingface(begun, tmp_path / "hf", choice=LABELLED, license_name="cc-by-4.0")
    lines = [json.loads(line) for line in (tmp_path / "hf" / "metadata.jsonl").read_text().splitlines()]
    assert [line["image_id"] for line in lines] == list(IDS)
    assert [(tmp_path / "hf" / line["file_name"]).read_bytes() for line in lines] == [draw(i) for i in range(4)]
    assert [line["correct"] for line in lines] == [[0, 1], [], [], None]
    assert [line["problematic"] for line in lines] == [False, False, True, None]
    assert [line["main"] for line in lines] == [None, 1, None, None]


@pytest.mark.parametrize("name", ["hf", "test"])
def test_datasets_opens_the_folder(pictured: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="Hugging Face's reader is not installed: pip install datasets")
    datasets.disable_progress_bars()
    export_huggingface(pictured, tmp_path / name, choice=LABELLED)
    opened = datasets.load_dataset("imagefolder", data_dir=str(tmp_path / name), cache_dir=str(tmp_path / "cache"))
    (split,) = opened.values()
    assert split["image_id"][:] == list(IDS)
    assert split["label"][:] == [0, 1, 2, 3]
    assert split["unclear"][:] == [[], [1], [], None]
    assert split[0]["image"].size == (8, 8)
    by_card = datasets.load_dataset(str(tmp_path / name), cache_dir=str(tmp_path / "cache2"))
    assert list(by_card) == ["test"]
    assert by_card["test"].num_rows == 4


def test_the_card_is_one_that_datasets_understands(pictured: Study, tmp_path: Path) -> None:
    info = pytest.importorskip("datasets.info", reason="Hugging Face's reader is not installed: pip install datasets")
    export_huggingface(pictured, tmp_path / "hf", choice=LABELLED, license_name="cc-by-4.0")
    found = info.DatasetInfosDict.from_directory(str(tmp_path / "hf"))["default"]
    assert found.features["label"].names[:2] == ["n02691156", "n02958343"]
    assert found.splits["test"].num_examples == 4
    text = (tmp_path / "hf" / "README.md").read_text()
    assert 'license: "cc-by-4.0"' in text
    assert "`people@1`" in text
    assert "It covers 3 of the 4 images here." in text


def test_the_folder_can_be_added_to_a_study_again(tmp_path: Path) -> None:
    with make_pictured_study(tmp_path) as study:
        with study.read() as begun:
            export_huggingface(begun, tmp_path / "hf")
        with study.begin() as begun:
            assert add_test_set(begun, tmp_path / "hf").entry.digest == get_test_set(begun, "pictures").digest


def test_what_is_no_picture_is_not_copied(tmp_path: Path) -> None:
    with make_pictured_study(tmp_path) as study:
        (tmp_path / "secret.csv").write_text("image_id,label,file\na,0,a.png\n")
        (tmp_path / "a.png").write_bytes(draw_picture(1))
        with study.begin() as begun:
            add_test_set(begun, tmp_path / "secret.csv")
            # It was a picture when it was added.
            (tmp_path / "a.png").write_text("secret")
            (tmp_path / "truth.csv").write_text("image_id,label\na,0\n")
            add_test_set(begun, tmp_path / "truth.csv")
        for name, kind, reason in (
            ("secret", FormatError, "not an image of a known format"),
            ("truth", InputError, "has no file, so it cannot be copied"),
        ):
            with pytest.raises(kind, match=reason), study.read() as begun:
                export_huggingface(begun, tmp_path / "hf", choice=ExportChoice(name))
    assert not list(tmp_path.glob("hf*"))


# Croissant


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("kind", [None, *KINDS])
def test_mlcroissant_accepts_the_description_and_reads_its_records(
    pictured: Study, tmp_path: Path, kind: str | None
) -> None:
    mlcroissant = pytest.importorskip(
        "mlcroissant", reason="Croissant's reader is not installed: pip install mlcroissant"
    )
    logging.getLogger("absl").setLevel(logging.ERROR)
    (tmp_path / "out").mkdir()
    if kind is not None:
        export_tables(pictured, tmp_path / "out", kind=kind, choice=ExportChoice("pictures"))
    choice = ExportChoice("pictures")
    export_croissant(pictured, tmp_path / "out" / "croissant.json", choice=choice, license_name="cc-by-4.0")
    dataset = mlcroissant.Dataset(jsonld=str(tmp_path / "out" / "croissant.json"))
    assert dataset.metadata.ctx.issues.errors == set()
    images = list(dataset.records("images"))
    assert [row["images/image_id"].decode() for row in images] == list(IDS)
    assert [row["images/label"] for row in images] == [0, 1, 2, 3]
    assert [row["labels/main"] for row in dataset.records("labels")] == [None, None, None, 1, None]
    assert len(list(dataset.records("predictions"))) == 19
    assert {row["scores/metric"] for row in dataset.records("scores")} >= {b"top1", b"multilabel_strict"}


def test_tables_that_are_not_ours_or_of_more_than_the_test_set_are_not_described(tmp_path: Path) -> None:
    with make_pictured_study(tmp_path) as study:
        (tmp_path / "truth.csv").write_text("image_id,label\na,0\n")
        with study.begin() as begun:
            add_test_set(begun, tmp_path / "truth.csv")
            export_tables(begun, tmp_path / "both", kind="csv")
            (tmp_path / "mine").mkdir()
            (tmp_path / "mine" / "images.csv").write_text("holiday,place\n")
            for folder, reason in (("both", "not an export of pictures alone"), ("mine", "not a table that Regauge")):
                with pytest.raises(FormatError, match=reason):
                    export_croissant(begun, tmp_path / folder / "c.json", choice=ExportChoice("pictures"))
                assert not (tmp_path / folder / "c.json").exists()


# Label Studio


def check_with_label_studio(folder: Path) -> list[dict[str, Any]]:
    interface = pytest.importorskip(
        "label_studio_sdk.label_interface",
        reason="Label Studio's reader is not installed: pip install label-studio-sdk",
    )
    config = interface.LabelInterface((folder / "tasks.xml").read_text())
    config.validate()
    tasks: list[dict[str, Any]] = json.loads((folder / "tasks.json").read_text())
    for task in tasks:
        assert config.validate_task({"data": task["data"]})
        for prediction in task["predictions"]:
            assert config.validate_prediction(prediction, return_errors=True) == []
        for annotation in task.get("annotations", []):
            assert config.validate_annotation(annotation)
    return tasks


def test_label_studio_accepts_tasks_predictions_and_annotations(pictured: Study, tmp_path: Path) -> None:
    export_label_studio(pictured, tmp_path / "tasks.json", choice=LABELLED)
    tasks = check_with_label_studio(tmp_path)
    assert [len(task["predictions"]) for task in tasks] == [2, 2, 2, 1]
    assert [len(task.get("annotations", [])) for task in tasks] == [1, 1, 1, 0]


def test_tasks_name_pictures_answers_and_verdicts(pictured: Study, tmp_path: Path) -> None:
    choice = ExportChoice(labels=["people"], participants=["bad"])
    export_label_studio(pictured, tmp_path / "t.json", choice=choice, image_url_prefix="https://x.org/")
    tasks = json.loads((tmp_path / "t.json").read_text())
    assert [task["data"]["image"] for task in tasks] == [
        "https://x.org/0/ILSVRC2012_val_00000001.png",
        "https://x.org/1/b%20test.png",
        "https://x.org/2/%C3%A9t%C3%A9.png",
        "https://x.org/3/d.png",
    ]
    chosen = [[result["value"]["choices"] for result in task["predictions"][0]["result"]] for task in tasks[:3]]
    assert chosen == [[["1 n02958343 automobile"]], [["2 n01503061 bird"]], [["3 n02121620 cat"]]]
    assert (tasks[3]["predictions"], tasks[0]["predictions"][0]["score"]) == ([], 0.875)
    found = [
        {result["from_name"]: result["value"]["choices"] for result in task["annotations"][0]["result"]}
        for task in tasks[:3]
    ]
    assert found == [
        {"correct": ["0 n02691156 airplane", "1 n02958343 automobile"]},
        {"unclear": ["1 n02958343 automobile"]},
        {"problematic": ["problematic"]},
    ]


def test_pictures_in_shards_have_no_address(tmp_path: Path) -> None:
    with (
        make_pictured_study(tmp_path, shards=True) as study,
        pytest.raises(InputError, match="lies in a shard, and Label Studio needs a file"),
        study.read() as begun,
    ):
        export_label_studio(begun, tmp_path / "t.json")
    assert not list(tmp_path.glob("t.*"))


# crowd-kit


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_crowd_kit_counts_the_votes(pictured: Study, tmp_path: Path) -> None:
    aggregation = pytest.importorskip(
        "crowdkit.aggregation", reason="crowd-kit is not installed: pip install crowd-kit"
    )
    pandas = pytest.importorskip("pandas")
    assert export_crowd_kit(pictured, tmp_path / "votes.csv").n_rows == 7
    votes = aggregation.MajorityVote().fit_predict(pandas.read_csv(tmp_path / "votes.csv"))
    assert {task: int(label) for task, label in votes.items()}["d"] == 3
    assert set(votes.index) == set(IDS)


def test_votes_are_first_answers_of_those_who_were_asked_for(pictured: Study, tmp_path: Path) -> None:
    export_crowd_kit(pictured, tmp_path / "votes.csv", choice=ExportChoice(participants=["b*"]))
    assert (tmp_path / "votes.csv").read_text() == (
        "task,worker,label\nILSVRC2012_val_00000001,bad,1\nb test,bad,2\nété,bad,3\n"
    )


# What is refused


def test_what_is_not_there_or_is_there_already_is_refused(pictured: Study, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text("precious")
    (tmp_path / "u.xml").write_text("precious")
    refusals: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: export_tables(pictured, tmp_path / "pictures", kind="csv"), InputError, "not an empty folder"),
        (lambda: export_tables(pictured, tmp_path / "o", kind="csv", choice=ExportChoice("x")), InputError, "test set"),
        (lambda: export_crowd_kit(pictured, tmp_path / "t.json"), InputError, "exists"),
        (lambda: export_croissant(pictured, tmp_path / "t.json"), InputError, "exists"),
        (lambda: export_label_studio(pictured, tmp_path / "u.json"), InputError, "exists"),
        (lambda: export_label_studio(pictured, tmp_path / "v.xml"), InputError, "at once"),
        (lambda: export_crowd_kit(pictured, tmp_path / "no" / "t.csv"), StorageError, "cannot be written"),
        (
            lambda: export_huggingface(pictured, tmp_path / "o", choice=ExportChoice(labels=["people", "people@1"])),
            InputError,
            "takes one label set, not 2",
        ),
    ]
    before = sorted(tmp_path.rglob("*"))
    for act, kind, reason in refusals:
        with pytest.raises(kind, match=reason):
            act()
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "t.json").read_text() == "precious"


# Where pictures moved


@pytest.mark.parametrize("shards", [False, True])
def test_pictures_that_moved_are_found_again(tmp_path: Path, shards: bool) -> None:
    with make_pictured_study(tmp_path, shards=shards) as study:
        (tmp_path / "moved").mkdir()
        (tmp_path / ("shard.tar" if shards else "pictures")).rename(tmp_path / "moved" / "shard.tar")
        root = tmp_path / "moved" if shards else tmp_path / "moved" / "shard.tar"
        with pytest.raises(FormatError, match="there is no such file"), study.read() as begun:
            export_huggingface(begun, tmp_path / "hf")
        with study.begin() as begun:
            moved = relocate_test_set(begun, "pictures", root=root)
            export_huggingface(begun, tmp_path / "hf")
            event = list_events(begun)[-1]
    assert moved.entry.root == str(root)
    assert (event.what, event.parameters["to"], event.parameters["n_checksums"]) == ("testset relocate", str(root), 4)


def test_a_root_without_all_of_the_pictures_is_refused(tmp_path: Path) -> None:
    with make_pictured_study(tmp_path) as study:
        (tmp_path / "truth.csv").write_text("image_id,label\na,0\n")
        with study.begin() as begun:
            add_test_set(begun, tmp_path / "truth.csv")
        (tmp_path / "pictures" / "2" / "été.png").write_bytes(draw(7))
        for name, root, reason in (
            ("pictures", tmp_path / "pictures", "its checksum is another"),
            ("pictures", tmp_path, "there is no such file"),
            ("pictures", tmp_path / "nowhere", "is not a folder"),
            ("truth", tmp_path, "without image files"),
            ("other", tmp_path, "no test set 'other'"),
        ):
            with pytest.raises(InputError, match=reason), study.begin() as begun:
                relocate_test_set(begun, name, root=root)
        with study.read() as begun:
            assert list_events(begun)[-1].what == "testset add"
