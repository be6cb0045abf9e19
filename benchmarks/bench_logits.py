"""From a file of logits to accuracies: time against timm, torchmetrics and torch, and peak memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks._kernels import sum_once
from benchmarks.harness import N_THREADS, Role, Variant, Workload, compare, find_peer, find_peer_file, format_table
from benchmarks.scoring import N_CLASSES, Counts, Invented, draw_truth, score_file, write_logits
from regauge.predictions.topk import find_top_k

N_IMAGES = 50_000
N_BATCH = 256
N_MODELS = 20
N_REPEATS_FOR_2_GB = 10
N_WARM = 10

ALL_COUNTS = "top-1, top-5, ReaL, per class"


@dataclass(frozen=True, slots=True)
class TorchPeers:
    """What the peers need: torch, the truth as tensors and files, and the logits on disk."""

    torch: ModuleType
    logits: Path
    labels: Any
    real_json: Path

    def read_batches(self) -> Iterable[tuple[Any, Any]]:
        """Batches of mapped logits with their labels."""
        # A copy-on-write map is writable, as torch wants it, and shares the pages of the file as long as nobody writes.
        logits = self.torch.from_numpy(np.load(self.logits, mmap_mode="c"))
        return zip(logits.split(N_BATCH), self.labels.split(N_BATCH), strict=True)

    def rank(self) -> object:
        """torch.topk on the whole array."""
        return self.torch.from_numpy(np.load(self.logits, mmap_mode="c")).topk(5).indices


class RealEvaluator(Protocol):
    """What we use of timm's RealLabelsImagenet."""

    sample_idx: int
    is_correct: dict[int, list[bool]]

    def add_result(self, output: object) -> None:
        """Judge a batch of logits."""

    def get_accuracy(self, k: int) -> float:
        """The accuracy so far, in percent."""


def run_timm(peers: TorchPeers, accuracy: Callable[..., Any], real: RealEvaluator) -> tuple[float, float, float, float]:
    """The evaluation loop of timm's validate script: top-1, top-5 and ReaL in percent."""
    real.sample_idx = 0
    real.is_correct = {1: [], 5: []}
    sums = np.zeros(2)
    for logits, labels in peers.read_batches():
        sums += len(labels) * np.array([float(share) for share in accuracy(logits, labels, topk=(1, 5))])
        real.add_result(logits)
    top1, top5 = sums / N_IMAGES
    return float(top1), float(top5), real.get_accuracy(1), real.get_accuracy(5)


