"""Answers to grids of which some images could not be shown: what nobody saw is not a vote."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regauge.records.responses.answers import ContainsResponses, Grids, MaskArray


def leave_out_cells(responses: ContainsResponses, not_shown: MaskArray) -> ContainsResponses:
    """The answers without cells that were not shown.

    An annotator who was shown other cells of a task than most has a grid of their own with its id, just as when the answers are
    read from a file that lacks those rows. So nothing that counts, screens or compares answers needs to know of it.

    Args:
        responses: the answers.
        not_shown: per response, bit c is set where cell c was not shown; at least one cell of each was.
    """
    partial = np.flatnonzero(not_shown)
    if not partial.size:
        return responses
    grids = responses.grids
    made: dict[tuple[int, int], int] = {}
    cells: list[int] = []
    sizes: list[int] = []
    places, masks = responses.response_grids.copy(), responses.masks.copy()
    for row in partial.tolist():
        grid, missing, mask = int(places[row]), int(not_shown[row]), int(masks[row])
        start, end = int(grids.starts[grid]), int(grids.starts[grid + 1])
        left = [cell for cell in range(end - start) if not missing >> cell & 1]
        if (grid, missing) not in made:
            made[grid, missing] = len(grids) + len(made)
            cells += [start + cell for cell in left]
            sizes.append(len(left))
        places[row] = made[grid, missing]
        masks[row] = sum(1 << place for place, cell in enumerate(left) if mask >> cell & 1)
    return replace(
        responses, grids=_extend(grids, [grid for grid, _ in made], sizes, cells), response_grids=places, masks=masks
    )


def _extend(grids: Grids, sources: list[int], sizes: list[int], cells: list[int]) -> Grids:
    """The grids and, after them, some that have fewer cells of what others show."""
    return replace(
        grids,
        task_ids=np.concatenate((grids.task_ids, grids.task_ids[sources])),
        classes=np.concatenate((grids.classes, grids.classes[sources])),
        starts=np.concatenate((grids.starts, grids.starts[-1] + np.cumsum(sizes))),
        cell_images=np.concatenate((grids.cell_images, grids.cell_images[cells])),
        cell_controls=np.concatenate((grids.cell_controls, grids.cell_controls[cells])),
    )
