"""Whether major mistakes are corrected first, in words and as fields."""

from __future__ import annotations

from typing import Any

from regauge.cli.printing.printable import make_printable
from regauge.estimates import format_p_phrase, format_points, to_fields
from regauge.records.mistakes.summaries import MajorsFixed


def describe_majors(found: MajorsFixed) -> dict[str, Any]:
    """The fields of JSON."""
    return {
        "n_corrected": found.corrected.n,
        "n_corrected_major": found.corrected.k,
        **to_fields(found.corrected, "corrected_share"),
        "n_kept": found.kept.n,
        "n_kept_major": found.kept.k,
        **to_fields(found.kept, "kept_share"),
        **to_fields(found.difference, "difference"),
        "chi2": found.test.chi2,
        "dof": found.test.dof,
        "p": found.test.p,
        "p_exact": found.p_exact,
        "n_left_out": found.n_left_out,
    }


def format_majors(found: MajorsFixed) -> list[str]:
    """The shares, the tests, and what they allow to say; names as a terminal shows them."""
    first, second = make_printable(found.first), make_printable(found.second)
    corrected, kept = found.corrected, found.kept
    lines = [
        f"corrected by {second}: {corrected.k:,} of {corrected.n:,} major, {corrected}",
        f"on images that it gets wrong too: {kept.k:,} of {kept.n:,} major, {kept}",
    ]
    test = found.test
    if test.chi2 is None or test.p is None or found.p_exact is None:
        return [*lines, f"no test (N = {test.n:,})"]
    lines += [
        f"difference in points: {format_points(found.difference, sign=True)} (Newcombe)",
        f"Fisher's exact test {format_p_phrase(found.p_exact)}",
        f"χ²({test.dof}, N = {test.n:,}) = {test.chi2:.2f}, {format_p_phrase(test.p)}",
    ]
    return [*lines, conclude(found, first, second)]


def conclude(found: MajorsFixed, first: str, second: str) -> str:
    """Which kind of mistake is corrected first, as far as the interval allows to say."""
    low, high = found.difference.low, found.difference.high
    if low is not None and low > 0:
        return f"{second} corrects major mistakes of {first} more often than minor ones."
    if high is not None and high < 0:
        return f"{second} corrects minor mistakes of {first} more often than major ones."
    return f"Whether {second} corrects major mistakes of {first} more often than minor ones, or less often, is open."
