"""What PANEL is called and says."""

from __future__ import annotations

from regauge.kinds.contract import KindTexts

TEXTS = KindTexts(
    name="PANEL",
    title="Vote on mistakes",
    summary="An image with what a model answers and nobody has judged: experts vote alone, then discuss what they disagree on.",
    command="Let a panel of experts vote on the mistakes of models that nobody has judged yet.",
    instructions=(
        "Vote on every prediction by itself. It is correct if what it names is in the image, by the guide and by the images of "
        "its class; unclear if the image, or what the class means, does not allow you to decide; otherwise wrong. Apart from "
        "that, say whether the dataset label is wrong, and whether the image is problematic: nothing should be measured with it. "
        "Look the class up, in its card or outside, and give your evidence. Vote alone until round 1 is closed."
    ),
    gallery="The line is the share of panelists who found the prediction correct.",
    columns=("correct", "not correct"),
)
