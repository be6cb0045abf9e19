"""The items of a campaign while people work: filtered, sorted, part by part, and what was said of an image in words."""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray, CountArray
from regauge.campaigns.eligibility import PANEL, is_on_panel
from regauge.errors import UnknownClassError
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Platform, Role
from regauge.records.responses.items import STATES, ItemFilter, ItemList, ItemOrder, ItemRow, ItemTable
from regauge.records.responses.quality import ImageAnswers, ListPage
from regauge.records.taxonomy import Taxonomy
from regauge.storage.campaigns.comments import find_last_answers
from regauge.storage.campaigns.extra_tasks import load_tasks_of
from regauge.storage.campaigns.ledgers import find_images, find_names
from regauge.storage.campaigns.panels import list_assigned
from regauge.storage.moments import format_milliseconds
from regauge.storage.people.annotators import list_annotators
from regauge.storage.study import Study
from regauge.taxonomy.expertise import find_kinds, name_expertise
from regauge.taxonomy.hierarchy import find_classes_below, list_kinds_above
from regauge.workflows.live.item_orders import ItemNotes, find_keys, load_notes


def find_wanted(
    study: Study, campaign: CampaignEntry, *, table: ItemTable, asked: ItemFilter, notes: ItemNotes
) -> BoolArray:
    """Per item, whether a filter leaves it."""
    kept = np.ones(len(table), np.bool_)
    if asked.classes is not None:
        kept &= np.isin(table.classes, list(asked.classes))
    if asked.images is not None:
        kept &= np.isin(table.images, list(asked.images))
    if asked.state is not None:
        kept &= table.states == STATES.index(asked.state)
    if asked.is_disputed:
        kept &= table.is_disputed
    if asked.has_comments:
        kept &= np.isin(table.images, list(notes.n_threads))
    if asked.expertise is not None:
        referred = [one for one, words in notes.referred_to.items() if asked.expertise in words]
        kept &= np.isin(table.tasks, referred)
    if asked.reviewer is not None:
        is_theirs = np.zeros(len(table), np.bool_)
        is_theirs[table.vote_rows[table.vote_people == asked.reviewer]] = True
        kept &= is_theirs | np.isin(table.tasks, list_assigned(study, campaign, annotator_id=asked.reviewer))
    return kept


def list_items(
    study: Study, campaign: CampaignEntry, *, table: ItemTable, asked: ItemFilter, page: tuple[ItemOrder, ListPage]
) -> ItemList:
    """A part of the items that a filter leaves, in an order; what cannot be compared comes last."""
    (order, part), notes = page, load_notes(study, campaign)
    places = np.flatnonzero(find_wanted(study, campaign, table=table, asked=asked, notes=notes))
    keys = find_keys(study, table=table, order=order, notes=notes)[places]
    in_order = places[np.argsort(-keys if part.is_descending else keys, kind="stable")]
    rows = _make_rows(study, campaign, table, places=in_order[part.offset : part.offset + part.limit], notes=notes)
    return ItemList(rows, len(places), _name_expertises(table, notes))


def find_tasks(study: Study, campaign: CampaignEntry, *, table: ItemTable, asked: ItemFilter) -> list[int]:
    """The tasks of the items that a filter leaves, by their numbers."""
    is_wanted = find_wanted(study, campaign, table=table, asked=asked, notes=load_notes(study, campaign))
    found: list[int] = np.unique(table.tasks[is_wanted]).tolist()
    return found


def find_classes(study: Study, text: str) -> frozenset[int]:
    """The classes that a text names: a class by its index, id or name, or all below a kind of the hierarchy by its id or name.

    What is called nothing else may be a kind in the plural, as an expertise may.

    Raises:
        InputError: nothing is called so.
    """
    taxonomy, wanted = study.taxonomy, text.strip().casefold()
    nodes = [one for one in taxonomy.parents if wanted in {one.casefold(), *_fold(taxonomy.find_names(one))}]
    below = find_classes_below(taxonomy, *nodes)
    if below:
        return frozenset(below)
    try:
        return frozenset({taxonomy.get_index(text.strip())})
    except UnknownClassError:
        found = find_classes_below(taxonomy, *find_kinds(taxonomy, text))
        if not found:
            raise
        return frozenset(found)


