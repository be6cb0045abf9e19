"""More rounds of a campaign: further people are asked, but only about what is still open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from regauge.campaigns.adaptive import settle_votes
from regauge.campaigns.eligibility import Taker, may_take
from regauge.campaigns.locks import lock
from regauge.campaigns.priorities import get_priority, order_tasks
from regauge.campaigns.rounds import ROUNDS, URGENT_FROM, NewRound, RoundInputs
from regauge.campaigns.sources import Album
from regauge.errors import InputError
from regauge.kinds.contract import Rounds
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry, CampaignState, TaskRole
from regauge.records.campaigns.redundancy import Decisions, RedundancyRule, Round
from regauge.records.cells import write_csv
from regauge.records.studies import TestSetRole
from regauge.storage.campaigns.assignments import list_given_positions
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images, set_settings
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.campaigns.extra_tasks import (
    N_FIRST_TASKS,
    insert_extra_tasks,
    insert_round,
    list_positions,
    load_tasks_of,
)
from regauge.storage.campaigns.image_failures import change_tasks
from regauge.storage.events import add_event
from regauge.storage.files import write_whole
from regauge.storage.study import Study
from regauge.storage.testsets.draws import dump_plan, load_plan
from regauge.storage.testsets.pool import find_excluded
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.campaigns.campaign import pick_seed
from regauge.workflows.campaigns.image_sets import open_images
from regauge.workflows.campaigns.responses import CampaignAnswers, load_answers
from regauge.workflows.campaigns.reviews.final import find_own
from regauge.workflows.kinds import list_kinds


def find_rule(study: Study, campaign: CampaignEntry) -> RedundancyRule | None:
    """The rule of the last round that was added to a campaign, or the usual one; None where no rule decides what is open.

    Raises:
        InputError: campaigns of this kind have one round.
    """
    if not _get_rounds(study, campaign).IS_ADAPTIVE:
        return None
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
        rule: how the test set will be drawn; that of the last round by default.

    Raises:
        InputError: there is no such campaign, its kind decides nothing by a rule, or it has no answers.
    """
    campaign = get_campaign(study, name)
    rounds = _get_rounds(study, campaign)
    standing = _find_standing(study, load_answers(study, campaign.name))
    return rounds.decide(standing, rule or find_rule(study, campaign))


def extend_campaign(
    study: Study, name: str, rule: RedundancyRule | None = None, *, seed: int | None = None, is_trial: bool = False
) -> Round:
    """Ask as many people again as a task of the campaign takes, but only about what is still open, as its kind has it.

    The new tasks come after all others of the campaign, and each says who may take it. Answers that they show are locked.

    Args:
        study: the study, inside a transaction that may write.
        name: the campaign.
        rule: how the test set will be drawn, and when enough people have been asked; that of the last round by default.
        seed: decides every random choice; drawn by default, and kept with the round.
        is_trial: only say what would be asked.

    Raises:
        InputError: there is no such campaign, its kind has one round, or the round cannot be made.
    """
    campaign = get_campaign(study, name)
    rounds = _get_rounds(study, campaign)
    seed = pick_seed() if seed is None else seed
    standing = _find_standing(study, load_answers(study, campaign.name))
    new = rounds.make_round(standing, rule or find_rule(study, campaign), seed=seed)
    made = _describe(study, standing, new)
    if new.tasks and not is_trial:
        _store(study, made, new, seed)
    return made


def describe_limits(study: Study, made: Round) -> Iterator[str]:
    """What keeps a round from being done by those who are there, a sentence each."""
    campaign = get_campaign(study, made.campaign)
    needed = campaign.plan.n_annotators
    if made.n_tasks and campaign.state is not CampaignState.OPEN:
        yield (
            f"Campaign {campaign.name} is {campaign.state}: nobody gets these tasks until you open it; run: regauge "
            f"campaign open {campaign.name}."
        )
    if made.n_allowed is not None and made.n_allowed < needed:
        yield (
            f"Some task may go to {made.n_allowed:,} of the {made.n_people:,} people who took part, "
            f"{_get_rounds(study, campaign).explain_few(needed)}"
        )


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


