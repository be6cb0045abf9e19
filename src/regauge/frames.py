"""The names of polars, by which it is loaded when the first of them is used: many modules make tables, and most commands none.

Written `import regauge.frames as pl` in modules that every command loads; there no name may be used before a function is called.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from regauge.interrupts import hold_stop

if TYPE_CHECKING:
    from polars import *  # noqa: F403 - type checkers find the names where they are
else:

    def __getattr__(name: str) -> Any:  # noqa: ANN401 - as PEP 562 has it
        # The import system asks every module for names of its own, such as `__path__`.
        if name.startswith("__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with hold_stop():
            polars = importlib.import_module("polars")
        # Once found, the name costs no more than any other.
        found = globals()[name] = getattr(polars, name)
        return found
