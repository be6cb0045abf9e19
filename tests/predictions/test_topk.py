"""The k best classes per image: against a stable sort, in every type and layout, and within little memory."""

from __future__ import annotations

import mmap
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from regauge.errors import InputError
from regauge.predictions import topk
from regauge.predictions.topk import find_top_k

DTYPES = (np.float16, np.float32, np.float64)
AWKWARD = (np.inf, -np.inf, 0.0, -0.0, 1.0, np.nextafter(np.float16(1), np.float16(2)), -1.0, 65504.0, 6e-8, -6e-8)


def sort_stably(logits: NDArray[Any], k: int) -> NDArray[np.intp]:
    """The oracle: NumPy's stable sort keeps equal values in the order of their columns."""
    return np.argsort(-logits, axis=1, kind="stable")[:, :k]


def assert_ranked(logits: NDArray[Any], k: int, **options: Any) -> None:
    top = find_top_k(logits, k=k, **options)
    expected = sort_stably(np.asarray(logits), k)
    np.testing.assert_array_equal(top.classes, expected)
    with np.errstate(over="ignore"):
        scores = np.take_along_axis(np.asarray(logits), expected, axis=1).astype(np.float32)
    np.testing.assert_array_equal(top.scores, scores)
    assert top.classes.dtype == np.int32
    assert top.scores.dtype == np.float32


@st.composite
def logit_arrays(draw: st.DrawFn) -> NDArray[Any]:
    dtype = draw(st.sampled_from(DTYPES))
    shape = draw(st.tuples(st.integers(0, 4), st.integers(1, 150)))
    width = 8 * np.dtype(dtype).itemsize
    elements = st.sampled_from(AWKWARD) | st.floats(allow_nan=False, width=width)  # type: ignore[arg-type]
    return draw(hnp.arrays(dtype, shape, elements=elements))


def test_the_best_classes_come_first_and_equal_logits_by_class_index() -> None:
    # Row 0: 2.0 at classes 1 and 3, then 0.5 at class 0. Row 1: ∞ at class 2, then 0 and −0, which are equal, then −∞.
    logits = np.array([[0.5, 2.0, -1.0, 2.0], [0.0, -0.0, np.inf, -np.inf]], np.float32)
    top = find_top_k(logits, k=3)
    assert top.classes.tolist() == [[1, 3, 0], [2, 0, 1]]
    assert top.scores.tolist() == [[2.0, 2.0, 0.5], [np.inf, 0.0, 0.0]]


def has_order(logits: NDArray[Any]) -> NDArray[np.bool_]:
    """The oracle: rows with a finite value and at most one +∞."""
    has_finite, n_infinite = np.isfinite(logits).any(axis=1), (logits == np.inf).sum(axis=1)
    return np.asarray(has_finite & (n_infinite <= 1), np.bool_)


@given(logits=logit_arrays(), k=st.sampled_from([1, 5, 17, 1000]))
def test_any_array_is_ranked_as_a_stable_sort_ranks_it_or_its_first_row_without_an_order_is_named(
    logits: NDArray[Any], k: int
) -> None:
    assert_ranked(logits[has_order(logits)], k)
    if not has_order(logits).all():
        first = int(np.argmin(has_order(logits)))
        with pytest.raises(InputError, match=f"row {first} hold "):
            find_top_k(logits, k=k)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_classes", [1, 10, 63, 64, 65, 128, 1000])
@pytest.mark.parametrize("k", [1, 5, 16, 17])
def test_random_logits_are_ranked_as_a_stable_sort_ranks_them(
    rng: np.random.Generator, dtype: type, n_classes: int, k: int
) -> None:
    assert_ranked(rng.normal(scale=3, size=(300, n_classes)).astype(dtype), k)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_full_of_ties_are_ranked_by_class_index(rng: np.random.Generator, dtype: type) -> None:
    assert_ranked(rng.integers(0, 3, size=(200, 1000)).astype(dtype), 5)
    assert find_top_k(np.zeros((2, 1000), dtype)).classes.tolist() == [[0, 1, 2, 3, 4]] * 2


