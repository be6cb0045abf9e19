"""Whether a study can be worked on at this moment, for those who watch over a server."""

from __future__ import annotations

from regauge.storage.pulse import count_leased, leave_mark, ping

__all__ = ["count_leased", "leave_mark", "ping"]
