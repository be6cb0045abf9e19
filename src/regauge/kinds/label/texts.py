"""What LABEL is called and says."""

from __future__ import annotations

from regauge.kinds.contract import KindTexts

TEXTS = KindTexts(
    name="LABEL",
    title="Name the class of each image",
    summary="One image, one class out of all: people answer as models do. To test them blind and timed, or to train them.",
    command="Test people as models are tested: one class for each image of a class-balanced sample, blind and timed; or train "
    "them with feedback.",
    instructions=(
        "Name the class that fits the image best. Type a part of its name and press Enter, or walk through the tree of classes. "
        "If several classes fit, choose the one that you think the image was collected for; if none seems to fit, choose "
        "the closest. Look classes up as long as you like: their cards have reference images and what the labeling guide says. "
        "Use nothing else, no search engine and no other program, and do not talk about the images with others until everybody "
        "is done."
    ),
    gallery="The line shows the share of people who named this class.",
    columns=("class", "note"),
)
TRAINING_INSTRUCTIONS = (
    "Name the class of each image: type a part of its name and press Enter, or walk through the tree of classes. After each "
    "answer you are told what is right, and both classes stand side by side with reference images and what the labeling guide "
    "says. Ask for more of a class whenever you like."
)
"""What to do where people are trained."""
