"""Files that are larger, or unpack to more, than they look: refused in one sentence, without the memory."""

from __future__ import annotations

import io
import resource
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from regauge.errors import FormatError, InputError
from regauge.formats import parquets, sizes, text
from regauge.formats.array_files import open_archive, read_array, read_arrays
from regauge.formats.images.shards import load_shards
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.formats.responses.contains import load_contains_responses
from regauge.formats.responses.votes import load_votes
from regauge.formats.sizes import MAX_ID_LENGTH, find_room, make_names
from regauge.formats.text import MAX_COLUMNS, MAX_LINE_BYTES, read_json, read_json_lines, read_table, read_text

N_BYTES = 200_000_000
ALLOWANCE = 2**30
"""What a reader may take of the memory, beside what the program itself takes: less than any of these files would."""

PROGRAM = f"""
import resource, sys
from pathlib import Path
from regauge.errors import RegaugeError
from regauge.formats.responses.classify import load_classify_responses
from regauge.formats.responses.contains import load_contains_responses
from regauge.formats.predictions.families import load_families
from regauge.formats.predictions.features import load_features
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.formats.mistakes.coded import load_mistakes
from regauge.formats.pools.pairs import load_pairs
from regauge.formats.responses.panel import load_panel_votes
from regauge.formats.pools.pool import load_gathered
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.files import load_predictions
from regauge.formats.images.shards import load_shards
from regauge.formats.labels.splits import load_parts
from regauge.formats.subsets import load_subsets
from regauge.formats.taxonomies import load_taxonomy
from regauge.formats.testsets import load_located
from regauge.formats.labels.truth import load_truth
from regauge.formats.responses.votes import load_votes

READERS = {{
    "classify": lambda path: load_classify_responses([path]),
    "contains": lambda path: load_contains_responses([path]),
    "families": load_families,
    "features": lambda path: load_features(path, name="f"),
    "frequencies": load_selection_counts,
    "mistakes": load_mistakes,
    "pairs": load_pairs,
    "panel": lambda path: load_panel_votes([path]),
    "parts": load_parts,
    "pool": lambda path: load_gathered(path, taxonomy=load_taxonomy("cifar-10")),
    "predictions": lambda path: load_predictions(PredictionFile(path.stem, path)),
    "shards": lambda path: load_shards([path]),
    "subsets": load_subsets,
    "taxonomy": load_taxonomy,
    "test set": load_located,
    "truth": load_truth,
    "votes": lambda path: load_votes([path]),
}}
taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + {ALLOWANCE},) * 2)
for word in sys.argv[1:]:
    reader, _, name = word.partition(":")
    try:
        READERS[reader](Path(name))
    except RegaugeError as error:
        print(f"{{reader}}: {{error}}")
    else:
        print(f"{{reader}}: {{name}} was read")
"""


def make_sparse(path: Path, *, start: bytes, n_bytes: int, end: bytes = b"") -> None:
    """A file that is long and takes no room on the disk: what is between start and end are zeros that nobody wrote."""
    with path.open("wb") as file:
        file.write(start)
        file.seek(n_bytes)
        file.write(end)
        file.truncate(n_bytes + len(end))


def make_header(shape: tuple[int, ...], kind: str) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def make_archive(path: Path, *, n_rows: int, kind: str = "<i4", n_bytes: int = 0) -> None:
    """An archive with three ids whose directory says how much its classes unpack to."""
    ids = io.BytesIO()
    np.save(ids, np.array(["a", "b", "c"]))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("image_ids.npy", ids.getvalue())
        archive.writestr("classes.npy", make_header((n_rows,), kind))
        archive.getinfo("classes.npy").file_size += n_bytes


def read_limited(folder: Path, *words: str) -> list[str]:
    """What readers say, one after the other, of files of which they may not take the memory."""
    program = [sys.executable, "-c", PROGRAM, *words]
    result = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.splitlines()


TABLES = [
    "contains",
    "families",
    "frequencies",
    "mistakes",
    "pairs",
    "panel",
    "parts",
    "pool",
    "predictions",
    "subsets",
    "test set",
    "truth",
    "votes",
]


def test_no_reader_takes_the_memory_for_a_line_of_200_megabytes(tmp_path: Path) -> None:
    long = "the line is longer than 1 MiB; this is not a file with one item per line."
    make_sparse(tmp_path / "m.csv", start=b"image_id,class\na,0\n", n_bytes=N_BYTES, end=b"\nb,1\n")
    make_sparse(tmp_path / "m.jsonl", start=b'{"image_id":"a","label":0}\n{"image_id":"', n_bytes=N_BYTES, end=b'"}\n')
    make_sparse(tmp_path / "f.ids.txt", start=b"a\nb\n", n_bytes=N_BYTES, end=b"\n")
    np.save(tmp_path / "f.npy", np.zeros((3, 10), np.float32))
    tables = [f"{reader}:m.csv" for reader in TABLES]
    lines = [f"{reader}:m.jsonl" for reader in ("classify", "frequencies", "truth")]
    said = read_limited(tmp_path, *tables, *lines, "features:f.npy", "predictions:f.npy")
    assert said == [
        *(f"{reader}: m.csv, line 3: {long}" for reader in TABLES),
        *(f"{reader}: m.jsonl, line 2: {long}" for reader in ("classify", "frequencies", "truth")),
        *(f"{reader}: f.ids.txt, line 3: {long}" for reader in ("features", "predictions")),
    ]


