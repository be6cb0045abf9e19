"""Open and close campaigns: before one is opened, all that it will show is decoded; what cannot be shown is told, or left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from regauge.campaigns.eligibility import PANEL
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.formats.images.fingerprints import CHUNK, read_checksums
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry, CampaignImage, CampaignState, TaskRole
from regauge.records.campaigns.evaluations import GUIDE_VERSION, OWN_ORDER, is_blind
from regauge.records.studies import ImagePlace, TestSetEntry
from regauge.storage.campaigns.assignments import list_given_positions
from regauge.storage.campaigns.campaign import (
    count_up_generation,
    get_campaign,
    load_campaign_images,
    set_settings,
    set_state,
)
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.campaigns.image_failures import (
    change_tasks,
    count_roles,
    list_given_tasks,
    load_shown_tasks,
    load_shown_tasks_by_role,
)
from regauge.storage.campaigns.ledgers import find_names
from regauge.storage.events import add_event
from regauge.storage.fingerprints import add_checksums, load_checksums, make_keys
from regauge.storage.guide import count_changes
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import list_image_sets, load_places, load_test_set

N_NAMED = 3
"""Images that a sentence names; the others are counted."""


@dataclass(frozen=True, slots=True)
class FailingSet:
    """What cannot be shown of a test set or a batch of the pool.

    Attributes:
        entry: the set.
        n_shown: how many of its images the campaign shows.
        problems: image id → why it cannot be shown.
        is_gone: whether none of its files is there, as when a disk is not mounted.
    """

    entry: TestSetEntry
    n_shown: int
    problems: Mapping[str, str]
    is_gone: bool

    def describe(self) -> str:
        """What is wrong, in one sentence."""
        if self.is_gone:
            return (
                f"None of the {self.n_shown:,} images of {self.entry.name} is there below {self.entry.root}; mount that folder, "
                "or say where they are now with: regauge testset relocate."
            )
        named = [f"{image_id} ({why.rstrip('.')})" for image_id, why in self.problems.items()][:N_NAMED]
        more = f" and {len(self.problems) - N_NAMED:,} more" if len(self.problems) > N_NAMED else ""
        n = f"{len(self.problems):,} of {self.n_shown:,}"
        return f"{n} images of {self.entry.name} cannot be shown: {', '.join(named)}{more}."


@dataclass(frozen=True, slots=True)
class CheckedImages:
    """What came of decoding the images of a campaign.

    Attributes:
        n_images: how many there are.
        n_left: those that were not looked at, for lack of time.
        sets: the sets of which some cannot be shown.
        numbers: those images, by their numbers in the campaign.
    """

    n_images: int = 0
    n_left: int = 0
    sets: tuple[FailingSet, ...] = ()
    numbers: frozenset[int] = field(default_factory=frozenset)


UNCHECKED = CheckedImages()
"""Nothing was looked at, and so nothing found."""


def check_images(study: Study, name: str | int, *, is_over: Callable[[], bool] = lambda: False) -> CheckedImages:
    """Decode every image that a campaign shows: in tasks, examples and questions. This may take long.

    What was read before, by whatever command, is not read again, so that this can be stopped and gone on with.

    Args:
        study: the study, which may be only read.
        name: the campaign, by its name or number.
        is_over: asked now and then; true ends it before all were looked at.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = get_campaign(study, name)
    list_images = find_kind(study.around.kinds, campaign.kind).task.list_images
    shown = {number for task in load_shown_tasks(study, campaign).values() for number in list_images(task)}
    album = load_campaign_images(study, campaign.id)
    by_set: dict[int, list[int]] = defaultdict(list)
    for number in sorted(shown):
        by_set[album[number].test_set_id].append(number)
    found = [
        _check_set(study, entry, {number: album[number] for number in by_set[entry.id]}, is_over)
        for entry in list_image_sets(study)
        if entry.id in by_set
    ]
    return CheckedImages(
        n_images=len(shown),
        n_left=sum(n_left for _, _, n_left in found),
        sets=tuple(one for one, _, _ in found if one.problems),
        numbers=frozenset(number for _, numbers, _ in found for number in numbers),
    )