def _get_rounds(study: Study, campaign: CampaignEntry) -> Rounds:
    found = find_kind(study.around.kinds, campaign.kind).rounds
    if found is None:
        able = " and ".join(kind for kind, one in list_kinds(study).items() if one.rounds is not None)
        raise InputError(f"Campaign {campaign.name} is of the kind {campaign.kind}; rounds are added to {able} alone.")
    return found


def _find_standing(study: Study, found: CampaignAnswers) -> RoundInputs:
    campaign = found.campaign
    settings = campaign.plan.settings
    needs_known = find_kind(study.around.kinds, campaign.kind).making.needs_known(campaign.plan, settings)
    images, positions = load_campaign_images(study, campaign.id), list_positions(study, campaign)
    return RoundInputs(
        campaign=campaign,
        held=found.held,
        positions=positions,
        barred=_find_barred(study, found),
        known=open_images(study, settings.get("controls", settings["test_set"])) if needs_known else None,
        # The images of the campaign hold all that can be controls, so none is added.
        album=Album({image: number for number, image in enumerate(images)}, is_closed=True),
        taxonomy=study.taxonomy,
        not_for=find_own(study, campaign, positions),
    )


def _find_barred(study: Study, found: CampaignAnswers) -> frozenset[int]:
    """The numbers of images that were excluded from their pool since the campaign was made.

    Whoever asked about an excluded image from the first wanted it so.
    """
    campaign = found.campaign
    settings = campaign.plan.settings
    entries = [get_test_set(study, name) for name in (settings["test_set"], *settings.get("also", ()))]
    excluded = {
        image_id
        for entry in entries
        if entry.role is TestSetRole.POOL
        for image_id, held in find_excluded(study, entry).items()
        if any(one.at > campaign.created_at for one in held)
    }
    return frozenset(number for number, one in enumerate(found.held.image_ids.tolist()) if one in excluded)


def _describe(study: Study, standing: RoundInputs, new: NewRound) -> Round:
    campaign = standing.campaign
    dropped = find_dropped(study, campaign)
    given = {who: where for who, where in list_given_positions(study, campaign).items() if who not in dropped}
    answered = list_given_positions(study, campaign, is_answered=True)
    takers = [Taker(who, where, answered.get(who, set())) for who, where in given.items()]
    n_allowed = [sum(may_take(task, taker) for taker in takers) for task in new.tasks]
    return Round(
        campaign=campaign.name,
        number=len(standing.rounds) + 2,
        n_pairs=new.n_pairs,
        states=new.states,
        n_pending=new.n_pending,
        n_excluded=new.n_excluded,
        n_asked=new.n_asked,
        n_tasks=len(new.tasks),
        n_cells=new.n_cells,
        n_answers=len(new.tasks) * campaign.plan.n_annotators,
        n_people=len(given),
        n_allowed=min(n_allowed, default=None),
        expected_errors=new.expected_errors,
    )


def _store(study: Study, made: Round, new: NewRound, seed: int) -> None:
    campaign = get_campaign(study, made.campaign)
    tasks = order_tasks(new.tasks)
    first, *_ = insert_extra_tasks(study, campaign, role=TaskRole.WORK, payloads=tasks)
    urgent = {URGENT_FROM: list_positions(study, campaign)[first]} if get_priority(tasks[0]) > 0 else {}
    _lock(study, campaign, new.locked)
    settings = campaign.plan.settings
    entry = {**asdict(made), "seed": seed, **urgent, **_describe_rule(new.decisions)}
    rounds = [*settings.get(ROUNDS, []), entry]
    n_first = settings.get(N_FIRST_TASKS, campaign.n_tasks)
    set_settings(study, campaign, {**settings, **new.settings, N_FIRST_TASKS: n_first, ROUNDS: rounds})
    insert_round(study, campaign, entry)
    add_event(study, "campaign extend", entry)


def _lock(study: Study, campaign: CampaignEntry, positions: frozenset[int]) -> None:
    """Keep answers as they are that others are going to see."""
    ids = [task_id for task_id, position in list_positions(study, campaign).items() if position in positions]
    change_tasks(study, {one: lock(task) for one, task in load_tasks_of(study, ids).items()}, left_out=())


def _describe_rule(decisions: Decisions | None) -> Mapping[str, Any]:
    if decisions is None:
        return {}
    rule = {**asdict(decisions.rule), "plan": dump_plan(decisions.rule.plan)}
    return {"rule": rule, "prior": asdict(decisions.prior)}
