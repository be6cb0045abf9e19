"""What CODE is called and says."""

from __future__ import annotations

from regauge.kinds.contract import KindTexts

TEXTS = KindTexts(
    name="CODE",
    title="Code mistakes",
    summary="An image with an answer that the label set does not accept: what kind of mistake is it, and how bad?",
    command="Ask coders what kind of mistake each remaining mistake of one participant is, and how severe.",
    instructions=(
        "Look at the image, and at the images of the predicted class on its card. If the prediction is wrong, say what kind of "
        "mistake it is and how severe it is. If it is right after all, say why it is not a mistake, and write down what you see. "
        "Go by the image and the guide."
    ),
    gallery="The line is the share of coders who find that the prediction is not a mistake.",
    columns=("no mistake", "a mistake"),
)