def test_no_reader_takes_the_memory_for_a_file_that_is_larger_than_it(tmp_path: Path) -> None:
    for name in ("m.csv", "m.jsonl", "m.json"):
        make_sparse(tmp_path / name, start=b"", n_bytes=100 * 2**30)
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    tables = [f"{reader}:m.csv" for reader in TABLES if reader != "pool"]
    lists = [f"{reader}:m.json" for reader in ("classify", "contains", "mistakes", "subsets", "truth", "votes")]
    said = read_limited(tmp_path, *tables, *lists, "truth:m.jsonl", "votes:endless.csv", "taxonomy:m.json")
    assert [line for line in said[:-1] if "of memory to read, and" not in line] == []
    assert len(said) == len(tables) + len(lists) + 3
    assert said[-1] == "taxonomy: m.json: a file of more than 64 MiB is not read here."


def test_no_archive_takes_the_memory_that_it_claims(tmp_path: Path) -> None:
    make_archive(tmp_path / "large.npz", n_rows=3, n_bytes=4 * 2**30)
    make_archive(tmp_path / "claims.npz", n_rows=10**12)
    make_archive(tmp_path / "wide.npz", n_rows=3, kind="<U100000000")
    make_archive(tmp_path / "rows.npz", n_rows=10**8, n_bytes=2 * 10**8)
    names = ("large", "claims", "wide", "rows")
    large, claims, wide, rows = read_limited(tmp_path, *(f"predictions:{name}.npz" for name in names))
    assert "large.npz: it would take up to 16.0 GiB of memory to read" in large
    assert "claims.npz: the file is damaged or cut short: classes says that it is larger than it is" in claims
    assert "wide.npz: the file is damaged or cut short" in wide
    assert "rows.npz: " in rows


