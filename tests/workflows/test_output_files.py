"""Files that a user names: whole, or as they were before, also when the disk fills while they are written."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import altair as alt
import polars as pl
import pytest

from regauge.errors import FigureError, RegaugeError, StorageError
from regauge.workflows.output_files import write_rows
from regauge.workflows.reports.figures import save_figure

ROWS = pl.DataFrame({"image_id": [f"image_{number * 7919 % 10_007}" for number in range(10_000)]})


@contextmanager
def full_disk(n_bytes: int = 5_000) -> Iterator[None]:
    """No file can grow beyond so many bytes, which looks to a program like a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # A module that is loaded meanwhile would leave half of its compiled self to all who load it later.
    patch = pytest.MonkeyPatch()
    patch.setattr("sys.dont_write_bytecode", True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        patch.undo()


@pytest.mark.parametrize("name", ["o.csv", "o.jsonl", "o.parquet"])
def test_a_disk_that_fills_leaves_no_half_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for before in ([], [path]):
        with full_disk(), pytest.raises(StorageError, match=rf"{name} cannot be written: File too large"):
            write_rows(ROWS, path)
        assert list(tmp_path.iterdir()) == before
        path.write_text("what was there")
    assert path.read_text() == "what was there"
    write_rows(ROWS, path)
    read = pl.read_csv if name == "o.csv" else pl.read_ndjson if name == "o.jsonl" else pl.read_parquet
    assert read(path).equals(ROWS)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", [".svg", ".html"])
def test_a_disk_that_fills_leaves_no_half_figure(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"f{kind}"
    path.write_text("what was there")
    figure = alt.Chart(pl.DataFrame({"x": [1, 2], "y": [1, 2]})).mark_point().encode(x="x", y="y")
    with full_disk(500), pytest.raises(FigureError, match="cannot be written: File too large"):
        save_figure(figure, path)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "what was there"


def test_a_folder_that_is_none_and_a_link_are_written_as_they_are_named(tmp_path: Path) -> None:
    with pytest.raises(RegaugeError, match=r"none/o\.csv cannot be written: "):
        write_rows(ROWS, tmp_path / "none" / "o.csv")
    (tmp_path / "o.csv").write_text("before")
    (tmp_path / "link.csv").symlink_to("o.csv")
    write_rows(ROWS, tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert pl.read_csv(tmp_path / "o.csv").equals(ROWS)


def test_what_is_no_file_is_written_to_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "nothing.csv").symlink_to("/dev/null")
    write_rows(ROWS, tmp_path / "nothing.csv")
    (tmp_path / "full.csv").symlink_to("/dev/full")
    with pytest.raises(StorageError, match="No space left on device"):
        write_rows(ROWS, tmp_path / "full.csv")
