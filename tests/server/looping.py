"""Coroutines in tests: a browser that another test has left running keeps an event loop in the main thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def run_apart(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine to its end, in a loop and a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