@pytest.mark.parametrize("step", [1, -1])
def test_rows_in_rising_and_falling_order_are_ranked(step: int) -> None:
    assert_ranked(np.arange(2000, dtype=np.float32).reshape(2, 1000)[:, ::step], 5)


def test_float64_logits_are_compared_before_they_are_rounded() -> None:
    top = find_top_k(np.array([[1.0, 1.0 + 1e-12, 1.0 + 2e-12]]), k=3)
    assert top.classes.tolist() == [[2, 1, 0]]
    assert top.scores.tolist() == [[1.0, 1.0, 1.0]]


def test_a_float64_beyond_float32_keeps_its_rank_and_is_reported_as_infinite() -> None:
    top = find_top_k(np.array([[1e300, 1e301, np.inf]]), k=3)
    assert top.classes.tolist() == [[2, 1, 0]]
    assert top.scores.tolist() == [[np.inf, np.inf, np.inf]]


def test_fewer_classes_than_asked_for_are_all_ranked() -> None:
    assert find_top_k(np.array([[1.0, 3.0]]), k=5).classes.tolist() == [[1, 0]]


def test_no_images_give_no_rows() -> None:
    top = find_top_k(np.empty((0, 1000), np.float32))
    assert top.classes.shape == top.scores.shape == (0, 5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_memory_layout_does_not_matter(rng: np.random.Generator, dtype: type) -> None:
    logits: NDArray[Any] = rng.normal(size=(60, 300)).astype(dtype)
    shifted: NDArray[Any] = np.frombuffer(b"\0" + logits.tobytes(), np.uint8)[1:].view(dtype).reshape(logits.shape)
    assert not shifted.flags.aligned
    for layout in (
        np.asfortranarray(logits),
        logits[::-1, ::3],
        shifted,
        logits.astype(logits.dtype.newbyteorder(">")),
    ):
        assert_ranked(layout, 5)


@pytest.mark.parametrize("n_threads", [1, 2, 3, 7])
def test_pieces_and_threads_do_not_change_the_result(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, n_threads: int
) -> None:
    logits = rng.normal(size=(100, 50)).astype(np.float32)
    monkeypatch.setattr(topk, "_N_BYTES_AT_ONCE", 11 * logits[0].nbytes)
    assert_ranked(logits, 5, n_threads=n_threads)


def test_the_input_is_not_changed(rng: np.random.Generator) -> None:
    logits = rng.normal(size=(20, 70)).astype(np.float32)
    before = logits.copy()
    find_top_k(logits)
    np.testing.assert_array_equal(logits, before)
    assert logits.flags.writeable


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("column", [0, 63, 64, 997])
def test_nan_is_named_by_row_and_class(rng: np.random.Generator, dtype: type, sign: int, column: int) -> None:
    logits: NDArray[Any] = rng.normal(size=(40, 1000)).astype(dtype)
    logits[30, column] = np.copysign(np.nan, sign)
    logits[30, 998] = logits[31, 0] = np.nan
    with pytest.raises(InputError, match=f"row 30 hold NaN for class {column} "):
        find_top_k(logits)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_classes", [1, 10, 64, 1000])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_a_row_without_a_finite_value_is_refused_instead_of_scored_as_class_0(
    rng: np.random.Generator, dtype: type, n_classes: int, value: float
) -> None:
    logits: NDArray[Any] = rng.normal(size=(40, n_classes)).astype(dtype)
    logits[30] = value
    with pytest.raises(InputError, match="row 30 hold "):
        find_top_k(logits)
    logits[30, n_classes // 2] = np.inf
    with pytest.raises(InputError, match="row 30 hold "):
        find_top_k(logits)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [(0, 64), (5, 997), (998, 999)])
def test_several_positive_infinities_are_refused_instead_of_broken_by_index(
    rng: np.random.Generator, dtype: type, columns: tuple[int, int]
) -> None:
    logits: NDArray[Any] = rng.normal(size=(40, 1000)).astype(dtype)
    logits[30, list(columns)] = np.inf
    problem = rf"row 30 hold \+infinity for 2 classes, the first being {columns[0]} and {columns[1]} "
    with pytest.raises(InputError, match=problem):
        find_top_k(logits)