def open_campaign(
    study: Study, name: str, *, checked: CheckedImages | None = None, leaves_out: bool = False
) -> CampaignEntry:
    """Let people work on the campaign; one that was closed is opened again.

    Args:
        study: the study, inside a transaction.
        name: which campaign.
        checked: what `check_images` found; it is called by default, which keeps other writers waiting. `UNCHECKED` skips it.
        leaves_out: whether images that cannot be shown are left out; else they are refused.

    Raises:
        InputError: the campaign is open already, or some of its images cannot be shown.
    """
    campaign = get_campaign(study, name)
    if campaign.state is CampaignState.OPEN:
        raise InputError(f"Campaign {name} is {campaign.state} already.")
    found = check_images(study, name) if checked is None else checked
    if not leaves_out:
        refuse_failing(campaign, found)
    if found.numbers:
        n_tasks = leave_out_images(study, campaign, found.numbers)
        left_out = {"campaign": name, "n_images": len(found.numbers), "n_tasks": n_tasks}
        add_event(study, "campaign leave out", left_out)
    _freeze_guide(study, get_campaign(study, name))
    return _change(study, name, CampaignState.OPEN)


def _freeze_guide(study: Study, campaign: CampaignEntry) -> None:
    """Where people are tested all of them read the guide as it is when the first can begin."""
    settings = campaign.plan.settings
    if is_blind(settings) and GUIDE_VERSION not in settings:
        set_settings(study, campaign, {**settings, GUIDE_VERSION: count_changes(study)})


