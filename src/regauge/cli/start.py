"""The way in, which can be stopped from its first moment on."""

from __future__ import annotations

import gc
import importlib
import signal
import sys

from regauge.interrupts import hold_stop

OBJECTS_PER_COLLECTION = 50_000
"""Looking for garbage after every 700 new objects, as Python does, takes a tenth of a short command."""
STOPPED = "Stopped. Nothing was left half done; give the same command again to start over."


def main() -> None:
    """Run the command line; whoever stops it while its modules are still being loaded gets the same one sentence."""
    gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    # Loading modules makes objects and no garbage; it is looked for once the command is there.
    gc.disable()
    try:
        with hold_stop():
            module = importlib.import_module("regauge.cli.main")
        module.main()
    except KeyboardInterrupt:
        sys.stderr.write(f"\n{STOPPED}\n")
        sys.exit(130)
    finally:
        # All that is left is to end, which must not be interrupted again.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
