"""What REVIEW is called and says."""

from __future__ import annotations

from regauge.kinds.contract import KindTexts

TEXTS = KindTexts(
    name="REVIEW",
    title="Judge labels",
    summary="An image with all labels that nobody has judged yet, or a label with many images: correct, wrong or unclear?",
    command="Ask experts whether models' answers and the dataset labels are correct, as far as there is no verdict yet.",
    instructions=(
        "Judge every label by itself. It is correct if what it names is in the image, even if it is small, in the background or "
        "not what the image is about; also if it names the same thing as another label, or a wider class. It is unclear if the "
        "image, or what the label means, does not allow you to decide. Otherwise it is wrong."
    ),
    gallery="The line is the share of reviewers who found the label correct.",
    columns=("correct", "not correct"),
)
LOOK_FOR_MORE = (
    "Name every class that is in the image and has no verdict yet, even if what it names is small, in the background or not what "
    "the image is about. If a label is asked about, judge it, too. If nothing is missing, say that there is nothing more."
)
"""What to do where it is asked what is missing in images."""