def describe_unfinished(study: Study, name: str | int) -> tuple[str, ...]:
    """Who has tasks left of a campaign in which everybody answers everything, a sentence for each; nothing for other campaigns.

    People of the panel who have not begun are among them.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = get_campaign(study, name)
    if OWN_ORDER not in campaign.plan.settings:
        return ()
    dropped = find_dropped(study, campaign)
    answered = {
        number: len(places)
        for number, places in list_given_positions(study, campaign, is_answered=True).items()
        if number not in dropped
    }
    panel = {number: 0 for number in campaign.plan.settings.get(PANEL, ()) if number not in dropped}
    n_of, names = {**panel, **answered}, find_names(study, {*panel, *answered})
    return tuple(tell_unfinished({names[number]: n for number, n in n_of.items()}, campaign.n_tasks))


def tell_unfinished(n_of: Mapping[str, int], n_tasks: int) -> Iterator[str]:
    """Who has answered fewer than all tasks, a sentence for each in the order of their names."""
    for name, n in sorted(n_of.items()):
        if n < n_tasks:
            yield f"{name} has {n_tasks - n:,} of {count_things(n_tasks, 'image')} left."


def close_campaign(study: Study, name: str) -> CampaignEntry:
    """Stop giving out tasks; answers to those that are out are still taken."""
    return _change(study, name, CampaignState.CLOSED)


def refuse_failing(campaign: CampaignEntry, checked: CheckedImages) -> None:
    """Refuse to open a campaign that cannot show all of its images.

    Raises:
        InputError: some images cannot be shown; the message has a sentence for each set of images.
    """
    if checked.sets:
        sentences = " ".join(one.describe() for one in checked.sets)
        raise InputError(
            f"{sentences} Campaign {campaign.name} stays as it is; repair them, or leave them out with `leaves_out=True` (on the "
            "page: the box in the dialog)."
        )


def describe_left_out(checked: CheckedImages) -> tuple[str, ...]:
    """What was left out of a campaign, a sentence for each set of images."""
    return tuple(f"{one.describe()} They are left out." for one in checked.sets)


def describe_failing(checked: CheckedImages) -> tuple[str, ...]:
    """What tasks that people are given cannot show, a sentence for each set of images."""
    return tuple(f"{one.describe()} Whoever is given one reports it; repair them soon." for one in checked.sets)


def leave_out_images(study: Study, campaign: CampaignEntry, numbers: frozenset[int]) -> int:
    """Take images out of tasks that nobody was given yet; a task of which nothing is left is given to nobody.

    In tasks that somebody has, images stay at their places: answers say that they were not shown.

    Returns:
        How many tasks are left out.

    Raises:
        InputError: no task or too few questions of the quiz are left.
    """
    given, kind = list_given_tasks(study, campaign), find_kind(study.around.kinds, campaign.kind).task
    changed = {
        task_id: kind.remove_images(task, numbers)
        for task_id, task in load_shown_tasks(study, campaign).items()
        if task_id not in given and not numbers.isdisjoint(kind.list_images(task))
    }
    left_out = [task_id for task_id, task in changed.items() if task is None]
    change_tasks(study, {task_id: task for task_id, task in changed.items() if task is not None}, left_out=left_out)
    count_up_generation(study, campaign)
    n_of, quiz = count_roles(study, campaign), campaign.plan.terms.quiz
    if not n_of.get(TaskRole.WORK):
        raise InputError(f"None of the tasks of campaign {campaign.name} can be shown, so there is nothing to open.")
    if quiz is not None and n_of.get(TaskRole.QUESTION, 0) < quiz.n_questions:
        raise InputError(
            f"The quiz of campaign {campaign.name} asks {quiz.n_questions} questions, and only "
            f"{n_of.get(TaskRole.QUESTION, 0)} of its images can be shown; repair them, or ask fewer."
        )
    _recount(study, campaign)
    return len(left_out)


def _recount(study: Study, campaign: CampaignEntry) -> None:
    """Let the settings say what is true of the tasks now."""
    shown, settings = load_shown_tasks_by_role(study, campaign), campaign.plan.settings
    lessons = [task for role in (TaskRole.EXAMPLE, TaskRole.QUESTION) for task in shown.get(role, ())]
    new = find_kind(study.around.kinds, campaign.kind).making.recount(
        settings, shown.get(TaskRole.WORK, []), lessons=lessons
    )
    if new:
        set_settings(study, campaign, {**settings, **new})


def _check_set(
    study: Study, entry: TestSetEntry, shown: Mapping[int, CampaignImage], is_over: Callable[[], bool]
) -> tuple[FailingSet, list[int], int]:
    """What cannot be shown of a set, the numbers of those images, and how many were not looked at."""
    everything, ids = load_places(study, entry), load_test_set(study, entry).image_ids
    numbers, rows = list(shown), [image.row for image in shown.values()]
    places = [everything[row] for row in rows]
    problems: dict[int, str] = {}
    n_left = len(places)
    for at, problem in _decode(study, Path(entry.root), places, is_over):
        n_left -= 1
        if problem:
            problems[at] = problem
    n_missing = sum(not (Path(entry.root) / places[at].path).exists() for at in problems)
    found = FailingSet(
        entry,
        len(places),
        {str(ids[rows[at]]): problem for at, problem in problems.items()},
        is_gone=bool(places) and n_missing == len(places),
    )
    return found, [numbers[at] for at in problems], n_left


def _decode(
    study: Study, root: Path, places: Sequence[ImagePlace], is_over: Callable[[], bool]
) -> Iterator[tuple[int, str]]:
    """The place of every image that was looked at, and why it cannot be shown; empty where it can."""
    keys = make_keys(root, places)
    known = load_checksums(study, root) if places else {}
    new = []
    for at, key in enumerate(keys):
        if key in known:
            yield at, known[key][2]
        else:
            new.append(at)
    checksums = read_checksums(root, [places[at] for at in new], goes_on=True, track=study.around.track)
    for number, chunk in enumerate(checksums):
        of_chunk = new[number * CHUNK : number * CHUNK + len(chunk)]
        # What could not be read at all may be there tomorrow, so only what was read is kept.
        read = [at for at, (sha256, _, _) in zip(of_chunk, chunk, strict=True) if sha256]
        add_checksums(study, root, keys=[keys[at] for at in read], checksums=[one for one in chunk if one[0]])
        yield from ((at, problem) for at, (_, _, problem) in zip(of_chunk, chunk, strict=True))
        if is_over():
            return


def _change(study: Study, name: str, state: CampaignState) -> CampaignEntry:
    campaign = get_campaign(study, name)
    if campaign.state is state:
        raise InputError(f"Campaign {name} is {state} already.")
    changed = set_state(study, campaign, state)
    add_event(study, f"campaign {state}", {"campaign": name})
    return changed