def test_ids_that_are_none_are_told_before_the_rest_is_unpacked(tmp_path: Path) -> None:
    n_images = 3_000_000
    with zipfile.ZipFile(tmp_path / "zeros.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, shape, kind in (("image_ids", (n_images,), "<U1"), ("classes", (n_images, 20), "<i4")):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                file.write(make_header(shape, kind))
                for _ in range(shape[-1] if len(shape) == 2 else 1):
                    file.write(bytes(4 * n_images))
    (said,) = read_limited(tmp_path, "predictions:zeros.npz")
    assert said == "predictions: zeros.npz: zeros has an empty image id at position 0."


def test_no_shard_takes_the_memory_for_a_name(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 4 * 2**30
    make_sparse(tmp_path / "name.tar", start=header.tobuf(tarfile.GNU_FORMAT), n_bytes=5 * 2**30)
    with tarfile.open(tmp_path / "deep.tar", "w") as archive:
        label = tarfile.TarInfo("a.json")
        label.size = 60_000
        archive.addfile(label, io.BytesIO(b"[" * 60_000))
    name, deep = read_limited(tmp_path, "shards:name.tar", "shards:deep.tar")
    assert "name.tar: this is not an uncompressed tar file: a name of more than 1,048,576 bytes." in name
    assert deep == "shards: deep.tar: a.json: the JSON is nested too deeply."


def test_an_image_with_holes_in_its_shard_is_refused(tmp_path: Path) -> None:
    hole = tarfile.TarInfo("a.jpg")
    hole.type = tarfile.GNUTYPE_SPARSE
    (tmp_path / "s.tar").write_bytes(hole.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    with pytest.raises(FormatError, match="stored with holes"):
        load_shards([tmp_path / "s.tar"])


@pytest.mark.parametrize(("read", "columns"), [
    (lambda path: load_votes([path]), ("task", "worker", "label")),
    (load_selection_counts, ("image_id", "class", "n_shown", "n_selected")),
    (lambda path: load_contains_responses([path]), ("task_id", "annotator_id", "class", "image_id", "control", "selected")),
])  # fmt: skip
def test_parquet_says_how_many_rows_it_has_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object], columns: tuple[str, ...]
) -> None:
    path = tmp_path / "m.parquet"
    pl.DataFrame({name: pl.repeat("1", 100_000, eager=True) for name in columns}).write_parquet(path)
    assert path.stat().st_size < 20_000
    monkeypatch.setattr(sizes, "find_room", lambda: 10**7)
    with pytest.raises(
        FormatError, match=r"m\.parquet: it would take up to .* of memory to read, and 9\.5 MiB are free"
    ):
        read(path)


def test_a_nested_column_of_parquet_is_not_read_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "m.parquet"
    pl.DataFrame({"task": ["a"], "extra": [[1, 2]], "label": [["x"]]}).write_parquet(path)
    assert parquets.read_parquet(path, ["task"]).columns == ["task"]
    with pytest.raises(FormatError, match="the column 'label' holds List"):
        parquets.read_parquet(path, ["task", "label"])


def test_a_long_text_in_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.parquet"
    pl.DataFrame({"task": ["a", "x" * (MAX_LINE_BYTES + 1)]}).write_parquet(path)
    with pytest.raises(FormatError, match="the column 'task' has a text of more than 1 MiB"):
        parquets.read_parquet(path, ["task"])


def test_json_and_released_arrays_are_weighed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.json").write_text("[" + "[]," * 1000 + "[]]")
    np.save(tmp_path / "m.npy", np.zeros(1000, np.uint8))
    np.savez(tmp_path / "m.npz", a=np.zeros(10_000))
    assert len(read_json(tmp_path / "m.json")) == 1001
    assert len(read_array(tmp_path / "m.npy")) == 1000
    assert len(read_arrays(tmp_path / "m.npz", "a")["a"]) == 10_000
    for module in (sizes, text):
        monkeypatch.setattr(module, "find_room", lambda: 30_000)
    for read in (lambda: read_json(tmp_path / "m.json"), lambda: read_array(tmp_path / "m.npy")):
        with pytest.raises(FormatError, match=r"of memory to read, and 29\.3 KiB are free"):
            read()
    with pytest.raises(FormatError, match="of memory to read"):
        read_arrays(tmp_path / "m.npz", "a")
    with pytest.raises(FormatError, match="this archive has no b"):
        read_arrays(tmp_path / "m.npz", "b")


def test_lines_up_to_a_mebibyte_are_read(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    line = "x" * MAX_LINE_BYTES
    path.write_text(f"a\n{line}\n\n{line}")
    assert read_text(path).split("\n") == ["a", line, "", line]
    path.write_text(f"a\n{line}x\n")
    with pytest.raises(FormatError, match=r"m\.txt, line 2: the line is longer than 1 MiB"):
        read_text(path)
    assert read_text(path, has_lines=False) == f"a\n{line}x\n"
    path.write_text('{"a":"' + line + '"}')
    with pytest.raises(FormatError, match="line 1: the line is longer"):
        list(read_json_lines(path))
    assert read_json(path) == {"a": line}


def test_a_table_that_polars_would_unpack_or_never_finish_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    for start in ("x^", "x\x01", "xڀ"):
        path.write_text(f"{start},b\n1,2\n")
        with pytest.raises(FormatError, match="begins as packed files do"):
            read_table(path)
    path.write_text("," * MAX_COLUMNS + "\n1,2\n")
    with pytest.raises(FormatError, match="the header has 10,001 columns; a table has at most 10,000"):
        read_table(path)


def test_a_name_has_a_length_and_all_together_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = "x" * MAX_ID_LENGTH
    for texts in ([longest, "a"], pl.Series([longest, "a"])):
        assert make_names(texts).tolist() == [longest, "a"]
    for texts in (["a", f"{longest}x"], pl.Series(["a", f"{longest}x"])):
        with pytest.raises(InputError, match=r"'x{40}'… has 4,097 characters; an id or a name has at most 4,096"):
            make_names(texts)
    assert make_names([]).tolist() == make_names(pl.Series([], dtype=pl.String)).tolist() == []
    monkeypatch.setattr(sizes, "find_room", lambda: 100_000)
    with pytest.raises(
        InputError, match=r"10 names of which one, 'x{40}'…, has 4,096 characters take 160\.0 KiB of memory"
    ):
        make_names([longest, *"abcdefghi"])


def test_a_member_that_is_no_array_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.writestr("a", b"no array")
    with (
        open_archive(tmp_path / "m.npz") as archive,
        pytest.raises(FormatError, match="a is not an array of numbers or text"),
    ):
        archive.read("a")


def test_the_room_is_what_is_free_and_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = find_room()
    assert 0 < free <= 2**50
    (tmp_path / "memory.max").write_text("3000\n")
    (tmp_path / "memory.current").write_text("1000\n")
    monkeypatch.setattr(sizes, "_GROUP", tmp_path)
    assert find_room() == 2000
    (tmp_path / "memory.max").write_text("max\n")
    monkeypatch.setattr(sizes, "_MEMORY", tmp_path / "none")
    assert find_room() >= free
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    assert find_room() == 0
