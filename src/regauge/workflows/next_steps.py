"""What a study lacks for the next step."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from shlex import quote

from regauge.records.campaigns import CampaignEntry, CampaignState
from regauge.records.studies import LabelSetEntry, StudyStatus, TestSetEntry
from regauge.records.visits import VisitState
from regauge.storage.campaigns import list_campaigns, measure_progress
from regauge.storage.draws import find_draw
from regauge.storage.events import find_last_event
from regauge.storage.labels import covers
from regauge.storage.pools import find_asked_pools, find_drawn_pools
from regauge.storage.study import Study
from regauge.storage.testsets import count_files
from regauge.storage.visits import count_visits


def find_next_steps(study: Study, status: StudyStatus) -> Iterator[str]:
    """What to do next, a sentence with its command each; nothing when every result is up to date and reported."""
    if not status.test_sets:
        yield "Add a test set: regauge testset add PATH"
        return
    yield from _find_pool_steps(study, status)
    for test_set in status.test_sets:
        yield from _find_evaluation_steps(study, status, test_set)
    is_drawn = {one.name: find_draw(study, one) is not None for one in status.test_sets}
    for original, new in itertools.combinations(status.test_sets, 2):
        # New sets are compared with the original; among themselves, their pairs would be too many.
        if not (is_drawn[original.name] and is_drawn[new.name]):
            yield from _find_comparison_steps(status, original.name, new.name)
    if not status.label_sets:
        yield "Add what people found in the images, if you have it: regauge labels add FILE"
    # No event of a kind is older than the first event.
    if find_last_event(study, "evaluate", "compare") > find_last_event(study, "report"):
        yield "Write the report: regauge report"


def find_campaign_steps(study: Study, status: StudyStatus) -> Iterator[str]:
    """What campaigns wait for, a sentence with its command each: to be opened, to be answered, to become labels."""
    labelled = {one.provenance.get("campaign") for one in status.label_sets}
    for campaign in list_campaigns(study):
        yield from _find_steps_of(study, campaign, is_labelled=campaign.name in labelled)


def _find_steps_of(study: Study, campaign: CampaignEntry, *, is_labelled: bool) -> Iterator[str]:
    name, progress = quote(campaign.name), measure_progress(study, campaign)
    yield from _find_prolific_steps(study, campaign)
    if campaign.state is CampaignState.DRAFT:
        yield f"Open campaign {campaign.name}: regauge campaign open {name}"
    elif campaign.state is CampaignState.OPEN and progress.n_done < progress.n_tasks:
        n_open = progress.n_needed - progress.n_counted
        needs = "one more answer" if n_open == 1 else f"{n_open:,} more answers"
        yield f"Let people answer {campaign.name}, which needs {needs}: regauge serve"
    elif progress.n_counted and not is_labelled:
        yield f"Make labels of the answers to {campaign.name}: regauge campaign labels {name} --name LABELS"


def _find_prolific_steps(study: Study, campaign: CampaignEntry) -> Iterator[str]:
    """Steps for a campaign that takes people from Prolific: whom it lets in, and who waits for a code."""
    prolific, name = campaign.plan.terms.prolific, quote(campaign.name)
    if prolific is None:
        return
    if campaign.state is CampaignState.OPEN and not prolific.study_id:
        command = f"regauge campaign publish prolific {name} --study-id ID --completed CODE"
        yield f"Say which study on Prolific sends people to {campaign.name}, for any link lets them in: {command}"
    if n_waiting := count_visits(study, campaign)[VisitState.WAITING]:
        people = "1 person waits" if n_waiting == 1 else f"{n_waiting:,} people wait"
        yield f"Judge the answers of {campaign.name}, for {people} for their code: regauge campaign judge {name}"


def _find_pool_steps(study: Study, status: StudyStatus) -> Iterator[str]:
    """A step for a pool that nobody was asked about although they could be, or else where no test set was drawn from any."""
    asked, drawn, n_files = find_asked_pools(study), find_drawn_pools(study), count_files(study)
    # Nobody knows yet what candidates show, so they cannot be the controls.
    whole = (one for one in status.test_sets if n_files.get(one.id) == one.n_images)
    known = (one.name for one in whole if find_draw(study, one) is None)
    controls = next((f" --controls {quote(name)}" for name in known), "")
    for pool in status.pools:
        if pool.id not in asked | drawn and pool.id in n_files:
            command = f"regauge campaign create contains NAME --test-set {quote(pool.name)}{controls}"
            yield f"Ask people about the candidates of {pool.name}: {command}"
    if asked and not drawn and any(one.provenance.get("campaign") for one in status.label_sets):
        yield "See what the pool still lacks: regauge pool status; then draw a test set: regauge testset sample --name NAME"


def _find_evaluation_steps(study: Study, status: StudyStatus, test_set: TestSetEntry) -> Iterator[str]:
    answered = {(one.participant, one.sha256) for one in status.predictions if one.test_set == test_set.name}
    evaluations = [one for one in status.evaluations if one.test_set == test_set.name]
    n_new = len(answered - {pair for one in evaluations for pair in one.predictions.items()})
    used = {name for one in evaluations for name in one.labels}
    labels = [one for one in _find_latest(status.label_sets) if one.full_name not in used]
    command = f"regauge evaluate --test-set {quote(test_set.name)}"
    if not answered:
        name = quote(test_set.name)
        yield f"Add predictions on {test_set.name}: regauge predictions add FILE… --test-set {name}"
    elif n_new:
        yield f"Evaluate {'one new prediction' if n_new == 1 else f'{n_new:,} new predictions'}: {command}"
    elif names := [one.full_name for one in labels if covers(study, one, test_set=test_set)]:
        yield f"Evaluate {test_set.name} under {', '.join(names)}: {command}"
    elif evaluations and evaluations[-1].old_rules:
        yield f"Evaluate {test_set.name} again by today's rules: {command}"


def _find_comparison_steps(status: StudyStatus, original: str, new: str) -> Iterator[str]:
    """A step where somebody has answered both test sets and was not compared with the answers of today."""
    first, second = (
        {one.participant: one.sha256 for one in status.predictions if one.test_set == name} for name in (original, new)
    )
    shared = {(name, first[name], second[name]) for name in first.keys() & second.keys()}
    there = [one for one in status.comparisons if (one.original, one.new) == (original, new)]
    back = [one for one in status.comparisons if (one.original, one.new) == (new, original)]
    compared = {(name, *pair) for one in there for name, pair in one.predictions.items()}
    compared |= {(name, *pair[::-1]) for one in back for name, pair in one.predictions.items()}
    command = f"regauge compare {quote(original)} {quote(new)}"
    if shared - compared:
        yield f"Compare {original} and {new}: {command}"
    elif there and there[-1].old_rules:
        yield f"Compare {original} and {new} again by today's rules: {command}"


def _find_latest(label_sets: Iterable[LabelSetEntry]) -> Iterable[LabelSetEntry]:
    """The latest version of each label set."""
    return {entry.name: entry for entry in sorted(label_sets, key=lambda entry: entry.version)}.values()
