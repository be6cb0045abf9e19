"""The page of promises names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_promise_names_a_test_that_exists() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+)`", page)
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    missing = [name for name in named if f"def {name}(" not in sources]
    assert missing == []
    rows = [
        line for line in page.splitlines() if line.startswith("| ") and not line.startswith(("| promise", "| role"))
    ]
    assert len(rows) == len(named) > 35
