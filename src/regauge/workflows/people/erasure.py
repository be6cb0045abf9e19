"""Erase somebody who asks for it: who they were, and what they answered if they want that; labels are then made anew."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Role
from regauge.records.campaigns.evaluations import PARTICIPANTS_OF, get_requests, set_requests
from regauge.records.names import MAX_REASON
from regauge.records.studies import CAMPAIGN, DERIVED_FROM, SUPERSEDED, LabelSetEntry
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns, set_settings
from regauge.storage.events import add_event
from regauge.storage.labels.label_set import find_versions, list_label_sets, mark_label_set
from regauge.storage.people.annotators import get_annotator
from regauge.storage.people.erasure import (
    count_answers,
    delete_answers,
    delete_participants,
    list_requests,
    make_replacer,
    rename_erased,
    replace_name,
    scrub,
    store_request,
)
from regauge.storage.study import Study
from regauge.workflows.annotation.referrals import refresh_referrals
from regauge.workflows.discussions.standing import list_blind_panels
from regauge.workflows.labels.campaign_labels import RebuiltLabels, list_campaign_labels, rebuild_labels
from regauge.workflows.labels.relations import apply_relations
from regauge.workflows.mistakes.coders import RebuiltCoding, rebuild_codes, rebuild_takers
from regauge.workflows.people.identities import forget_identity

__all__ = [
    "Erasure",
    "ErasurePlan",
    "PendingErasure",
    "ask_for_erasure",
    "erase_annotator",
    "foresee_erasure",
    "list_pending_erasures",
    "scrub",
]

BACKUPS = "backups"


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What an erasure would do: answers of whom, in how many campaigns, and the label sets that were made with them.

    Campaigns that nothing may be told of are named, and not counted.
    """

    annotator: AnnotatorEntry
    n_answers: int
    n_campaigns: int
    labels: tuple[str, ...]
    blind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure did.

    Attributes:
        annotator: what the person is called now.
        n_answers: answers that were deleted; 0 where they were to stay.
        rebuilt: label sets that were made anew without them.
        stale: label sets that were merged from older versions of those, to be merged again by hand.
        remaining: files in the study's folder that were made before and still hold what was erased.
        codings: codings of mistakes that were made again without them, and those that took decisions over from these.
        participants: those that were made of what they answered, gone with it; scores without them are made by evaluating again.
    """

    annotator: str
    n_answers: int
    rebuilt: tuple[RebuiltLabels, ...] = ()
    stale: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    codings: tuple[RebuiltCoding, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingErasure:
    """That somebody wants to be erased, whether with their answers, and when they said so last."""

    annotator: AnnotatorEntry
    with_answers: bool
    at: str


def foresee_erasure(study: Study, annotator: str | int, *, is_blind: bool = False) -> ErasurePlan:
    """What erasing somebody with their answers would do, before it is done.

    Args:
        study: the study.
        annotator: whom, by name or number.
        is_blind: whether panels that vote alone are named instead of counted, for who asks may be on them, too.

    Raises:
        InputError: there is no such annotator, or it is a manager.
    """
    person = _get_erasable(study, annotator)
    panels = list_blind_panels(study) if is_blind else {}
    counts = {number: n for number, n in count_answers(study, person).items() if number not in panels}
    labels = tuple(entry.full_name for number in counts for entry in list_campaign_labels(study, number))
    named = tuple(get_campaign(study, number).name for number, panel in panels.items() if person.id in panel)
    return ErasurePlan(person, sum(counts.values()), len(counts), labels, named)


def erase_annotator(study: Study, annotator: str | int, *, reason: str, with_answers: bool = False) -> Erasure:
    """Forget who somebody is: their name, link, sessions and platform; if asked, also everything that they answered.

    Their name becomes one that says nothing, wherever the study has it. Without their answers tasks are counted anew, those
    that then lack some are open again, and every label set of those campaigns gets a new version; the old ones are marked.
    Where somebody has stored another version above one of these, that one stays as it is and stays the latest.
    A record stays of when, by whom, why and how many answers, not of who it was. Call `scrub` after the transaction: only then
    is it gone from the database's files, too.

    Args:
        study: the study, inside a transaction that may write.
        annotator: whom, by name or number.
        reason: why; kept on record, without the name.
        with_answers: whether to delete what they answered.

    Raises:
        InputError: there is no such annotator, it is a manager, nothing is left to erase, or no reason is given.
    """
    person = _get_erasable(study, annotator)
    if not 1 <= len(reason.strip()) <= MAX_REASON:
        raise InputError(f"Say why, in 1 to {MAX_REASON:,} characters: the reason is kept, without the name.")
    if person.erased_at is not None and not (with_answers and count_answers(study, person)):
        raise InputError(f"{person.name} was erased already, and there is nothing left to erase.")
    old = person.name
    new = _forget(study, person)
    campaigns = tuple(count_answers(study, person)) if with_answers else ()
    participants = _forget_participants(study, person) if with_answers else ()
    n_answers = delete_answers(study, person) if with_answers else 0
    for number in campaigns:
        refresh_referrals(study, get_campaign(study, number), annotator_id=person.id)
    rebuilt = tuple(one for number in campaigns for one in rebuild_labels(study, number))
    codings = (*(one for number in campaigns for one in rebuild_codes(study, number)), *rebuild_takers(study))
    stale, derived = _mark_superseded(study, campaigns, rebuilt)
    rebuilt += (*_leave_covered(study, campaigns, rebuilt), *_derive_again(study, derived, rebuilt))
    # The command line has the name, so it is left out.
    quiet = replace(study, around=replace(study.around, command=""))
    parameters = {
        "annotator": new,
        "reason": make_replacer(old, new)(reason.strip()),
        "with_answers": with_answers,
        "n_answers": n_answers,
        "participants": list(participants),
        "labels": [one.after.full_name for one in rebuilt if one.after is not None],
        "codings": [one.after.full_name for one in codings if one.after is not None],
    }
    add_event(quiet, "annotator erase", parameters)
    if old != new:
        replace_name(study, old, new)
    return Erasure(
        new, n_answers, rebuilt, stale, tuple(_find_remaining(study, (old, *participants))), participants, codings
    )


def ask_for_erasure(study: Study, annotator_id: int, *, with_answers: bool) -> None:
    """Keep that somebody asks to be erased until the manager does it; asking the same again changes nothing.

    Raises:
        InputError: there is no such annotator, it is a manager, or they were erased.
    """
    person = _get_erasable(study, annotator_id)
    if person.erased_at is not None:
        raise InputError(f"{person.name} was erased already.")
    if store_request(study, person, with_answers=with_answers):
        around = replace(study.around, who=person.name)
        parameters = {"annotator": person.name, "with_answers": with_answers}
        add_event(replace(study, around=around), "erasure asked", parameters)


def list_pending_erasures(study: Study) -> tuple[PendingErasure, ...]:
    """What people asked for and nobody has carried out yet, the last word of each, whoever waits longest first."""
    return tuple(PendingErasure(person, one.with_answers, one.at) for person, one in list_requests(study))


def _get_erasable(study: Study, annotator: str | int) -> AnnotatorEntry:
    person = get_annotator(study, annotator)
    if person.role is not Role.ANNOTATOR:
        raise InputError(f"{person.name} is a {person.role} of the study, not an annotator, and cannot be erased.")
    return person


def _forget(study: Study, person: AnnotatorEntry) -> str:
    if person.erased_at is not None:
        return person.name
    # By the old name, under which the private list knows them.
    forget_identity(study, person.name)
    return rename_erased(study, person)


def _forget_participants(study: Study, person: AnnotatorEntry) -> tuple[str, ...]:
    """Delete the participants that were made of somebody's answers; returns what they were called."""
    names: set[str] = set()
    for campaign in list_campaigns(study):
        names.update(campaign.plan.settings.get(PARTICIPANTS_OF, {}).get(str(person.id), ()))
        _forget_settings(study, campaign, str(person.id))
    delete_participants(study, names)
    return tuple(sorted(names))


