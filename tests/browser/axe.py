"""axe-core, which knows what makes pages hard to use; from npm, and only for tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

SCRIPT = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = {"serious", "critical"}


def has_axe() -> bool:
    """Whether it is there."""
    return SCRIPT.exists()


needs_axe = pytest.mark.skipif(not has_axe(), reason="axe-core is not installed; npm install")

RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html }) => [impact, `${id}: ${html.slice(0, 160)}`]));
}"""


def list_barriers(page: Page) -> list[str]:
    """What axe finds serious or critical on a page as it is."""
    page.wait_for_load_state()
    # By the debugger: the page's own policy lets no script in that is not its own.
    if not page.evaluate("'axe' in window"):
        page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    return [what for impact, what in page.evaluate(RUN) if impact in GRAVE]
