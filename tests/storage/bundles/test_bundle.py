"""Bundles that were made to do harm are refused with one sentence, before anything is a study."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Column, LargeBinary, MetaData, Table, create_engine
from tests.storage.small_studies import fill, list_computed_indexes, make_circumstances, make_study
from tests.storage.tampered_bundles import Change, Members, edit_rows, meddle, read_members, seal, write_sealed

from regauge.errors import FormatError, StorageError
from regauge.storage.bundles import tables as bundle_tables
from regauge.storage.bundles.files import MANIFEST, open_bundle
from regauge.storage.bundles.tables import add_computed_indexes, describe_table, make_tables
from regauge.storage.database.schema import metadata
from regauge.workflows.evaluation.evaluations import evaluate
from regauge.workflows.studies.bundles import export_bundle, import_study


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
        with study.begin() as begun:
            evaluate(begun)
        with study.read() as begun:
            return export_bundle(begun, tmp_path / "x.zip")


def check_refused(path: Path, reason: str) -> None:
    folder = path.parent / "again"
    with pytest.raises(FormatError, match=reason) as error:
        import_study(path, folder, around=make_circumstances())
    assert "\n" not in str(error.value)
    assert not folder.exists()


def add_member(name: str) -> Change:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        members[name] = b"x"
        manifest["members"][name] = {}

    return change


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../../etc/cron.d/x",
            "/etc/passwd",
            "tables/../../x.jsonl",
            "C:\\x",
            "tables\\x.jsonl",
            "a" * 300,
            "tables/",
        ),
        *("predictions/resnet.npy", "tables/images.csv", "Tables/images.jsonl", "study.toml", "notes.txt", "\x1b[2J"),
    ],
)
def test_names_that_do_not_belong_in_a_bundle_are_refused(bundle: Path, tmp_path: Path, name: str) -> None:
    check_refused(meddle(bundle, tmp_path / "y.zip", add_member(name)), "does not belong in a bundle")
    assert not (tmp_path.parent / "x").exists()


def test_a_bundle_that_can_be_read_is_accepted_after_being_sealed_again(bundle: Path, tmp_path: Path) -> None:
    # Otherwise the refusals of this module would prove nothing.
    again = meddle(bundle, tmp_path / "y.zip", lambda members, manifest: None)
    import_study(again, tmp_path / "again", around=make_circumstances()).study.close()


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_a_member_that_is_there_twice_is_refused(bundle: Path, tmp_path: Path) -> None:
    write_sealed(tmp_path / "y.zip", read_members(bundle))
    with zipfile.ZipFile(tmp_path / "y.zip", "a") as archive:
        archive.writestr("study.json", b"{}")
    check_refused(seal(tmp_path / "y.zip"), r"'study\.json' is in the bundle twice")


@pytest.mark.parametrize("name", ["tables/images.jsonl", "study.json", "tables/events.jsonl"])
def test_a_member_that_is_missing_is_refused(bundle: Path, tmp_path: Path, name: str) -> None:
    gone = meddle(bundle, tmp_path / "y.zip", lambda members, manifest: members.pop(name))
    check_refused(gone, "is missing from the bundle")
    hidden = meddle(
        bundle, tmp_path / "z.zip", lambda members, manifest: (members.pop(name), manifest["members"].pop(name))
    )
    check_refused(hidden, "is missing from the bundle")


def test_a_member_or_a_table_that_the_manifest_does_not_have_is_refused(bundle: Path, tmp_path: Path) -> None:
    name = "tables/images.jsonl"
    unlisted = meddle(bundle, tmp_path / "y.zip", lambda members, manifest: members.update({"tables/x.jsonl": b""}))
    check_refused(unlisted, r"tables/x\.jsonl is in the bundle, but not in its manifest")
    undescribed = meddle(bundle, tmp_path / "z.zip", lambda members, manifest: manifest["tables"].pop("images"))
    check_refused(undescribed, f"{name} is in the bundle, but not in its manifest")


def test_a_member_with_another_checksum_is_refused(bundle: Path, tmp_path: Path) -> None:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        members["tables/images.jsonl"] = members["tables/images.jsonl"].replace(b'"a"', b'"e"')

    check_refused(
        meddle(bundle, tmp_path / "y.zip", change, is_honest=False), r"images\.jsonl is not what the manifest says"
    )


def test_a_member_that_is_larger_than_declared_is_not_read_to_its_end(bundle: Path, tmp_path: Path) -> None:
    def inflate(members: Members, manifest: dict[str, Any]) -> None:
        members["tables/events.jsonl"] = b"\n" * 50_000_000

    bomb = meddle(bundle, tmp_path / "y.zip", inflate, is_honest=False)
    assert bomb.stat().st_size < 200_000
    check_refused(bomb, r"events\.jsonl has 50,000,000 bytes, not")


def test_a_directory_that_lies_about_sizes_gains_nothing(bundle: Path, tmp_path: Path) -> None:
    members = read_members(bundle)
    n_declared = len(members["tables/events.jsonl"])
    write_sealed(tmp_path / "y.zip", {**members, "tables/events.jsonl": b"\n" * 50_000_000})
    # The directory at the end of the archive says what the manifest says; the packed bytes are those of the bomb.
    content = (tmp_path / "y.zip").read_bytes()
    lie = content.replace((50_000_000).to_bytes(4, "little"), n_declared.to_bytes(4, "little"))
    assert lie != content
    (tmp_path / "y.zip").write_bytes(lie)
    check_refused(seal(tmp_path / "y.zip"), "is damaged|is not what the manifest says")


def test_a_line_without_end_is_refused(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regauge.storage.bundles.files.MAX_LINE_BYTES", 50)
    check_refused(bundle, "has a line of more than 0 MiB")
    monkeypatch.setattr(bundle_tables, "MAX_LINE_BYTES", 50)
    with make_study(tmp_path / "other") as study:
        fill(study, tmp_path / "other")
        with pytest.raises(StorageError, match="is larger than 0 MiB"), study.read() as begun:
            export_bundle(begun, tmp_path / "other.zip")


def test_a_manifest_that_is_none_is_refused(bundle: Path, tmp_path: Path) -> None:
    members = read_members(bundle)
    manifest = json.loads(members[MANIFEST])
    for content, reason in (
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "does not name the format"),
        (json.dumps({**manifest, "format": "other"}).encode(), "does not name the format"),
        (json.dumps({**manifest, "members": 3}).encode(), "does not say what it must"),
        (json.dumps({**manifest, "study_id": ""}).encode(), "does not say what it must"),
        (json.dumps({**manifest, "tables": {"images": 3}}).encode(), "does not say what it must"),
        (json.dumps({**manifest, "study_id": "another"}).encode(), r"study\.json is that of another study"),
    ):
        check_refused(write_sealed(tmp_path / "y.zip", {**members, MANIFEST: content}), reason)
        (tmp_path / "y.zip").unlink()


@pytest.mark.parametrize("taxonomy", ["../../etc/passwd", "/etc/passwd", "taxonomy.json", "cifar-11", ""])
def test_a_taxonomy_that_is_not_in_the_bundle_is_refused(bundle: Path, tmp_path: Path, taxonomy: str) -> None:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        members["study.json"] = json.dumps({**json.loads(members["study.json"]), "taxonomy": taxonomy}).encode()

    check_refused(meddle(bundle, tmp_path / "y.zip", change), "has no taxonomy|that of another study")


def set_value(table: str, column: str, value: object) -> Change:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        edit_rows(members, table, lambda rows: rows[0].update({column: value}))

    return change


@pytest.mark.parametrize(
    ("table", "column", "value", "reason"),
    [
        ("images", "label", "0", "has '0' as label"),
        ("images", "label", None, "has None as label"),
        ("images", "label", True, "has True as label"),
        ("images", "label", 2**70, "cannot be stored"),
        ("images", "label", 10, "10"),
        ("images", "image_id", "b", "cannot be stored: UNIQUE"),
        ("images", "image_id", "\ud800", "cannot be stored"),
        ("images", "image_id", "z", "not those that its digest stands for"),
        ("images", "test_set_id", 7, "cannot be stored: FOREIGN KEY"),
        ("images", "path", "../../etc/passwd", "is not below the root"),
        ("images", "path", "/etc/passwd", "is not below the root"),
        ("images", "colour", "red", "does not have the columns of that table"),
        ("test_sets", "kind", "cube", "not understood"),
        ("test_sets", "n_images", 3, "not those that its digest stands for"),
        ("studies", "id", "another", "its tables are those of another study"),
        ("predictions", "sha256", "0" * 64, "not those that its tables refer to"),
        ("predictions", "k", 3, "was stored"),
        ("verdicts", "verdict", 9, "a verdict is one of"),
        ("verdicts", "class_index", 99, "99"),
        ("evaluations", "settings", {"nonsense": 1}, "not understood"),
        ("label_sets", "unlisted", "perhaps", "not understood"),
    ],
)
def test_rows_that_are_not_those_of_a_study_are_refused(
    bundle: Path, tmp_path: Path, table: str, column: str, value: object, reason: str
) -> None:
    check_refused(meddle(bundle, tmp_path / "y.zip", set_value(table, column, value)), reason)


def test_an_empty_folder_stays_empty_when_its_study_is_refused(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    bad = meddle(bundle, tmp_path / "y.zip", set_value("verdicts", "verdict", 9))
    with pytest.raises(FormatError, match="a verdict is one of"):
        import_study(bad, tmp_path / "again", around=make_circumstances())
    assert list((tmp_path / "again").iterdir()) == []


@pytest.mark.parametrize("line", [b"nonsense\n", b"[1]\n", b"[" * 100_000 + b"\n", b'{"id":' + b"9" * 5_000 + b"}\n"])
def test_lines_that_are_no_rows_are_refused(bundle: Path, tmp_path: Path, line: bytes) -> None:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        members["tables/events.jsonl"] += line

    check_refused(meddle(bundle, tmp_path / "y.zip", change), "line 6 of its table events (is not JSON|does not have)")


def pack(array: np.ndarray[Any, Any], *, allow_pickle: bool = False) -> bytes:
    content = io.BytesIO()
    np.lib.format.write_array(content, array, allow_pickle=allow_pickle)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"nonsense", "is missing or damaged"),
        (pack(np.array([print], object), allow_pickle=True), "is missing or damaged"),
        (pack(np.zeros((4, 2), np.int32)), "was stored"),
        (pack(np.full((4, 1), 77, np.int32)), "77"),
    ],
)
def test_arrays_that_are_no_answers_are_refused(bundle: Path, tmp_path: Path, content: bytes, reason: str) -> None:
    sha256 = hashlib.sha256(content).hexdigest()

    def change(members: Members, manifest: dict[str, Any]) -> None:
        def point(rows: list[dict[str, Any]]) -> None:
            old = f"predictions/{rows[0]['sha256']}.npy"
            members.pop(old)
            manifest["members"].pop(old)
            rows[0]["sha256"] = sha256

        edit_rows(members, "predictions", point)
        members[f"predictions/{sha256}.npy"] = content
        manifest["members"][f"predictions/{sha256}.npy"] = {}

    check_refused(meddle(bundle, tmp_path / "y.zip", change), reason)


def test_an_array_under_another_name_is_refused(bundle: Path, tmp_path: Path) -> None:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        name = next(name for name in members if name.startswith("predictions/"))
        members[name] += b"x"

    check_refused(meddle(bundle, tmp_path / "y.zip", change), "does not have the checksum that is its name")


# Tables of another revision


def test_every_table_can_be_made_again_from_its_description() -> None:
    described = {table.name: describe_table(table) for table in metadata.sorted_tables}
    again = make_tables(json.loads(json.dumps(described)))
    assert {table.name: describe_table(table) for table in again.sorted_tables} == described


def test_indexes_of_more_than_columns_are_made_where_tables_lack_them(tmp_path: Path) -> None:
    described = {table.name: describe_table(table) for table in metadata.sorted_tables}
    with create_engine(f"sqlite:///{tmp_path / 'again.db'}").begin() as connection:
        make_tables(described).create_all(connection)
        assert list_computed_indexes(connection) == []
        for _ in range(2):
            add_computed_indexes(connection)
            assert list_computed_indexes(connection) == ["ix_tasks_campaign_id_role_panel_position"]


def test_a_kind_of_column_that_bundles_do_not_know_is_told() -> None:
    table = Table("t", MetaData(), Column("blob", LargeBinary))
    with pytest.raises(StorageError, match="Column blob of t is LargeBinary"):
        describe_table(table)


def describe_badly(edit: Callable[[dict[str, Any]], object]) -> Change:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        manifest["schema_revision"] = "0001"
        edit(manifest["tables"])

    return change


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda tables: tables["images"].pop("columns"), "is not understood"),
        (lambda tables: tables["images"]["columns"][0].update(type="pickle"), "is not understood"),
        (lambda tables: tables["images"].update(references=[["row", "nowhere", "id"]]), "is not understood"),
        (lambda tables: tables["images"].update(unique=[["colour"]]), "is not understood"),
        (lambda tables: None, "cannot be brought up to date: "),
    ],
)
def test_descriptions_that_are_none_are_refused(
    bundle: Path, tmp_path: Path, edit: Callable[[dict[str, Any]], object], reason: str
) -> None:
    check_refused(meddle(bundle, tmp_path / "y.zip", describe_badly(edit)), reason)


def test_a_table_of_this_revision_with_other_columns_is_refused(bundle: Path, tmp_path: Path) -> None:
    other = meddle(bundle, tmp_path / "y.zip", lambda _, manifest: manifest["tables"]["images"]["columns"].pop())
    check_refused(other, "its table 'images' is not what revision")


def test_an_encrypted_member_is_refused(bundle: Path, tmp_path: Path) -> None:
    write_sealed(tmp_path / "y.zip", read_members(bundle))
    content = bytearray((tmp_path / "y.zip").read_bytes())
    # Bit 0 of the flags, eight bytes into the first entry of the directory.
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "y.zip").write_bytes(content)
    check_refused(seal(tmp_path / "y.zip"), "is encrypted")


def test_a_bundle_says_who_wrote_it(bundle: Path) -> None:
    with open_bundle(bundle) as opened:
        assert opened.manifest.regauge_version
        assert opened.manifest.members["study.json"].n_bytes == len(opened.read_small("study.json"))
        assert zlib.crc32(opened.read_small("study.json")) == opened.archive.getinfo("study.json").CRC
