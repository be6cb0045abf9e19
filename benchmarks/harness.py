"""Timing variants of one job side by side, and writing down how they compare."""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

Clock = Callable[[], float]

N_ROUNDS = 7
N_THREADS = 2
"""How many threads a variant gets that can use several."""

WIDE_SPREAD = 1.0
"""Rounds that differ by more than their median were disturbed by something else on the machine."""

_PACKAGES = (
    "regauge",
    "numpy",
    "scipy",
    "numba",
    "polars",
    "statsmodels",
    "torch",
    "timm",
    "torchmetrics",
    "crowd-kit",
    "krippendorff",
    "scikit-learn",
)


class Role(Enum):
    """What a variant stands for in the table."""

    OURS = "ours"
    PEER = "peer"
    FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to do the job.

    Attributes:
        name: what the table calls it.
        run: does the job once.
        role: whether it is ours, a peer or a floor; the first of ours is the unit of the ratios.
        n_threads: how many threads it uses.
        fraction: the share of the job that `run` does, for peers too slow for all of it; times are scaled up by it.
        gives: what comes out, where the variants differ in it.
    """

    name: str
    run: Callable[[], object]
    role: Role = Role.PEER
    n_threads: int = 1
    fraction: float = 1.0
    gives: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """The scaled seconds of a variant in every round."""

    variant: Variant
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The figure that the table shows."""
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """The least disturbed round."""
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """The range of the rounds as a share of their median."""
        return (max(self.seconds) - min(self.seconds)) / self.median


@dataclass(frozen=True, slots=True)
class Workload:
    """What was measured on one job: a section of the results."""

    title: str
    question: str
    parts: tuple[str, ...]

    def to_markdown(self) -> str:
        """The section with its heading."""
        return "\n\n".join((f"## {self.title}", self.question, *self.parts)) + "\n"


def time_variants(
    variants: Sequence[Variant], *, n_rounds: int = N_ROUNDS, clock: Clock = time.perf_counter
) -> list[Timing]:
    """Run every variant once unmeasured, then all of them in turn, round by round.

    Taking turns spreads the disturbances of a busy machine over all variants, so that the ratios suffer less than the times.
    """
    for variant in variants:
        variant.run()
    rounds = [[_time(variant, clock) for variant in variants] for _ in range(n_rounds)]
    return [Timing(variant, tuple(column)) for variant, column in zip(variants, zip(*rounds, strict=True), strict=True)]


def compare(
    heading: str,
    variants: Sequence[Variant],
    *,
    missing: Sequence[str] = (),
    n_rounds: int = N_ROUNDS,
    clock: Clock = time.perf_counter,
) -> str:
    """A Markdown table of the times and their ratios to ours, followed by the peers that are not installed.

    With `time.process_time` for a clock, what else runs on the machine counts for little; it is for jobs in this process alone.
    """
    timings = time_variants(variants, n_rounds=n_rounds, clock=clock)
    ours = next(timing for timing in timings if timing.variant.role is Role.OURS)
    head = ("variant", "threads", "gives", "median", "spread", "median / ours", "best / ours")
    rows = [_describe(timing, ours) for timing in timings]
    notes = [*_find_notes(timings), *(f"Not installed, so not measured: {name}." for name in missing)]
    what = ", processor time" if clock is time.process_time else ""
    return "\n\n".join((f"**{heading}** ({n_rounds} rounds{what})", format_table(head, rows), *notes))


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; columns of numbers stand to the right."""
    rule = ["---", *("---:" if cell[:1].isdigit() else "---" for cell in rows[0][1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def format_seconds(seconds: float) -> str:
    """A duration with three digits, in ms below one second."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def find_peer(module: str) -> ModuleType | None:
    """The module of another package, or None where it is not installed."""
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        return None
    return importlib.import_module(module)


def find_peer_file(package: str, path: str) -> ModuleType | None:
    """One file of a package, loaded without the package around it, or None where the package is not installed."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        return None
    spec = importlib.util.spec_from_file_location(Path(path).stem, Path(found.origin).parent / path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_peak_memory() -> int:
    """The largest resident memory of this process so far, in bytes; 0 where the system does not tell.

    Not `getrusage`: its figure starts from the memory of the parent process.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) * 1024 if found else 0


def describe_machine() -> str:
    """The processor, its cores and the versions of the packages, as a Markdown list."""
    lines = [f"processor: {_find_processor()}, {os.cpu_count()} cores", f"Python {platform.python_version()}"]
    lines.extend(f"{name} {found}" for name, found in _find_versions().items())
    return "\n".join(f"- {line}" for line in lines)


def _time(variant: Variant, clock: Clock) -> float:
    start = clock()
    variant.run()
    return (clock() - start) / variant.fraction


def _find_notes(timings: Sequence[Timing]) -> Iterator[str]:
    if any(timing.variant.fraction < 1 for timing in timings):
        yield "† Run on the stated share of the job and scaled up linearly."
    disturbed = [timing.variant.name for timing in timings if timing.spread > WIDE_SPREAD]
    if disturbed:
        yield f"Disturbed, do not quote the ratio of the medians: {'; '.join(dict.fromkeys(disturbed))}."


def _describe(timing: Timing, ours: Timing) -> tuple[str, ...]:
    variant = timing.variant
    mark = "" if variant.fraction == 1 else f" † {variant.fraction:.0%}"
    return (
        f"{variant.role.value}: {variant.name}{mark}",
        str(variant.n_threads),
        variant.gives or "the same",
        format_seconds(timing.median),
        f"{timing.spread:.0%}",
        f"{timing.median / ours.median:.3g}",
        f"{timing.best / ours.best:.3g}",
    )


def _find_processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text()) if cpuinfo.exists() else None
    return found[1] if found else platform.processor() or "unknown"


def _find_versions() -> Mapping[str, str]:
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "is not installed"
    return versions
