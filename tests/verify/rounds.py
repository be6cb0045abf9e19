"""VERIFY: the second round, for pairs on which people disagree; they see what the others said, and vote once more."""

from __future__ import annotations

from tests.verify.answers import find_pairs, find_votes
from tests.verify.task import make_task

from regauge.campaigns.eligibility import ONLY_AFTER
from regauge.campaigns.priorities import PRIORITY
from regauge.campaigns.rounds import NewRound, RoundInputs
from regauge.campaigns.visibility import VOTES_OF
from regauge.errors import InputError
from regauge.records.campaigns.campaign import Payload
from regauge.records.campaigns.redundancy import Decisions, PairState, RedundancyRule
from regauge.records.responses.ledgers import TaskColumns

IS_ADAPTIVE = False


def decide(standing: RoundInputs, rule: RedundancyRule | None) -> Decisions:
    """Nothing is drawn by these votes."""
    raise InputError(f"Campaign {standing.campaign.name} is of the kind verify, which decides nothing about a draw.")


def ask_again(tasks: TaskColumns, place: int, *, position: int) -> Payload:
    """The pair of a task once more: for those who voted on it, who now see what the others said."""
    words = {ONLY_AFTER: [position], VOTES_OF: [position], PRIORITY: 1}
    return make_task(tasks.subjects[place], tasks.items[tasks.starts[place]], **words)


def explain_few(n_needed: int) -> str:
    """Only those may vote again who voted before."""
    return (
        f"as the others did not vote on its label; it needs {n_needed:,}, and nobody can be invited to a second vote."
    )


def make_round(standing: RoundInputs, rule: RedundancyRule | None, *, seed: int) -> NewRound:
    """A pair is open once, when all have voted and not all alike."""
    tasks, columns = standing.held.tasks, standing.held.columns
    (_, last), votes = find_pairs(tasks), find_votes(columns)
    states, pending, asked = dict.fromkeys((state.name.lower() for state in PairState), 0), 0, []
    for place in last.tolist():
        said = votes[columns.tasks == place]
        is_settled = bool(standing.rounds) or len(set(said.tolist())) == 1
        is_waiting = len(said) < standing.campaign.plan.n_annotators
        states["fixed" if is_settled and not is_waiting else "open"] += 1
        pending += is_waiting
        if not is_settled and not is_waiting:
            asked.append(place)
    positions = [standing.positions[int(tasks.ids[place])] for place in asked]
    return NewRound(
        tasks=[ask_again(tasks, place, position=position) for place, position in zip(asked, positions, strict=True)],
        n_pairs=len(last),
        states=states,
        expected_errors=dict.fromkeys(states),
        n_asked=len(asked),
        n_pending=pending,
        n_cells=len(asked),
        locked=frozenset(positions),
    )
