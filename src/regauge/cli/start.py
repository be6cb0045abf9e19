"""The way in, which can be stopped from its first moment on."""

from __future__ import annotations

import importlib
import signal
import sys

STOPPED = "Stopped. Nothing was left half done; give the same command again to start over."


def main() -> None:
    """Run the command line; whoever stops it while its modules are still being loaded gets the same one sentence."""
    try:
        importlib.import_module("regauge.cli.main").main()
    except KeyboardInterrupt:
        sys.stderr.write(f"\n{STOPPED}\n")
        sys.exit(130)
    finally:
        # All that is left is to end, which must not be interrupted again.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
