"""Whether a campaign has images with known answers enough: a control that comes again can be told from what is asked about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from regauge.campaigns.packing import Grid, count_again
from regauge.kinds.contains.task import list_controls, list_images
from regauge.records.campaigns.campaign import Payload

N_CONTROLS = "n_control_cells"
"""Where the settings of a campaign say how many of its cells are controls."""
N_AGAIN = "n_controls_again"
"""Where they say how many of these show an image that stands in another grid too, or in the lessons."""


def count_supply(
    grids: Sequence[Grid], *, taught: Collection[int] = (), before: Mapping[str, Any] | None = None
) -> dict[str, int]:
    """What the settings of a campaign say about its controls.

    Args:
        grids: its grids, or those of another round.
        taught: images that people are shown elsewhere.
        before: the settings so far, where it is another round.
    """
    n_controls, n_again = count_again(grids, shown=taught)
    so_far = before or {}
    return {N_CONTROLS: so_far.get(N_CONTROLS, 0) + n_controls, N_AGAIN: so_far.get(N_AGAIN, 0) + n_again}


def renew_supply(
    settings: Mapping[str, Any], tasks: Sequence[Payload], *, lessons: Sequence[Payload]
) -> dict[str, int]:
    """Controls counted anew, after images were taken out of tasks; nothing of a campaign that says nothing of them."""
    if N_CONTROLS not in settings:
        return {}
    grids = [Grid(task["class"], tuple(list_images(task)), tuple(list_controls(task))) for task in tasks]
    return count_supply(grids, taught={image for task in lessons for image in list_images(task)})


def note_supply(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What to tell the manager where controls come again; nothing where every one is shown once."""
    if not settings.get(N_AGAIN):
        return ()
    note = (
        f"{settings[N_AGAIN]:,} of {settings[N_CONTROLS]:,} control cells show an image that stands in another task too, as "
        "images with known answers are too few, or are asked about as well; whoever gets both tasks can tell that one of the "
        "two is a control. Take controls from a test set of their own with more images, or fewer per grid."
    )
    return (note,)
