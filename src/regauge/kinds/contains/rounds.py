"""CONTAINS: another round of grids for pairs that are still open: smaller ones, with controls of their own and nothing twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.campaigns.adaptive import decide_pairs
from regauge.campaigns.eligibility import AFTER
from regauge.campaigns.packing import ControlPool, Grid, pack_grids
from regauge.campaigns.rounds import NewRound, RoundInputs
from regauge.errors import InputError
from regauge.kinds.contains.answers import make_responses
from regauge.kinds.contains.making import find_controls, read_shape
from regauge.kinds.contains.supply import count_supply
from regauge.kinds.contains.task import make_contains_task
from regauge.labels.frequencies.results import aggregate
from regauge.records.campaigns.redundancy import Decisions, RedundancyRule
from regauge.records.labels.contains import ContainsSettings, FrequencyPrior
from regauge.records.responses.answers import Control, ControlArray, GridShape
from regauge.records.responses.ledgers import TaskColumns

IS_ADAPTIVE = True


@dataclass(frozen=True, slots=True)
class OpenPair:
    """A pair that is asked about once more: its image and class by number, and the positions of the tasks that showed it."""

    image: int
    class_index: int
    shown_at: frozenset[int]


@dataclass(frozen=True, slots=True)
class RoundGrid:
    """A grid of the next round, and the positions of the tasks that showed one of its pairs before."""

    grid: Grid
    after: tuple[int, ...]


def pack_round(
    pairs: Sequence[OpenPair], *, controls: ControlPool, shape: GridShape, rng: np.random.Generator
) -> list[RoundGrid]:
    """Every pair in exactly one grid of its class.

    Unlike the first round no pair is repeated to fill a grid, for that would ask more people about it than is wanted, and none is
    filled up with controls: a grid is as large as its pairs and the least controls. Pairs that were shown together stay together
    as far as possible, so that few people are kept from a grid because they have judged one of its pairs.

    Args:
        pairs: what is open.
        controls: images with known answers.
        shape: size and controls of a grid at most.
        rng: decides the controls and where everything stands.

    Raises:
        InputError: a class lacks controls.
    """
    shown = controls.shown + Counter(pair.image for pair in pairs)
    grids = []
    for class_index in sorted({pair.class_index for pair in pairs}):
        for part in _split([pair for pair in pairs if pair.class_index == class_index], shape.n_pairs):
            grids.append(_pack(part, replace(controls, shown=shown), shape, rng))
            shown.update(grids[-1].grid.images)
    return [grids[place] for place in rng.permutation(len(grids))]


def _split(pairs: list[OpenPair], n_pairs: int) -> Iterator[list[OpenPair]]:
    """The fewest parts, as even as can be, of pairs that were shown together."""
    ordered = sorted(pairs, key=lambda pair: (sorted(pair.shown_at), pair.image))
    n_parts = -(-len(ordered) // n_pairs)
    for places in np.array_split(np.arange(len(ordered)), n_parts):
        yield [ordered[place] for place in places]


def _pack(part: list[OpenPair], controls: ControlPool, shape: GridShape, rng: np.random.Generator) -> RoundGrid:
    images = np.array([pair.image for pair in part], np.int32)
    classes = np.array([pair.class_index for pair in part], np.int32)
    least = GridShape(len(part) + shape.n_positive + shape.n_negative, shape.n_positive, shape.n_negative)
    (grid,) = pack_grids(images, classes, controls=controls, shape=least, rng=rng)
    return RoundGrid(grid, tuple(sorted(frozenset().union(*(pair.shown_at for pair in part)))))


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The cells of all grids but hidden repeats: per cell the place of its task, the number of its image, class and control."""

    tasks: CountArray
    images: IntArray
    classes: IntArray
    controls: ControlArray

    def list_pairs(self, where: BoolArray) -> list[tuple[int, int]]:
        """Image number and class of some cells."""
        return list(zip(self.images[where].tolist(), self.classes[where].tolist(), strict=True))


def decide(standing: RoundInputs, rule: RedundancyRule) -> Decisions:
    """What the answers decide about every pair so far.

    Raises:
        InputError: a grid takes more people than may be asked about a pair, or there are no answers.
    """
    campaign, held = standing.campaign, standing.held
    step = campaign.plan.n_annotators
    if step > rule.max_annotators:
        raise InputError(
            f"A grid of campaign {campaign.name} takes {step:,} people, more than the {rule.max_annotators:,} who may be asked "
            "about a pair; allow more."
        )
    if not len(held):
        raise InputError(f"Campaign {campaign.name} has no answers that count yet, so nothing can be decided.")
    cells = _list_cells(held.tasks)
    asked = {(str(held.image_ids[number]), index) for number, index in cells.list_pairs(cells.controls == Control.NONE)}
    counts = aggregate(make_responses(held), ContainsSettings()).counts.keep_pairs(asked)
    # The distribution that the votes of the first round showed stays what it was, so that what is settled stays settled; these
    # votes, the same number for every pair, show it without any stopping.
    prior = FrequencyPrior(**standing.rounds[0]["prior"]) if standing.rounds else None
    return decide_pairs(counts, rule, step=step, prior=prior)


