"""A drawn test set as a folder: names that are safe, a manifest with every source, and a card that programs read."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.formats.exports.test_drawn_folders import HOSTILE
from tests.workflows.campaign_studies import draw_picture
from tests.workflows.pool_studies import PLAN, Pooled, make_facts, make_pooled

from regauge.errors import InputError
from regauge.formats.testsets import load_located
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.testsets.pool import DrawSources, GatheredImages
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.records.testsets.test_set import TestSet
from regauge.storage.testsets.pool import insert_pool
from regauge.workflows.exports.draw_exports import export_draw
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draw_reviews import remove_from_draw
from regauge.workflows.testsets.draws import draw_test_set, revise_test_set


def export(pooled: Pooled, folder: Path, name: str = "drawn", *, link: bool = False) -> str:
    with pooled.study.read() as reading:
        export_draw(reading, name, folder=folder, link=link)
    return (folder / "README.md").read_text()


def test_the_manifest_says_where_every_image_is_from(tmp_path: Path) -> None:
    with make_pooled(tmp_path, with_files=True) as pooled:
        with pooled.study.begin() as begun:
            made = draw_test_set(begun, PLAN, name="drawn", sources=pooled.sources).draw
        export(pooled, tmp_path / "out")
    found = pl.read_csv(tmp_path / "out" / "manifest.csv")
    assert found["image_id"].to_list() == made.image_ids.tolist()
    assert found["n_selected"].to_list() == made.n_selected.tolist()
    for row in found.iter_rows(named=True):
        content = (tmp_path / "out" / row["file_name"]).read_bytes()
        assert row["sha256"] == hashlib.sha256(content).hexdigest()
        assert row["file_name"] == f"{row['class_id']}/{row['image_id']}.png"
        assert row["url"] == f"https://example.org/{row['image_id']}"
        assert (row["pool"], row["source"], row["taken_at"], row["uploaded_at"]) == (
            "batch",
            "flickr",
            "2014-07-31",
            None,
        )
    assert set(found["licence"].to_list()) == {None, "CC BY 2.0"}


def test_the_card_has_a_header_for_programs_and_numbers_with_intervals_for_people(tmp_path: Path) -> None:
    with make_pooled(tmp_path, with_files=True) as pooled:
        with pooled.study.begin() as begun:
            made = draw_test_set(begun, PLAN, name="drawn", sources=pooled.sources).draw
            remove_from_draw(begun, "drawn", image_id=str(made.image_ids[0]), reason="`a` drawing")
            revise_test_set(begun, "drawn")
        first, second = export(pooled, tmp_path / "one"), export(pooled, tmp_path / "two", "drawn-2")
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: pip install pyyaml")
    header = yaml.safe_load(first.split("---\n")[1])
    assert header["configs"][0]["data_files"][0]["path"] == ["metadata.jsonl", "*/*"]
    assert header["dataset_info"]["splits"][0]["num_examples"] == 20
    for words in (
        "20 images of 2 of 10 classes",
        "- seed: 7",
        "`batch`",
        "`counts.csv`",
        "(n = 20 images; 95%",
        "| [0.8, 1] | 8 | 0 |",
    ):
        assert words in first
    assert "It was revised in `drawn-2`" in first
    assert "`'a' drawing`" in first
    assert "not known: " in first
    assert "`CC BY 2.0`: " in first
    assert "It revises `drawn`: 19 of 20 images are carried over." in second
    assert "1 candidates left out: `review: 'a' drawing`" in second
    # Nobody learns from it where the files lay.
    assert str(tmp_path) not in first


def test_datasets_opens_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="Hugging Face's reader is not installed: pip install datasets")
    datasets.disable_progress_bars()
    with make_pooled(tmp_path, with_files=True) as pooled:
        with pooled.study.begin() as begun:
            made = draw_test_set(begun, PLAN, name="drawn", sources=pooled.sources).draw
        export(pooled, tmp_path / "out")
    opened = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert list(opened) == ["test"]
    assert set(opened["test"]["image_id"]) == set(made.image_ids.tolist())


def test_whatever_an_image_is_called_its_file_is_safe_and_its_id_comes_back(tmp_path: Path) -> None:
    with make_pooled(tmp_path) as pooled:
        with pooled.study.begin() as begun:
            _add_hostile(begun, tmp_path / "hostile")
            plan = SamplingPlan(Strategy.KEYWORDS, per_class=len(HOSTILE), min_annotations=0)
            sources = DrawSources(("hostile",), keywords=tuple((5, word, 1) for word in ("one", "two", "three")))
            made = draw_test_set(begun, plan, name="drawn", sources=sources, allow_short=True).draw
        export(pooled, tmp_path / "out")
        located = load_located(tmp_path / "out", taxonomy=pooled.study.taxonomy)
    assert located.test_set.image_ids.tolist() == made.image_ids.tolist()
    assert located.test_set.labels.tolist() == made.classes.tolist()
    files = [one for one in (tmp_path / "out").rglob("*") if one.is_file()]
    assert all(one.resolve().is_relative_to(tmp_path / "out") for one in files)
    assert len(files) == len(made) + 4


def _add_hostile(study: Study, folder: Path) -> None:
    folder.mkdir()
    for number in range(len(HOSTILE)):
        (folder / f"{number}.png").write_bytes(draw_picture(number))
    test_set = TestSet("hostile", np.array(HOSTILE), np.full(len(HOSTILE), 5))
    places = tuple(ImagePlace(f"{number}.png") for number in range(len(HOSTILE)))
    located = LocatedTestSet(test_set, TestSetKind.TABLE, str(folder), places)
    insert_pool(study, GatheredImages(located, make_facts(HOSTILE)), provenance={})


def test_pieces_of_a_shard_are_copied_also_where_links_are_asked_for(tmp_path: Path) -> None:
    shard = tmp_path / "pool.tar"
    content = draw_picture(1)
    with tarfile.open(shard, "w") as tar:
        member = tarfile.TarInfo("a.png")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    with tarfile.open(shard) as tar:
        offset = tar.getmembers()[0].offset_data
    place = ImagePlace("pool.tar", offset, len(content), hashlib.sha256(content).hexdigest())
    with make_pooled(tmp_path) as pooled:
        located = LocatedTestSet(
            TestSet("shard", np.array(["a"]), np.array([5])), TestSetKind.SHARDS, str(tmp_path), (place,)
        )
        with pooled.study.begin() as begun:
            insert_pool(begun, GatheredImages(located, make_facts(["a"])), provenance={})
            plan = SamplingPlan(Strategy.KEYWORDS, per_class=1, min_annotations=0)
            draw_test_set(begun, plan, name="drawn", sources=DrawSources(("shard",), keywords=((5, "one", 1),)))
        export(pooled, tmp_path / "out", link=True)
    (file,) = (tmp_path / "out").rglob("a.png")
    assert not file.is_symlink()
    assert file.read_bytes() == content


def test_a_set_without_files_cannot_be_exported(tmp_path: Path) -> None:
    with make_pooled(tmp_path) as pooled:
        with pooled.study.begin() as begun:
            draw_test_set(begun, PLAN, name="drawn", sources=pooled.sources)
        with pytest.raises(InputError, match="of drawn has no file, so it cannot be copied"):
            export(pooled, tmp_path / "out")
    assert not (tmp_path / "out").exists()
