"""Classes whose names try to be markup, for formats that are written as text."""

from __future__ import annotations

from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy

NAMES = (
    '"/><script>',
    "a\n- b: c",
    "\x00\x1b[2J\x7f\x85",
    "crane",
    "crane",
    " spaced ",
    "'&amp;\\",
    "`code`",
    "日本 😀",
)

HOSTILE = Taxonomy(
    '"\n---\n`x`',
    tuple(ImageClass(ClassIndex(i), NodeId(f"{i} {name}"), (name,)) for i, name in enumerate(NAMES)),
)
