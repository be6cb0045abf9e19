"""What changed from one text of the guide to another, line by line."""

from __future__ import annotations

import difflib

from regauge.records.guide.entries import DiffLine, LineChange


def diff_texts(old: str, new: str) -> tuple[DiffLine, ...]:
    r"""The lines of both texts in order, those of the old one alone before those of the new one alone.

    >>> [(line.change.value, line.text) for line in diff_texts("a\nb", "a\nc")]
    [('same', 'a'), ('removed', 'b'), ('added', 'c')]
    """
    # An empty text has no lines, not one that is empty.
    before, after = (text.split("\n") if text else [] for text in (old, new))
    found: list[DiffLine] = []
    for what, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            found += (DiffLine(LineChange.SAME, line) for line in before[i:j])
            continue
        found += (DiffLine(LineChange.REMOVED, line) for line in before[i:j])
        found += (DiffLine(LineChange.ADDED, line) for line in after[k:m])
    return tuple(found)
