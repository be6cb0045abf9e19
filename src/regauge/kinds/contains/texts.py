"""What CONTAINS is called and says."""

from __future__ import annotations

from regauge.kinds.contract import KindTexts

TEXTS = KindTexts(
    name="CONTAINS",
    title="Find an object in many images",
    summary="A grid of images: which of them contain the class? Fast, with hidden controls.",
    command="Ask of every image whether it contains a class: grids with hidden controls.",
    instructions=(
        "Select every image that contains it, even if it is small, partly hidden, in a crowd or behind text. Drawings and "
        "paintings do not count. If no image contains it, submit without selecting any."
    ),
    gallery="One picture for each class asked about; the line shows the share of people who selected it.",
    columns=("asked", "answer"),
)