def run_torchmetrics(peers: TorchPeers, multiclass_accuracy: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """Top-1, top-5 and per-class accuracy, updated batch by batch."""
    metrics = (
        multiclass_accuracy(N_CLASSES, average="micro"),
        multiclass_accuracy(N_CLASSES, top_k=5, average="micro"),
        multiclass_accuracy(N_CLASSES, average="none"),
    )
    for logits, labels in peers.read_batches():
        for metric in metrics:
            metric.update(logits, labels)
    top1, top5, by_class = (metric.compute() for metric in metrics)
    return top1, top5, by_class


def find_torch_variants(folder: Path, truth: Invented, ours: Counts) -> tuple[list[Variant], list[str]]:
    """The variants of the packages that are installed, each checked against our counts, and the names of the others."""
    torch = find_peer("torch")
    if torch is None:
        return [], ["torch", "timm", "torchmetrics"]
    torch.set_num_threads(N_THREADS)
    real_json = folder / "real.json"
    real_json.write_text(json.dumps(truth.lists))
    peers = TorchPeers(torch, folder / "logits.npy", torch.from_numpy(truth.labels).long(), real_json)
    variants = [Variant("torch.topk, whole array", peers.rank, n_threads=N_THREADS, gives="classes only")]
    missing = []
    for name, find in (("timm", find_timm_variant), ("torchmetrics", find_torchmetrics_variant)):
        variant = find(peers, truth, ours)
        if variant is None:
            missing.append(name)
        else:
            variants.append(variant)
    return variants, missing


def find_timm_variant(peers: TorchPeers, truth: Invented, ours: Counts) -> Variant | None:
    metrics, real_labels = find_peer_file("timm", "utils/metrics.py"), find_peer_file("timm", "data/real_labels.py")
    if metrics is None or real_labels is None:
        return None
    names = [f"ILSVRC2012_val_{i + 1:08d}.JPEG" for i in range(N_IMAGES)]
    real = real_labels.RealLabelsImagenet(names, real_json=str(peers.real_json))
    evaluate = partial(run_timm, peers, metrics.accuracy, real)
    n_listed = int((truth.real[:, 0] >= 0).sum())
    shares = [
        ours.count_right(metric) / n for metric, n in (("top1", N_IMAGES), ("top5", N_IMAGES), ("real", n_listed))
    ]
    np.testing.assert_allclose(evaluate()[:3], [100 * share for share in shares], rtol=1e-5)
    name = f"timm accuracy + RealLabelsImagenet, batches of {N_BATCH}"
    return Variant(name, evaluate, n_threads=N_THREADS, gives="top-1, top-5, ReaL")


def find_torchmetrics_variant(peers: TorchPeers, truth: Invented, ours: Counts) -> Variant | None:
    classification = find_peer("torchmetrics.classification")
    if classification is None:
        return None
    evaluate = partial(run_torchmetrics, peers, classification.MulticlassAccuracy)
    top1, top5, by_class = evaluate()
    shares = [ours.count_right(metric) / len(truth.labels) for metric in ("top1", "top5")]
    np.testing.assert_allclose([top1, top5], shares, rtol=1e-5)
    n_by_class = np.bincount(truth.labels, minlength=N_CLASSES)
    np.testing.assert_allclose(by_class, ours.count_right_by_class("top1") / n_by_class, rtol=1e-5)
    name = f"torchmetrics MulticlassAccuracy ×3, batches of {N_BATCH}"
    return Variant(name, evaluate, n_threads=N_THREADS, gives="top-1, top-5, per class")


def find_our_variants(path: Path, truth: Invented, logits: NDArray[np.float32]) -> list[Variant]:
    both = "classes and scores"
    return [
        Variant("mapped file → counts", partial(score_file, path, truth), Role.OURS, N_THREADS, gives=ALL_COUNTS),
        Variant("the same", partial(score_file, path, truth, n_threads=1), Role.OURS, gives=ALL_COUNTS),
        Variant("find_top_k, mapped", lambda: find_top_k(_map(path)), Role.OURS, N_THREADS, gives=both),
        Variant("the same", lambda: find_top_k(_map(path), n_threads=1), Role.OURS, gives=both),
        Variant("find_top_k, in memory", lambda: find_top_k(logits), Role.OURS, N_THREADS, gives=both),
        Variant("the same", lambda: find_top_k(logits, n_threads=1), Role.OURS, gives=both),
    ]


def find_floors(path: Path, logits: NDArray[np.float32]) -> list[Variant]:
    return [
        Variant("sum of the mapped file", lambda: sum_once(np.asarray(_map(path))), Role.FLOOR, gives="one number"),
        Variant("sum in memory", lambda: sum_once(logits), Role.FLOOR, gives="one number"),
    ]


def compare_times(folder: Path, truth: Invented) -> str:
    path = folder / "logits.npy"
    logits = np.load(path)
    theirs, missing = find_torch_variants(folder, truth, score_file(path, truth))
    variants = [*find_our_variants(path, truth, logits), *theirs, *find_floors(path, logits)]
    return compare("Time", variants, missing=missing)


def compare_memory(folder: Path) -> str:
    """Peak memory for nearly nothing, one file, many files of that size, and one file of 2 GB."""
    tiny, one, large = folder / "tiny.npy", folder / "logits.npy", folder / "large.npy"
    np.save(tiny, _map(one)[:N_WARM])
    many = [shutil.copyfile(one, folder / f"model{i}.npy") for i in range(N_MODELS)]
    _write_repeated(large, _map(one))
    jobs = {
        f"{N_WARM} rows: the packages alone": [tiny],
        f"1 file of {one.stat().st_size / 1e6:.0f} MB": [one],
        f"{N_MODELS} files of {one.stat().st_size / 1e6:.0f} MB": many,
        f"1 file of {large.stat().st_size / 1e6:,.0f} MB": [large],
    }
    rows = [(name, f"{_measure_peak(paths) / 1e6:.0f} MB") for name, paths in jobs.items()]
    return "**Peak memory**, each in a process of its own\n\n" + format_table(("scored", "peak resident memory"), rows)


def _map(path: Path) -> NDArray[np.float32]:
    logits: NDArray[np.float32] = np.load(path, mmap_mode="r")
    return logits


def _write_repeated(path: Path, logits: NDArray[np.float32]) -> None:
    shape = (N_REPEATS_FOR_2_GB * len(logits), logits.shape[1])
    large = np.lib.format.open_memmap(path, mode="w+", dtype=logits.dtype, shape=shape)
    for i in range(N_REPEATS_FOR_2_GB):
        large[i * len(logits) : (i + 1) * len(logits)] = logits
    large.flush()


def _measure_peak(paths: list[Path]) -> int:
    command = [sys.executable, "-m", "benchmarks.peak_memory", *map(str, paths)]
    folder = Path(__file__).resolve().parents[1]
    return int(subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout)


def run() -> Workload:
    truth = draw_truth(N_IMAGES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_logits(folder / "logits.npy", truth.labels)
        parts = (compare_times(folder, truth), compare_memory(folder))
    return Workload(
        f"Logits → accuracies, float32 [{N_IMAGES:,} × {N_CLASSES:,}]",
        "All variants read the same file through a memory map, page-cached. The counts of timm and torchmetrics agree "
        "with ours to five digits. The floor reads every byte once with one thread and does nothing with it.",
        parts,
    )


if __name__ == "__main__":
    print(run().to_markdown())