def test_one_positive_infinity_is_the_best_and_negative_ones_rule_classes_out() -> None:
    logits = np.array([[1.0, np.inf, 2.0, -np.inf], [-np.inf, -np.inf, 3.0, -np.inf]])
    top = find_top_k(logits, k=3)
    assert top.classes.tolist() == [[1, 2, 0], [2, 0, 1]]


def test_a_row_without_an_order_is_named_by_its_image() -> None:
    logits = np.array([[1.0, 2.0], [-np.inf, -np.inf]])
    with pytest.raises(
        InputError, match=r"row 1, image 'b', hold no finite value \(rows are counted from 0\); .*Repair"
    ):
        find_top_k(logits, image_ids=["a", "b"])


def test_the_first_nan_is_named_whichever_thread_meets_one(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    logits = rng.normal(size=(100, 50)).astype(np.float32)
    logits[[23, 29, 77], 7] = np.nan
    monkeypatch.setattr(topk, "_N_BYTES_AT_ONCE", 20 * logits[0].nbytes)
    with pytest.raises(InputError, match="row 23 hold NaN for class 7 "):
        find_top_k(logits, n_threads=4)


@pytest.mark.parametrize(
    ("logits", "k", "problem"),
    [
        (np.zeros(3, np.float32), 5, r"two axes.*\(3,\)"),
        (np.zeros((2, 3), np.int64), 5, "float16, float32 or float64, not int64"),
        (np.zeros((2, 3), np.longdouble), 5, "float16, float32 or float64"),
        (np.zeros((2, 0), np.float32), 5, "at least one class"),
        (np.zeros((2, 3), np.float32), 0, "at least 1, not 0"),
    ],
)
def test_what_cannot_be_ranked_is_refused(logits: NDArray[Any], k: int, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        find_top_k(logits, k=k)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_memory_mapped_file_is_ranked_like_an_array(
    rng: np.random.Generator, tmp_path: Path, dtype: type, mode: Any
) -> None:
    np.save(tmp_path / "logits.npy", rng.normal(size=(50, 100)).astype(dtype))
    assert_ranked(np.load(tmp_path / "logits.npy", mmap_mode=mode), 5)


def test_changes_to_a_copy_on_write_map_are_ranked_and_kept(tmp_path: Path) -> None:
    np.save(tmp_path / "logits.npy", np.zeros((50, 100), np.float32))
    logits = np.load(tmp_path / "logits.npy", mmap_mode="c")
    logits[:, 42] = 1
    for view in (logits, logits[10:], np.asarray(logits)[10:]):
        assert (find_top_k(view).classes[:, 0] == 42).all()
    assert (logits[:, 42] == 1).all()


def test_changes_to_a_private_map_made_by_hand_are_kept(tmp_path: Path) -> None:
    (tmp_path / "logits.bin").write_bytes(bytes(4 * 50 * 100))
    with (tmp_path / "logits.bin").open("rb") as file:
        private = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    logits = np.ndarray((50, 100), np.float32, buffer=private)
    logits[:, 42] = 1
    find_top_k(logits)
    assert (logits[:, 42] == 1).all()


@pytest.mark.skipif(
    not (hasattr(mmap, "MADV_DONTNEED") and Path("/proc/self/status").exists()),
    reason="this system cannot give pages back or does not tell a process its peak memory",
)
def test_a_mapped_file_of_300_mb_adds_less_than_80_mb_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "logits.npy"
    np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(75_000, 1_000))
    # Not resource.getrusage, whose peak begins with that of the process that started this one.
    program = """
import re, sys
from pathlib import Path
import numpy as np
from regauge.predictions.topk import find_top_k

def read_peak_kb():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

find_top_k(np.zeros((2, 1_000), np.float32))
before = read_peak_kb()
assert find_top_k(np.load(sys.argv[1], mmap_mode="r")[1:]).classes.shape == (74_999, 5)
print(read_peak_kb() - before)
"""
    finished = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert int(finished.stdout) / 1024 < 80
