"""A coding of the study from what coders said in a campaign, with how far they agree."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regauge.arrays import CountArray
from regauge.campaigns.fields import PARTICIPANTS
from regauge.campaigns.reviews.coding import CATEGORIES, TAKEN_OVER
from regauge.campaigns.visibility import LABELS
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level, join_words, to_fields
from regauge.kinds.contract import KindOutput, TaskKind
from regauge.kinds.registry import find_kind
from regauge.labels.coding import decide_mistakes
from regauge.mistakes.accepting import overturn_accepted
from regauge.mistakes.coder_notes import (
    HeardCoders,
    describe_coders,
    describe_lost,
    describe_named,
    describe_rounds,
    describe_taken,
)
from regauge.mistakes.coders import make_coded, measure_coders
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.discussions import DiscussionStanding
from regauge.records.mistakes.coded import DefinedCategory, name_categories
from regauge.records.mistakes.coders import CoderAgreement, CoderVotes, DecidedMistakes
from regauge.records.mistakes.coding import CodingEntry, MistakeCoding
from regauge.records.names import to_part
from regauge.records.responses.ledgers import HeldAnswers
from regauge.records.studies import CAMPAIGN, SUPERSEDED, LabelSetEntry
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.events import add_event
from regauge.storage.labels.label_set import find_versions, load_label_set
from regauge.storage.mistakes.codings import find_versions as find_coding_versions
from regauge.storage.mistakes.codings import insert_coding, list_codings, void_coding
from regauge.storage.study import Study
from regauge.workflows.campaigns.responses import CampaignAnswers, load_answers, make_responses
from regauge.workflows.discussions.standing import is_discussion, load_standing
from regauge.workflows.mistakes.codings import describe_overturned, get_valid_labels
from regauge.workflows.mistakes.taking import find_named, find_taken, list_outdated

AGREEMENT = "agreement"
"""Where the provenance of a coding says how far coders agreed."""


@dataclass(frozen=True, slots=True, eq=False)
class CodersResult:
    """What coders said in a campaign, put together.

    Attributes:
        coding: what is settled, not stored.
        decided: every mistake that a coder looked at.
        agreement: how far coders agree, by aspect.
        notes: what the reader should know, a sentence each.
        entry: the stored coding; None where nothing was stored.
    """

    coding: MistakeCoding
    decided: DecidedMistakes
    agreement: tuple[CoderAgreement, ...]
    notes: tuple[str, ...]
    entry: CodingEntry | None = None


@dataclass(frozen=True, slots=True)
class RebuiltCoding:
    """A coding, and its new version; None where none can be made any more, for the reason given."""

    before: CodingEntry
    after: CodingEntry | None
    problem: str = ""


def list_coded(study: Study, campaign: str | int) -> tuple[str, ...]:
    """Whose mistakes a campaign codes: one participant, or several where a file named the answers.

    Raises:
        InputError: there is no such campaign, or its answers are not codes.
    """
    entry = get_campaign(study, campaign)
    _check_kind(entry, find_kind(study.around.kinds, entry.kind))
    return tuple(entry.plan.settings[PARTICIPANTS.name])


def name_coding(name: str, participant: str, *, among: Sequence[str]) -> str:
    """What the coding of one participant's mistakes is called where a campaign codes those of several.

    >>> name_coding("codes", "vit", among=["vit"]), name_coding("codes", "B/32", among=["vit", "B/32"])
    ('codes', 'codes-B-32')
    """
    parts = [to_part(one) for one in among]
    place = among.index(participant)
    number = f"-{place + 1}" if parts.count(parts[place]) > 1 else ""
    return name if len(among) == 1 else f"{name}-{parts[place]}{number}"


def preview_codes(
    study: Study,
    campaign: str | int,
    *,
    participant: str | None = None,
    labels: str | None = None,
    level: float = DEFAULT_LEVEL,
) -> CodersResult:
    """What the coding of a campaign would be; nothing is stored.

    Args:
        study: the study, inside a transaction.
        campaign: its name or number.
        participant: whose mistakes; needed where the campaign codes those of several.
        labels: the label set under which they are mistakes; by default the latest version of the one that the campaign names.
        level: the confidence level of the agreement.

    Raises:
        InputError: the answers of the campaign are not codes, there are none, or the label set is void.
    """
    entry = get_campaign(study, campaign)
    found = load_answers(study, entry.name)
    _check_kind(entry, found.kind)
    if not len(found):
        raise InputError(f"Campaign {entry.name} has no answers that count yet, so there is no coding to make of it.")
    check_level(level)
    truth = get_valid_labels(study, labels or _find_latest(study, entry.plan.settings[LABELS]))
    return _put_together(study, found, truth, whose=_choose_participant(entry, participant), level=level)


def build_codes(
    study: Study,
    campaign: str | int,
    *,
    name: str,
    participant: str | None = None,
    labels: str | None = None,
) -> CodersResult:
    """Store what coders said in a campaign as the next version of a coding; see `preview_codes`.

    Raises:
        InputError: as there, or the coding cannot be called that.
    """
    made = preview_codes(study, campaign, participant=participant, labels=labels)
    return store_codes(study, made, name=name)


def _check_kind(entry: CampaignEntry, kind: TaskKind) -> None:
    if KindOutput.CODED_MISTAKES not in kind.gives:
        raise InputError(
            f"Campaign {entry.name} is of the kind {entry.kind}, whose answers do not code mistakes; name one of the kind code."
        )


def _choose_participant(entry: CampaignEntry, participant: str | None) -> str:
    names = entry.plan.settings[PARTICIPANTS.name]
    if participant is None and len(names) == 1:
        return str(names[0])
    if participant is None or participant not in names:
        came = "none is named" if participant is None else f"not of {participant}"
        raise InputError(
            f"Campaign {entry.name} codes mistakes of {join_words(names)}, {came}; name one of them with `participant=…`."
        )
    return participant


def store_codes(study: Study, made: CodersResult, *, name: str) -> CodersResult:
    """Store a coding that was put together under a name; a name that exists gets a new version."""
    coding = replace(made.coding, name=name)
    entry = insert_coding(study, coding)
    counts = {one: getattr(entry, one) for one in ("n_coded", "n_major", "n_overturned")}
    add_event(
        study,
        "campaign coding",
        {"campaign": coding.provenance[CAMPAIGN], "coding": entry.full_name, "labels": coding.labels, **counts},
    )
    return replace(made, coding=coding, entry=entry)


def rebuild_codes(study: Study, campaign: str | int) -> tuple[RebuiltCoding, ...]:
    """Every coding of a campaign once more, from the answers as they are now; the versions of before are void, without notes.

    Of each name the last version is made again, if it came from the campaign; what somebody added above it stays.
    """
    name = get_campaign(study, campaign).name
    latest = {one.name: one for one in list_codings(study)}
    mine = [one for one in list_codings(study) if one.provenance.get(CAMPAIGN) == name]
    made = {
        one.name: _rebuild(study, one) for one in latest.values() if one in mine and SUPERSEDED not in one.provenance
    }
    for one in mine:
        again = made.get(one.name)
        if SUPERSEDED not in one.provenance:
            void_coding(study, one, by=None if again is None or again.after is None else again.after.full_name)
    return tuple(made.values())


def rebuild_takers(study: Study) -> tuple[RebuiltCoding, ...]:
    """Every coding that took decisions over from one that is void by now, made again with what holds, and so on."""
    made: list[RebuiltCoding] = []
    while outdated := list_outdated(study):
        for name in dict.fromkeys(one.name for one in outdated):
            latest = find_coding_versions(study, name)[-1]
            again = _rebuild(study, latest) if latest in outdated else None
            for one in outdated:
                if one.name == name:
                    void_coding(study, one, by=None if again is None or again.after is None else again.after.full_name)
            made += [] if again is None else [again]
    return tuple(made)


def _rebuild(study: Study, entry: CodingEntry) -> RebuiltCoding:
    try:
        made = build_codes(study, entry.provenance[CAMPAIGN], name=entry.name, participant=entry.participant)
    except InputError as error:
        return RebuiltCoding(entry, None, str(error))
    return RebuiltCoding(entry, made.entry)


def _find_latest(study: Study, full_name: str) -> str:
    """The latest version of a label set that no erasure has made void; the one that is named where all are."""
    base = full_name.rpartition("@")[0]
    valid = [one for one in find_versions(study, base) if SUPERSEDED not in one.provenance]
    return valid[-1].full_name if valid else full_name


def _put_together(
    study: Study, found: CampaignAnswers, truth: LabelSetEntry, *, whose: str, level: float
) -> CodersResult:
    campaign, named = found.campaign, find_named(study, found.campaign, whose)
    heard = hear_coders(study, found, pairs=None if named is None else frozenset(named.pairs))
    votes = heard.final
    settings = campaign.plan.settings
    categories = tuple(DefinedCategory(*one) for one in settings[CATEGORIES.name])
    names = name_categories(categories)
    decided = decide_mistakes(votes, names)
    agreement = measure_coders(heard.alone, decide_mistakes(heard.alone, names), names=names, level=level)
    taken = find_taken(study, campaign, named=named, categories=names)
    coded, overturned, remarks = make_coded(decided, votes, names=names, taken=taken.taken, participant=whose)
    said = MistakeCoding(
        name=campaign.name,
        participant=whose,
        test_set=settings["test_set"],
        labels=truth.full_name,
        source=f"campaign {campaign.name}",
        coded=coded,
        overturned=overturned,
        categories=categories,
        provenance={**_trace(found, votes, agreement), TAKEN_OVER: taken.sources},
        remarks=remarks,
    )
    label_set = load_label_set(study, truth)
    coding = overturn_accepted(said, label_set)
    # Of named answers of several participants, a coding has those of one.
    n_asked = int(found.held.tasks.is_work.sum()) if named is None else len(named.pairs) - taken.n
    of, is_discussed = campaign.plan.n_annotators, heard.is_discussed
    notes = (
        *describe_coders(votes, decided, n_mistakes=n_asked, n_planned=of, is_discussed=is_discussed),
        *describe_rounds(heard, names),
        *describe_taken(taken.sources),
        *describe_lost(taken.lost),
        *describe_named(named),
        *describe_overturned(coding, said, label_set=label_set),
    )
    return CodersResult(coding, decided, agreement, notes)


def _trace(found: CampaignAnswers, votes: CoderVotes, agreement: tuple[CoderAgreement, ...]) -> dict[str, Any]:
    """From which answers a coding comes, and how."""
    return {
        CAMPAIGN: found.campaign.name,
        "generation": found.campaign.generation,
        "last_response": int(found.held.columns.ids.max()),
        "n_answers": len(found),
        "coders": sorted(votes.names.tolist()),
        AGREEMENT: [describe_agreement(one) for one in agreement],
    }


def describe_agreement(one: CoderAgreement) -> dict[str, Any]:
    """The columns of an agreement, for programs and for the record."""
    return {"aspect": one.aspect.value, "n": one.n, "n_equal": one.n_equal, **to_fields(one.alpha, "alpha")}


def hear_coders(
    study: Study, found: CampaignAnswers, *, pairs: Collection[tuple[str, int]] | None = None
) -> HeardCoders:
    """What the answers to a campaign say, by rounds where it has two.

    Args:
        study: the study, inside a transaction.
        found: the answers.
        pairs: the images and predictions that are meant; None for all.

    Raises:
        InputError: coders still work alone, or nothing is locked yet.
    """
    if not is_discussion(study, found.campaign):
        votes = _list_votes(found, pairs)
        return HeardCoders(votes, votes)
    standing = load_standing(study, found.campaign)
    name = found.campaign.name
    if standing.closed is None:
        raise InputError(f"Round 1 of {name} goes on: coders work alone, and nothing is told before a chair closes it.")
    locked = [one.task_id for one in standing.items if one.is_locked and not one.missing]
    if not locked:
        raise InputError(f"Nothing of {name} is locked yet, so nothing is decided; a chair locks what was discussed.")
    final = _keep(found, np.flatnonzero(np.isin(_list_tasks(found.held), locked)))
    asked = [
        one.task_id
        for one in standing.items
        if pairs is None or (str(found.held.image_ids[one.task["image"]]), one.task["class"]) in pairs
    ]
    return HeardCoders(
        alone=_list_votes(_find_alone(found, standing), pairs),
        final=_list_votes(final, pairs),
        n_open=len(set(asked) - set(locked)),
        is_discussed=True,
    )


def _list_votes(found: CampaignAnswers, pairs: Collection[tuple[str, int]] | None) -> CoderVotes:
    """The votes on the pairs that are meant."""
    votes: CoderVotes = make_responses(found)
    if pairs is None:
        return votes
    voted = zip(votes.image_ids[votes.images].tolist(), votes.predictions.tolist(), strict=True)
    return votes.choose(np.array([row for row, pair in enumerate(voted) if pair in pairs], np.int64))


def _list_tasks(held: HeldAnswers) -> CountArray:
    """Per answer, the number of its task."""
    return np.asarray(held.tasks.ids[held.columns.tasks])


def _find_alone(found: CampaignAnswers, standing: DiscussionStanding) -> CampaignAnswers:
    """The answers as they were in round 1; of those who gave none then, none."""
    said = {
        (item.task_id, one.annotator_id): one.first_answer
        for item in standing.items
        for one in item.stances
        if one.first_answer is not None
    }
    columns = found.held.columns
    whose = zip(_list_tasks(found.held).tolist(), columns.annotator_ids[columns.annotators].tolist(), strict=True)
    texts = [said.get(one) for one in whose]
    kept = _keep(found, np.flatnonzero([one is not None for one in texts]))
    return replace(kept, held=replace(kept.held, texts=tuple(json.dumps(one) for one in texts if one is not None)))


def _keep(found: CampaignAnswers, rows: CountArray) -> CampaignAnswers:
    held = found.held
    texts = tuple(held.texts[row] for row in rows.tolist())
    return replace(found, held=replace(held, columns=held.columns.keep(rows), texts=texts))
