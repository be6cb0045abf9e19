"""The processes that this one started to work for it, apart from servers that other tests keep running."""

from __future__ import annotations

import multiprocessing
from multiprocessing.context import SpawnProcess


def list_children() -> list[SpawnProcess]:
    """Those that started afresh and have not ended."""
    return [child for child in multiprocessing.active_children() if isinstance(child, SpawnProcess)]
