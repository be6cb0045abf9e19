"""To come."""

from __future__ import annotations

from tests.sentences.entries import Entries

ENTRIES: Entries = {}
