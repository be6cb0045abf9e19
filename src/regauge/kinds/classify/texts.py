"""What CLASSIFY is called and says."""

from __future__ import annotations

from regauge.kinds.contract import KindTexts

TEXTS = KindTexts(
    name="CLASSIFY",
    title="Say what is in an image",
    summary="One image and some labels: which of them are in it, and which one names the main object?",
    command="Ask which of the candidates in a CSV image_id,class are in each image, and which one names the main object.",
    instructions=(
        "Select every label that fits an object in the image. If several could fit the same object, select only the most "
        "likely one. Parts are objects of their own: a car and its wheel are two. Then mark the main object: what the image "
        "is about."
    ),
    gallery="The line shows the share of people who named this label as the main object.",
    columns=("selected", "main"),
)
