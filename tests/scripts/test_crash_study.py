"""A study survives being killed."""

from __future__ import annotations

from pathlib import Path

from scripts.crash_study import crash


def test_a_command_that_is_killed_at_any_moment_breaks_and_loses_nothing(tmp_path: Path) -> None:
    assert crash(tmp_path, 15) >= 5
