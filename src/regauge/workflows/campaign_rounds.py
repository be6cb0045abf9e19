"""More rounds of a CONTAINS campaign: further people are asked, but only where the sampling decision is still open."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from regauge.campaigns.adaptive import decide_pairs, settle_votes
from regauge.campaigns.eligibility import AFTER
from regauge.campaigns.packing import GridShape
from regauge.campaigns.sources import Album
from regauge.errors import InputError
from regauge.kinds.contains.making import find_controls
from regauge.kinds.contains.rounds import OpenPair, RoundGrid, pack_round
from regauge.kinds.contains.supply import count_supply
from regauge.kinds.contains.task import list_images, make_contains_task
from regauge.records.campaigns import CampaignEntry, Kind, Payload, TaskRole
from regauge.records.cells import write_csv
from regauge.records.contains import Prior
from regauge.records.redundancy import Decisions, RedundancyRule, Round
from regauge.records.responses import Control
from regauge.records.studies import TestSetRole
from regauge.storage.assignments import list_given_positions
from regauge.storage.campaigns import get_campaign, load_campaign_images, set_settings
from regauge.storage.decisions import find_dropped
from regauge.storage.draws import dump_plan, load_plan
from regauge.storage.events import add_event
from regauge.storage.extra_tasks import N_FIRST_TASKS, insert_extra_tasks, insert_round, list_positions
from regauge.storage.files import write_whole
from regauge.storage.pools import find_excluded
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set
from regauge.workflows.aggregate_contains import aggregate_contains
from regauge.workflows.campaign_questions import open_images
from regauge.workflows.campaign_responses import CampaignAnswers, load_answers, to_contains_responses

__all__ = ["ROUNDS", "decide_campaign", "extend_campaign", "find_rule", "get_campaign", "save_settled"]

ROUNDS = "rounds"
"""Where the settings of a campaign list the rounds that were added, each with its rule."""


@dataclass(frozen=True, slots=True, eq=False)
class _Standing:
    """Where a campaign stands.

    Attributes:
        answers: what came back.
        decisions: what they decide.
        shown_at: per pair of image number and class, the positions of the tasks that show it, as a control too.
        pending: pairs that a task shows which lacks answers.
        image_numbers: per image id, its number in the campaign.
    """

    answers: CampaignAnswers
    decisions: Decisions
    shown_at: Mapping[tuple[int, int], frozenset[int]]
    pending: frozenset[tuple[int, int]]
    image_numbers: Mapping[str, int]

    def list_open(self) -> list[tuple[int, int]]:
        """The pairs that are open, by image number and class."""
        counts = self.decisions.counts
        ids = counts.image_ids[counts.images[self.decisions.is_open]].tolist()
        classes = counts.classes[self.decisions.is_open].tolist()
        return [(self.image_numbers[one], index) for one, index in zip(ids, classes, strict=True)]


def find_rule(campaign: CampaignEntry) -> RedundancyRule:
    """The rule of the last round that was added to a campaign; the usual one where there is none."""
    rounds = campaign.plan.settings.get(ROUNDS, [])
    if not rounds:
        return RedundancyRule()
    stored = rounds[-1]["rule"]
    return RedundancyRule(**{**stored, "plan": load_plan(stored["plan"])})


def decide_campaign(study: Study, name: str, rule: RedundancyRule | None = None) -> Decisions:
    """What the answers to a campaign decide about every pair so far.

    Args:
        study: the study, inside a transaction.
        name: the campaign.
        rule: how the test set will be drawn; that of the last round unless given.

    Raises:
        InputError: there is no such campaign, it is of another kind, or it has no answers.
    """
    campaign = get_campaign(study, name)
    return _find_standing(study, campaign, rule or find_rule(campaign)).decisions


def extend_campaign(
    study: Study, name: str, rule: RedundancyRule | None = None, *, seed: int = 0, is_trial: bool = False
) -> Round:
    """Ask as many people again as a task of the campaign takes, but only about pairs that are still open.

    Open pairs are packed into new grids, with controls drawn anew, after all other tasks of the campaign. Nobody gets a grid with
    a pair that they have judged before. Pairs of tasks that lack answers wait for the next round, and none is asked about
    that would get more votes than the rule allows, nor a candidate that was excluded from its pool since.

    Args:
        study: the study, inside a transaction that may write.
        name: the campaign.
        rule: how the test set will be drawn, and when enough people have been asked; that of the last round unless given.
        seed: decides the controls and where everything stands.
        is_trial: only say what would be asked.

    Raises:
        InputError: there is no such campaign, it is of another kind, it has no answers, or a class lacks controls.
    """
    campaign = get_campaign(study, name)
    rule = rule or find_rule(campaign)
    standing = _find_standing(study, campaign, rule)
    barred = _find_barred(study, campaign, standing)
    wanted = [pair for pair in standing.list_open() if pair[0] not in barred]
    asked = [pair for pair in wanted if pair not in standing.pending]
    grids = _pack(study, campaign, standing.shown_at, asked=asked, seed=seed) if asked else []
    made = _describe(study, standing, grids, n_pending=len(wanted) - len(asked), n_asked=len(asked))
    if grids and not is_trial:
        _store(study, made, standing, grids, seed)
    return made


def save_settled(decisions: Decisions, path: Path) -> None:
    """Write votes as if everybody had been asked who may be, which lie where each pair was decided, for draws; as CSV.

    Raises:
        InputError: the file exists.
    """
    counts = settle_votes(decisions)
    columns = (counts.classes, counts.n_shown, counts.n_selected)
    frame = pl.DataFrame(
        {
            "image_id": pl.Series(counts.image_ids.tolist(), dtype=pl.String).gather(counts.images),
            **dict(zip(("class", "n_shown", "n_selected"), columns, strict=True)),
        }
    )
    with write_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        write_csv(frame, file)


def _find_prior(campaign: CampaignEntry) -> Prior | None:
    """The distribution that the votes of the first round showed, as soon as there is another.

    It stays what it was, so that what is settled stays settled; the votes of the first round, the same number for every pair,
    show it without any stopping.
    """
    rounds = campaign.plan.settings.get(ROUNDS, [])
    return Prior(**rounds[0]["prior"]) if rounds else None


def _find_standing(study: Study, campaign: CampaignEntry, rule: RedundancyRule) -> _Standing:
    if campaign.kind is not Kind("contains"):
        raise InputError(
            f"Campaign {campaign.name} is of the kind {campaign.kind}; rounds are added to contains alone."
        )
    step = campaign.plan.n_annotators
    if step > rule.max_annotators:
        raise InputError(
            f"A grid of campaign {campaign.name} takes {step:,} people, more than the {rule.max_annotators:,} who may be asked "
            "about a pair; allow more."
        )
    found = load_answers(study, campaign.name)
    if not found.answers:
        raise InputError(f"Campaign {campaign.name} has no answers that count yet, so nothing can be decided.")
    shown_at, asked = _find_shown(study, found)
    counts = aggregate_contains(to_contains_responses(found), taxonomy=study.taxonomy).counts
    numbers = {found.image_ids[number]: number for number, _ in asked}
    pending = _find_pending(found)
    counts = counts.keep_pairs({(found.image_ids[number], index) for number, index in asked})
    decisions = decide_pairs(counts, rule, step=step, prior=_find_prior(campaign))
    return _Standing(found, decisions, shown_at, pending, numbers)


def _find_shown(
    study: Study, found: CampaignAnswers
) -> tuple[dict[tuple[int, int], frozenset[int]], frozenset[tuple[int, int]]]:
    """Per pair, where it is shown; and the pairs that are asked about, not only shown as controls."""
    positions = list_positions(study, found.campaign)
    shown: dict[tuple[int, int], set[int]] = defaultdict(set)
    asked = set()
    for task_id, task in found.tasks.items():
        for number, control in task["cells"]:
            pair = (number, task["class"])
            shown[pair].add(positions[task_id])
            if Control(control) is Control.NONE:
                asked.add(pair)
    return {pair: frozenset(where) for pair, where in shown.items()}, frozenset(asked)


def _find_pending(found: CampaignAnswers) -> frozenset[tuple[int, int]]:
    """The pairs of tasks that lack answers."""
    n_answers = Counter(one.task_id for one in found.answers)
    lacking = [task for number, task in found.tasks.items() if n_answers[number] < found.campaign.plan.n_annotators]
    return frozenset((number, task["class"]) for task in lacking for number in list_images(task))


def _find_barred(study: Study, campaign: CampaignEntry, standing: _Standing) -> frozenset[int]:
    """The numbers of images that were excluded from their pool since the campaign was made.

    Whoever asked about an excluded image from the first wanted it so.
    """
    settings = campaign.plan.settings
    entries = [get_test_set(study, name) for name in (settings["test_set"], *settings.get("also", ()))]
    return frozenset(
        standing.image_numbers[image_id]
        for entry in entries
        if entry.role is TestSetRole.POOL
        for image_id, held in find_excluded(study, entry).items()
        if image_id in standing.image_numbers and any(one.at > campaign.created_at for one in held)
    )


def _pack(
    study: Study,
    campaign: CampaignEntry,
    shown_at: Mapping[tuple[int, int], frozenset[int]],
    *,
    asked: Sequence[tuple[int, int]],
    seed: int,
) -> list[RoundGrid]:
    settings = campaign.plan.settings
    shape = GridShape(settings["n_cells"], settings["n_positive"], settings["n_negative"])
    has_controls = shape.n_positive or shape.n_negative
    opened = open_images(study, settings["controls"]) if has_controls else None
    # The images of the campaign hold all that can be controls, so none is added here.
    known = {image: number for number, image in enumerate(load_campaign_images(study, campaign.id))}
    album = Album(known, is_closed=True)
    classes = np.array([index for _, index in asked], np.int32)
    controls = find_controls(opened, classes, album=album, taxonomy=study.taxonomy)
    controls = replace(controls, shown=Counter(number for number, _ in shown_at))
    pairs = [OpenPair(number, index, shown_at[number, index]) for number, index in asked]
    rng = np.random.default_rng([seed, len(settings.get(ROUNDS, [])) + 1])
    return pack_round(pairs, controls=controls, shape=shape, rng=rng)


def _describe(study: Study, standing: _Standing, grids: Sequence[RoundGrid], *, n_pending: int, n_asked: int) -> Round:
    campaign = standing.answers.campaign
    dropped = find_dropped(study, campaign)
    given = {who: where for who, where in list_given_positions(study, campaign).items() if who not in dropped}
    n_allowed = [sum(where.isdisjoint(one.after) for where in given.values()) for one in grids]
    return Round(
        campaign=campaign.name,
        number=len(campaign.plan.settings.get(ROUNDS, [])) + 2,
        n_pairs=len(standing.decisions),
        states=standing.decisions.count_states(),
        n_pending=n_pending,
        n_excluded=len(standing.list_open()) - n_pending - n_asked,
        n_asked=n_asked,
        n_tasks=len(grids),
        n_cells=sum(len(one.grid.images) for one in grids),
        n_answers=len(grids) * campaign.plan.n_annotators,
        n_people=len(given),
        n_allowed=min(n_allowed, default=None),
        expected_errors=standing.decisions.expect_errors(),
    )


def _store(study: Study, made: Round, standing: _Standing, grids: Sequence[RoundGrid], seed: int) -> None:
    campaign, decisions = get_campaign(study, made.campaign), standing.decisions
    payloads: list[Payload] = [{**make_contains_task(one.grid), AFTER: list(one.after)} for one in grids]
    insert_extra_tasks(study, campaign, role=TaskRole.WORK, payloads=payloads)
    rule = {**asdict(decisions.rule), "plan": dump_plan(decisions.rule.plan)}
    entry = {**asdict(made), "seed": seed, "rule": rule, "prior": asdict(decisions.prior)}
    settings = campaign.plan.settings
    n_first = settings.get(N_FIRST_TASKS, campaign.n_tasks)
    shown = {number for number, _ in standing.shown_at}
    supply = count_supply([one.grid for one in grids], taught=shown, before=settings)
    rounds = [*settings.get(ROUNDS, []), entry]
    set_settings(study, campaign, {**settings, **supply, N_FIRST_TASKS: n_first, ROUNDS: rounds})
    insert_round(study, campaign, entry)
    add_event(study, "campaign extend", entry)