def make_round(standing: RoundInputs, rule: RedundancyRule, *, seed: int) -> NewRound:
    """Open pairs are packed into new grids, with controls drawn anew. Nobody gets a grid with a pair that they have judged.

    Pairs of tasks that lack answers wait for the next round, and none is asked about that would get more votes than the rule
    allows, nor a candidate that was excluded from its pool since.

    Raises:
        InputError: as for `decide`, or a class lacks controls.
    """
    decisions = decide(standing, rule)
    cells = _list_cells(standing.held.tasks)
    is_asked = cells.controls == Control.NONE
    number_of = {str(standing.held.image_ids[number]): number for number, _ in cells.list_pairs(is_asked)}
    is_open = _list_open(decisions, number_of)
    wanted = [pair for pair in is_open if pair[0] not in standing.barred]
    pending = _find_pending(standing, cells)
    asked = [pair for pair in wanted if pair not in pending]
    shown_at = _find_shown(standing, cells)
    grids = _pack_open(standing, asked, shown_at=shown_at, seed=seed) if asked else []
    shown = {number for number, _ in shown_at}
    settings = standing.campaign.plan.settings
    return NewRound(
        tasks=[{**make_contains_task(one.grid), AFTER: list(one.after)} for one in grids],
        n_pairs=len(decisions),
        states=decisions.count_states(),
        expected_errors=decisions.expect_errors(),
        n_asked=len(asked),
        n_pending=len(wanted) - len(asked),
        n_excluded=len(is_open) - len(wanted),
        n_cells=sum(len(one.grid.images) for one in grids),
        settings=count_supply([one.grid for one in grids], taught=shown, before=settings),
        decisions=decisions,
    )


def explain_few(n_needed: int) -> str:
    """Nobody judges a pair twice."""
    return f"as the others have judged one of its pairs; it needs {n_needed:,}, so invite more."


def _list_cells(tasks: TaskColumns) -> _Cells:
    owners = np.repeat(np.arange(len(tasks)), tasks.sizes)
    is_shown = tasks.is_work[owners]
    return _Cells(owners[is_shown], tasks.items[is_shown], tasks.subjects[owners[is_shown]], tasks.controls[is_shown])


def _list_open(decisions: Decisions, number_of: Mapping[str, int]) -> list[tuple[int, int]]:
    """The pairs that are open, by image number and class."""
    counts, is_open = decisions.counts, decisions.is_open
    ids = counts.image_ids[counts.images[is_open]].tolist()
    return [(number_of[one], index) for one, index in zip(ids, counts.classes[is_open].tolist(), strict=True)]


def _find_shown(standing: RoundInputs, cells: _Cells) -> dict[tuple[int, int], frozenset[int]]:
    """Per pair, the positions of the tasks that show it, as a control too."""
    task_ids = standing.held.tasks.ids[cells.tasks].tolist()
    shown: dict[tuple[int, int], set[int]] = defaultdict(set)
    for task_id, pair in zip(task_ids, cells.list_pairs(np.ones(len(task_ids), np.bool_)), strict=True):
        shown[pair].add(standing.positions[task_id])
    return {pair: frozenset(where) for pair, where in shown.items()}


def _find_pending(standing: RoundInputs, cells: _Cells) -> frozenset[tuple[int, int]]:
    """The pairs of tasks that lack answers."""
    n_answers = np.bincount(standing.held.columns.tasks, minlength=len(standing.held.tasks))
    return frozenset(cells.list_pairs(n_answers[cells.tasks] < standing.campaign.plan.n_annotators))


def _pack_open(
    standing: RoundInputs,
    asked: Sequence[tuple[int, int]],
    *,
    shown_at: Mapping[tuple[int, int], frozenset[int]],
    seed: int,
) -> list[RoundGrid]:
    classes = np.array([index for _, index in asked], np.int32)
    controls = find_controls(standing.known, classes, album=standing.album, taxonomy=standing.taxonomy)
    controls = replace(controls, shown=Counter(number for number, _ in shown_at))
    pairs = [OpenPair(number, index, shown_at[number, index]) for number, index in asked]
    rng = np.random.default_rng([seed, len(standing.rounds) + 1])
    return pack_round(pairs, controls=controls, shape=read_shape(standing.campaign.plan.settings), rng=rng)
