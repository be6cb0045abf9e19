"""What comes next in a study: what its campaigns wait for, and what it lacks."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from shlex import quote

from regauge.estimates import count_things
from regauge.records.campaigns.campaign import CampaignEntry, CampaignState
from regauge.records.campaigns.evaluations import PARTICIPANTS_OF, is_blind, trains
from regauge.records.campaigns.visits import VisitState
from regauge.records.next_steps import CampaignStanding, Place, Step, StepPage
from regauge.records.studies import LabelSetEntry, StudyStatus, TestSetEntry
from regauge.storage.campaigns.campaign import list_campaigns, measure_progress
from regauge.storage.events import find_last_event
from regauge.storage.labels.label_set import covers
from regauge.storage.people.visits import count_visits
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_draw
from regauge.storage.testsets.pool import find_asked_pools, find_drawn_pools
from regauge.storage.testsets.test_set import count_files, has_dataset_labels


def list_steps(study: Study, status: StudyStatus) -> list[Step]:
    """All that a command can do next: what campaigns wait for, then what the study lacks."""
    found = find_campaign_steps(status, (_find_standing(study, one) for one in list_campaigns(study)))
    return [*(step for step in found if step.command), *status.next_steps]


def list_page_steps(status: StudyStatus, standings: Sequence[CampaignStanding]) -> list[Step]:
    """What a manager's page says comes next, what people wait for first; at least one step.

    Args:
        status: the study.
        standings: its campaigns, in the order in which they were made; the newest comes first.
    """
    waiting = [step for step in find_campaign_steps(status, standings[::-1]) if step.page]
    if status.test_sets and not standings:
        page = StepPage("Ask people about the images: create a campaign.", "New campaign", Place.NEW)
        waiting.append(Step(page=page))
    found = [*waiting, *status.next_steps]
    if found or not standings:
        return found
    is_running = any(one.entry.state is CampaignState.OPEN for one in standings)
    words = "Nothing waits for you." + (" People can work, and their answers come in." if is_running else "")
    return [Step(page=StepPage(words))]


def find_campaign_steps(status: StudyStatus, standings: Iterable[CampaignStanding]) -> Iterator[Step]:
    """What campaigns wait for: to be opened, answered, looked at or closed, and to become labels."""
    labelled = {one.provenance.get("campaign") for one in status.label_sets}
    for one in standings:
        yield from _find_prolific_steps(one)
        yield from _find_work_steps(one)
        yield from _find_label_steps(one, labelled)


def _find_standing(study: Study, campaign: CampaignEntry) -> CampaignStanding:
    n_waiting = count_visits(study, campaign)[VisitState.WAITING] if campaign.plan.terms.prolific else 0
    return CampaignStanding(campaign, measure_progress(study, campaign), n_waiting=n_waiting)


def _find_work_steps(one: CampaignStanding) -> Iterator[Step]:
    """Steps until all is answered: to open a campaign, to get people, to see whether they are careful, and to close it."""
    entry, progress, number = one.entry, one.progress, one.entry.id
    is_open, is_done = entry.state is CampaignState.OPEN, progress.n_done >= progress.n_tasks
    if entry.state is CampaignState.DRAFT:
        trial = StepPage(f"{entry.name} is a draft: try its tasks, then open it.", "Look at it", Place.CAMPAIGN, number)
        yield Step(f"Open campaign {entry.name}", f"regauge campaign open {quote(entry.name)}", trial)
    if is_open and not is_done:
        n_open = progress.n_needed - progress.n_counted
        needs = "one more answer" if n_open == 1 else f"{n_open:,} more answers"
        alone = StepPage(f"{entry.name} is open and nobody has answered: give out links.", "Create links", Place.PEOPLE)
        nobody = None if progress.n_annotators else alone
        yield Step(f"Let people answer {entry.name}, which needs {needs}", "regauge serve", nobody)
    if one.pay_warning:
        yield Step(page=StepPage(f"{entry.name}: {one.pay_warning}", "Look at it", Place.CAMPAIGN, number))
    if one.n_suggested:
        people = count_things(one.n_suggested, "annotator")
        words = f"{people} of {entry.name} should be looked at."
        yield Step(page=StepPage(words, "Look at them", Place.ANNOTATORS, number))
    if is_open and is_done:
        yield Step(page=StepPage(f"{entry.name} has all its answers: close it.", "Look at it", Place.CAMPAIGN, number))


def _find_label_steps(one: CampaignStanding, labelled: Collection[object]) -> Iterator[Step]:
    """A step for a campaign whose answers are all there, and of which no labels, or no participants, were made."""
    entry, progress, settings = one.entry, one.progress, one.entry.plan.settings
    is_over = entry.state is CampaignState.CLOSED or progress.n_done >= progress.n_tasks
    if not (is_over and progress.n_counted) or trains(settings):
        return
    if is_blind(settings):
        if not settings.get(PARTICIPANTS_OF):
            words = f"Make participants of the people who were tested in {entry.name}"
            page = StepPage(f"{words}.", "Look at it", Place.CAMPAIGN, entry.id)
            yield Step(words, f"regauge campaign predictions {quote(entry.name)}", page)
    elif entry.name not in labelled:
        page = StepPage(f"Make a label set of the answers to {entry.name}.", "Preview labels", Place.LABELS, entry.id)
        command = f"regauge campaign labels {quote(entry.name)} --name LABELS"
        yield Step(f"Make labels of the answers to {entry.name}", command, page)


def _find_prolific_steps(one: CampaignStanding) -> Iterator[Step]:
    """Steps for a campaign that takes people from Prolific: whom it lets in, and who waits for a code."""
    campaign, prolific, name = one.entry, one.entry.plan.terms.prolific, quote(one.entry.name)
    if prolific is None:
        return
    if campaign.state is CampaignState.OPEN and not prolific.study_id:
        command = f"regauge campaign publish prolific {name} --study-id ID --completed CODE"
        yield Step(f"Say which study on Prolific sends people to {campaign.name}, for any link lets them in", command)
    if one.n_waiting:
        people = "1 person waits" if one.n_waiting == 1 else f"{one.n_waiting:,} people wait"
        command = f"regauge campaign judge {name}"
        yield Step(f"Judge the answers of {campaign.name}, for {people} for their code", command)


def find_study_steps(study: Study, status: StudyStatus) -> Iterator[Step]:
    """What the study lacks; nothing when every result is up to date and reported."""
    if not status.test_sets:
        yield Step("Add a test set", "regauge testset add PATH")
        return
    yield from _find_pool_steps(study, status)
    judged = [one for one in status.test_sets if _is_judged(study, status, one)]
    for test_set in status.test_sets:
        yield from _find_evaluation_steps(study, status, test_set, is_judged=test_set in judged)
    is_drawn = {one.name: find_draw(study, one) is not None for one in judged}
    for original, new in itertools.combinations(judged, 2):
        # New sets are compared with the original; among themselves, their pairs would be too many.
        if not (is_drawn[original.name] and is_drawn[new.name]):
            yield from _find_comparison_steps(status, original.name, new.name)
    if not status.label_sets:
        yield Step("Add what people found in the images, if you have it", "regauge labels add FILE")
    # No event of a kind is older than the first event.
    if find_last_event(study, "evaluate", "compare") > find_last_event(study, "report"):
        yield Step("Write the report", "regauge report")


def _find_pool_steps(study: Study, status: StudyStatus) -> Iterator[Step]:
    """A step for a pool that nobody was asked about although they could be, or else where no test set was drawn from any."""
    asked, drawn, n_files = find_asked_pools(study), find_drawn_pools(study), count_files(study)
    # Nobody knows yet what candidates show, so they cannot be the controls.
    whole = (one for one in status.test_sets if n_files.get(one.id) == one.n_images)
    known = (one.name for one in whole if find_draw(study, one) is None)
    controls = next((["--controls", quote(name)] for name in known), [])
    for pool in status.pools:
        if pool.id not in asked | drawn and pool.id in n_files:
            words = ["regauge campaign create contains NAME --test-set", quote(pool.name), *controls]
            yield Step(f"Ask people about the candidates of {pool.name}", " ".join(words))
    if asked and not drawn and any(one.provenance.get("campaign") for one in status.label_sets):
        draw = Step("draw a test set", "regauge testset sample --name NAME")
        yield Step("See what the pool still lacks", "regauge pool status", then=draw)


def _is_judged(study: Study, status: StudyStatus, test_set: TestSetEntry) -> bool:
    """Whether anybody can be scored on the set: it has dataset labels, or a label set is about its images."""
    if has_dataset_labels(study, test_set):
        return True
    return any(covers(study, one, test_set=test_set) for one in _find_latest(status.label_sets))


def _find_evaluation_steps(
    study: Study, status: StudyStatus, test_set: TestSetEntry, *, is_judged: bool
) -> Iterator[Step]:
    answered = {(one.participant, one.sha256) for one in status.predictions if one.test_set == test_set.name}
    evaluations = [one for one in status.evaluations if one.test_set == test_set.name]
    n_new = len(answered - {pair for one in evaluations for pair in one.predictions.items()})
    used = {name for one in evaluations for name in one.labels}
    labels = [one for one in _find_latest(status.label_sets) if one.full_name not in used]
    command = f"regauge evaluate --test-set {quote(test_set.name)}"
    if not answered:
        name = quote(test_set.name)
        yield Step(f"Add predictions on {test_set.name}", f"regauge predictions add FILE… --test-set {name}")
    elif not is_judged:
        yield Step(f"Add labels of {test_set.name}, which has none to score by", "regauge labels add FILE")
    elif n_new:
        yield Step(f"Evaluate {'one new prediction' if n_new == 1 else f'{n_new:,} new predictions'}", command)
    elif names := [one.full_name for one in labels if covers(study, one, test_set=test_set)]:
        yield Step(f"Evaluate {test_set.name} under {', '.join(names)}", command)
    elif evaluations and evaluations[-1].old_rules:
        yield Step(f"Evaluate {test_set.name} again by today's rules", command)


def _find_comparison_steps(status: StudyStatus, original: str, new: str) -> Iterator[Step]:
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
        yield Step(f"Compare {original} and {new}", command)
    elif there and there[-1].old_rules:
        yield Step(f"Compare {original} and {new} again by today's rules", command)


def _find_latest(label_sets: Iterable[LabelSetEntry]) -> Iterable[LabelSetEntry]:
    """The latest version of each label set."""
    return {entry.name: entry for entry in sorted(label_sets, key=lambda entry: entry.version)}.values()