def find_expertise(study: Study, text: str) -> str:
    """What a text names that a label can be referred to: a kind of the hierarchy, or free words, in the one way to write it.

    Raises:
        InputError: there are no words, or too many.
    """
    return name_expertise(study.taxonomy, text)


def list_nothing(study: Study, campaign: CampaignEntry, *, table: ItemTable) -> ItemList:
    """No items, where what was asked for is nothing."""
    return ItemList((), 0, _name_expertises(table, load_notes(study, campaign)))


def list_reviewers(study: Study, campaign: CampaignEntry) -> tuple[AnnotatorEntry, ...]:
    """Who may take tasks of a campaign by a personal link: its panel, or everybody who is not erased."""
    return tuple(
        one
        for one in list_annotators(study)
        if one.role is Role.ANNOTATOR
        and one.platform is Platform.LINK
        and one.erased_at is None
        and is_on_panel(campaign.plan.settings, one.id)
    )


def tell_answers(study: Study, campaign: CampaignEntry, found: ImageAnswers) -> dict[tuple[int, int], tuple[str, str]]:
    """What every answer about an image says in words, and its note, by the numbers of the task and of whoever gave it."""
    items = find_kind(study.around.kinds, campaign.kind).items
    if items is None:
        return {}
    payloads = load_tasks_of(study, {one.task_id for one in found.answers})
    told = {}
    for one in found.answers:
        last = find_last_answers(study, [one.task_id], annotator_id=one.annotator_id).get(one.task_id)
        if last is not None:
            told[one.task_id, one.annotator_id] = items.tell_answer(
                payloads[one.task_id],
                last.answer,
                image=found.number,
                name=lambda index: study.taxonomy.classes[index].name,
            )
    return told


def _fold(names: tuple[str, ...]) -> set[str]:
    return {name.casefold() for name in names}


def _name_expertises(table: ItemTable, notes: ItemNotes) -> tuple[str, ...]:
    """What items were referred to, in the order of the alphabet; an item that was referred on stands with the last alone."""
    there = set(table.tasks.tolist())
    return tuple(sorted({words[0] for one, words in notes.referred_to.items() if one in there}))


def _make_rows(
    study: Study, campaign: CampaignEntry, table: ItemTable, *, places: CountArray, notes: ItemNotes
) -> tuple[ItemRow, ...]:
    images = find_images(study, campaign, numbers=table.images[places].tolist())
    payloads = load_tasks_of(study, set(table.tasks[places].tolist()))
    panels = {task_id: payload[PANEL] for task_id, payload in payloads.items() if PANEL in payload}
    people = {place: table.vote_people[table.vote_rows == place].tolist() for place in places.tolist()}
    names = find_names(study, [who for own in (*people.values(), *panels.values()) for who in own])
    return tuple(
        ItemRow(
            number=int(table.images[place]),
            image_id=images[int(table.images[place])].image_id,
            class_index=int(table.classes[place]),
            kind=_name_kind(study.taxonomy, int(table.classes[place])),
            dataset_label=images[int(table.images[place])].label,
            task_id=int(table.tasks[place]),
            n_votes=tuple(table.n_votes[place].tolist()),
            state=STATES[table.states[place]],
            expertise=notes.referred_to.get(int(table.tasks[place]), ("",))[0],
            reviewers=tuple(sorted(names.get(who, "somebody new") for who in people[place])),
            assigned=_name_panel(panels.get(int(table.tasks[place])), names),
            n_comments=notes.n_threads.get(int(table.images[place]), 0),
            last_at=format_milliseconds(int(table.last[place])) if table.last[place] else "",
            is_control=bool(table.is_control[place]),
        )
        for place in places.tolist()
    )


def _name_kind(taxonomy: Taxonomy, class_index: int) -> str:
    above = list_kinds_above(taxonomy, class_index)
    return taxonomy.find_names(above[-1])[0] if above else ""


def _name_panel(panel: list[int] | None, names: dict[int, str]) -> tuple[str, ...] | None:
    return None if panel is None else tuple(sorted(names.get(who, "somebody new") for who in panel))