def _forget_settings(study: Study, campaign: CampaignEntry, number: str) -> None:
    """Take out of the settings of a campaign what they say of somebody, by their number."""
    settings = dict(campaign.plan.settings)
    if number in get_requests(settings):
        settings = set_requests(settings, _leave_out(get_requests(settings), number))
    if number in settings.get(PARTICIPANTS_OF, {}):
        settings[PARTICIPANTS_OF] = _leave_out(settings[PARTICIPANTS_OF], number)
    if settings != campaign.plan.settings:
        set_settings(study, campaign, settings)


def _leave_out(said: Mapping[str, Sequence[str]], number: str) -> dict[str, Sequence[str]]:
    return {who: what for who, what in said.items() if who != number}


def _mark_superseded(
    study: Study, campaigns: tuple[int, ...], rebuilt: tuple[RebuiltLabels, ...]
) -> tuple[tuple[str, ...], tuple[LabelSetEntry, ...]]:
    """Mark the versions that were made with the answers, and those merged or derived from them; returns these two."""
    names = {entry.name for entry in list_campaigns(study) if entry.id in campaigns}
    new = {one.before.name: one.after for one in rebuilt}
    fresh = {one.id for one in new.values() if one is not None}
    marked: set[str] = set()
    stale, derived = [], []
    # A merged version is younger than its parts, so that one way through in this order finds merges of merges, too.
    for entry in sorted(list_label_sets(study), key=lambda one: one.id):
        is_merged = bool(marked & set(entry.provenance.get("merged", ())))
        is_derived = entry.provenance.get(DERIVED_FROM) in marked
        if entry.id in fresh or not (is_merged or is_derived or entry.provenance.get(CAMPAIGN) in names):
            continue
        marked.add(entry.full_name)
        if is_merged:
            stale.append(entry.full_name)
        if is_derived:
            derived.append(entry)
        _mark(study, entry, None if is_derived else new.get(entry.name))
    return tuple(stale), tuple(derived)


