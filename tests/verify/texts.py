"""What VERIFY is called and says."""

from __future__ import annotations

from regauge.kinds.contract import KindTexts

TEXTS = KindTexts(
    name="VERIFY",
    title="Say whether a label is right",
    summary="One image and one label: is it right? In two rounds, of which the second shows what the others said.",
    command="Ask whether labels are right: of every image its dataset label, or those in a CSV image_id,class.",
    instructions="Say whether the label is right for an object in the image. If you are in doubt, say why.",
    gallery="The line shows the share of people who found the label right.",
    columns=("asked", "answer"),
)