def _leave_covered(
    study: Study, campaigns: tuple[int, ...], rebuilt: tuple[RebuiltLabels, ...]
) -> Iterator[RebuiltLabels]:
    """The labels of these campaigns that were not made anew, for somebody has stored other ones above them."""
    names = {entry.name for entry in list_campaigns(study) if entry.id in campaigns}
    done = {one.before.name for one in rebuilt}
    made = (entry for entry in list_label_sets(study) if entry.provenance.get(CAMPAIGN) in names)
    for before in {entry.name: entry for entry in made if entry.name not in done}.values():
        above = _find_above(study, before)
        if above is not None:
            yield _leave(before, above)


def _derive_again(
    study: Study, derived: tuple[LabelSetEntry, ...], rebuilt: tuple[RebuiltLabels, ...]
) -> Iterator[RebuiltLabels]:
    """Of every name the last version that followed from labels by relations between classes, from what took their place."""
    fresh = frozenset(one.after.id for one in rebuilt if one.after is not None)
    for name, before in {entry.name: entry for entry in derived}.items():
        above = _find_above(study, before, besides=fresh)
        if above is not None:
            yield _leave(before, above)
            continue
        try:
            after = apply_relations(study, before.full_name).entry
        except InputError as error:
            yield RebuiltLabels(before, None, str(error))
            continue
        for entry in derived:
            if entry.name == name:
                _mark(study, entry, after)
        yield RebuiltLabels(before, after)


def _find_above(study: Study, before: LabelSetEntry, *, besides: frozenset[int] = frozenset()) -> LabelSetEntry | None:
    """The last version of the same name that is younger and not void itself; a new one would hide it."""
    versions = find_versions(study, before.name)
    above = (one for one in versions if one.version > before.version and SUPERSEDED not in one.provenance)
    return max((one for one in above if one.id not in besides), key=lambda one: one.version, default=None)


def _leave(before: LabelSetEntry, above: LabelSetEntry) -> RebuiltLabels:
    return RebuiltLabels(
        before,
        None,
        f"{above.full_name} was stored above it and stays as it is, with whatever it took over from {before.full_name}; labels "
        "of what is left go under another name.",
    )


def _mark(study: Study, entry: LabelSetEntry, after: LabelSetEntry | None) -> None:
    by = None if after is None else after.full_name
    mark_label_set(study, entry, {SUPERSEDED: {"at": study.around.now(), "by": by, "why": "erasure"}})


def _find_remaining(study: Study, names: Collection[str]) -> Iterator[str]:
    """Backups, whatever they hold, those before a migration among them, and reports that have one of some names."""
    folder = study.paths.folder
    for path in (*_list_files(folder / BACKUPS), *sorted(folder.glob("before-*"))):
        yield str(path.relative_to(folder))
    for path in _list_files(study.paths.reports):
        content = path.read_bytes()
        if any(name.encode() in content for name in names):
            yield str(path.relative_to(folder))


def _list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
