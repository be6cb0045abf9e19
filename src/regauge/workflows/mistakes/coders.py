"""A coding of the study from what coders said in a campaign, with how far they agree."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regauge.arrays import CountArray
from regauge.campaigns.fields import PARTICIPANTS
from regauge.campaigns.reviews.coding import CATEGORIES, TAKEN_OVER
from regauge.campaigns.visibility import LABELS
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level, count_things, to_fields
from regauge.formats.mistakes.coded import parse_taken_over
from regauge.kinds.contract import KindOutput
from regauge.labels.coding import ASPECTS, decide_mistakes
from regauge.mistakes.accepting import overturn_accepted
from regauge.mistakes.coders import make_coded, measure_coders
from regauge.records.campaigns.discussions import DiscussionStanding
from regauge.records.mistakes.coded import DefinedCategory, name_categories
from regauge.records.mistakes.coders import CoderAgreement, CoderVotes, DecidedMistakes
from regauge.records.mistakes.coding import CodingEntry, MistakeCoding
from regauge.records.responses.ledgers import HeldAnswers
from regauge.records.studies import CAMPAIGN, SUPERSEDED, LabelSetEntry
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.documents import find_document
from regauge.storage.events import add_event
from regauge.storage.labels.label_set import find_versions, load_label_set
from regauge.storage.mistakes.codings import insert_coding, list_codings, void_coding
from regauge.storage.study import Study
from regauge.workflows.campaigns.responses import CampaignAnswers, load_answers, make_responses
from regauge.workflows.discussions.standing import is_discussion, load_standing
from regauge.workflows.mistakes.codings import describe_overturned, get_valid_labels

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


def preview_codes(
    study: Study, campaign: str | int, *, labels: str | None = None, level: float = DEFAULT_LEVEL
) -> CodersResult:
    """What the coding of a campaign would be; nothing is stored.

    Args:
        study: the study, inside a transaction.
        campaign: its name or number.
        labels: the label set under which they are mistakes; by default the latest version of the one that the campaign names.
        level: the confidence level of the agreement.

    Raises:
        InputError: the answers of the campaign are not codes, there are none, or the label set is void.
    """
    entry = get_campaign(study, campaign)
    found = load_answers(study, entry.name)
    if KindOutput.CODED_MISTAKES not in found.kind.gives:
        raise InputError(
            f"Campaign {entry.name} is of the kind {entry.kind}, whose answers do not code mistakes; name one of the kind code."
        )
    if not len(found):
        raise InputError(f"Campaign {entry.name} has no answers that count yet, so there is no coding to make of it.")
    check_level(level)
    truth = get_valid_labels(study, labels or _find_latest(study, entry.plan.settings[LABELS]))
    return _put_together(study, found, truth, level=level)


def build_codes(
    study: Study, campaign: str | int, *, name: str, labels: str | None = None, level: float = DEFAULT_LEVEL
) -> CodersResult:
    """Store what coders said in a campaign as the next version of a coding; see `preview_codes`.

    Raises:
        InputError: as there, or the coding cannot be called that.
    """
    made = preview_codes(study, campaign, labels=labels, level=level)
    return store_codes(study, made, name=name)


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


def _rebuild(study: Study, entry: CodingEntry) -> RebuiltCoding:
    try:
        made = build_codes(study, entry.provenance[CAMPAIGN], name=entry.name)
    except InputError as error:
        return RebuiltCoding(entry, None, str(error))
    return RebuiltCoding(entry, made.entry)


def _find_latest(study: Study, full_name: str) -> str:
    """The latest version of a label set that no erasure has made void; the one that is named where all are."""
    base = full_name.rpartition("@")[0]
    valid = [one for one in find_versions(study, base) if SUPERSEDED not in one.provenance]
    return valid[-1].full_name if valid else full_name


def _put_together(study: Study, found: CampaignAnswers, truth: LabelSetEntry, *, level: float) -> CodersResult:
    campaign, heard = found.campaign, hear_coders(study, found)
    votes = heard.final
    settings = campaign.plan.settings
    categories = tuple(DefinedCategory(*one) for one in settings[CATEGORIES.name])
    names = name_categories(categories)
    (participant,) = settings[PARTICIPANTS.name]
    decided = decide_mistakes(votes, names)
    agreement = measure_coders(heard.alone, decide_mistakes(heard.alone, names), names=names, level=level)
    document = find_document(study, campaign, TAKEN_OVER)
    taken = () if document is None else parse_taken_over(document)
    coded, overturned, remarks = make_coded(decided, votes, names=names, taken=taken, participant=participant)
    said = MistakeCoding(
        name=campaign.name,
        participant=participant,
        test_set=settings["test_set"],
        labels=truth.full_name,
        source=f"campaign {campaign.name}",
        coded=coded,
        overturned=overturned,
        categories=categories,
        provenance=_trace(found, votes, agreement),
        remarks=remarks,
    )
    label_set = load_label_set(study, truth)
    coding = overturn_accepted(said, label_set)
    notes = (
        *describe_coders(
            votes,
            decided,
            n_mistakes=int(found.held.tasks.is_work.sum()),
            n_planned=campaign.plan.n_annotators,
            is_discussed=heard.is_discussed,
        ),
        *describe_rounds(heard, names),
        *describe_taken(settings.get(TAKEN_OVER, {})),
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


def describe_coders(
    votes: CoderVotes, decided: DecidedMistakes, *, n_mistakes: int, n_planned: int, is_discussed: bool = False
) -> Iterator[str]:
    """How far coders are, whether anybody is alone, and what is open, a sentence each.

    Args:
        votes: what each said.
        decided: what most said.
        n_mistakes: how many mistakes there are to look at.
        n_planned: how many coders each should have.
        is_discussed: whether only what a chair has locked is decided.
    """
    n_gone = int((decided.is_overturned & decided.is_settled).sum())
    n = count_things(n_mistakes, "mistake")
    if is_discussed:
        yield f"A chair has locked {len(decided):,} of {n}, and coders overturned {n_gone:,} of these."
    else:
        yield f"Coders looked at {len(decided):,} of {n} and overturned {n_gone:,}."
    n_alone = int((decided.n_votes == 1).sum())
    if len(votes.names) == 1:
        yield f"{votes.names[0]} alone coded these mistakes, so nobody knows how far others would agree."
    elif n_alone and n_planned > 1:
        yield f"{count_things(n_alone, 'mistake')} with one coder only, though {n_planned:,} were planned."
    yield from _describe_open(decided, is_discussed=is_discussed)


def _describe_open(decided: DecidedMistakes, *, is_discussed: bool) -> Iterator[str]:
    """What is left out since coders disagree and none of their answers has most votes."""
    n_open = int((~decided.is_settled).sum())
    if n_open:
        parts = [
            f"{aspect.value} {n:,}"
            for aspect, n in zip(ASPECTS, decided.is_shared.sum(axis=0).tolist(), strict=True)
            if n
        ]
        way = "Talking on, once a chair has unlocked them," if is_discussed else "A discussion, or one more coder,"
        yield (
            f"{count_things(n_open, 'mistake')} left out: as many coders say one thing as another ({', '.join(parts)}). {way} "
            "can settle that."
        )


def describe_taken(taken: Mapping[str, int]) -> Iterator[str]:
    """How many mistakes other codings decided, a sentence for each of these."""
    for coding, n in taken.items():
        yield f"{count_things(n, 'mistake')} taken over from {coding}, which decided the same image and prediction."


@dataclass(frozen=True, slots=True, eq=False)
class HeardCoders:
    """What coders said.

    Attributes:
        alone: what each said before they knew what the others say.
        final: what counts in the end; the same where nothing is discussed.
        n_open: mistakes that are discussed and that no chair has locked.
        is_discussed: whether coders talk about what they disagree on.
    """

    alone: CoderVotes
    final: CoderVotes
    n_open: int = 0
    is_discussed: bool = False


def hear_coders(study: Study, found: CampaignAnswers) -> HeardCoders:
    """What the answers to a campaign say, by rounds where it has two.

    Raises:
        InputError: coders still work alone, or nothing is locked yet.
    """
    if not is_discussion(study, found.campaign):
        votes: CoderVotes = make_responses(found)
        return HeardCoders(votes, votes)
    standing = load_standing(study, found.campaign)
    name = found.campaign.name
    if standing.closed is None:
        raise InputError(f"Round 1 of {name} goes on: coders work alone, and nothing is told before a chair closes it.")
    locked = [one.task_id for one in standing.items if one.is_locked and not one.missing]
    if not locked:
        raise InputError(f"Nothing of {name} is locked yet, so nothing is decided; a chair locks what was discussed.")
    final = _keep(found, np.flatnonzero(np.isin(_list_tasks(found.held), locked)))
    return HeardCoders(
        alone=make_responses(_find_alone(found, standing)),
        final=make_responses(final),
        n_open=len(standing.items) - len(locked),
        is_discussed=True,
    )


def describe_rounds(heard: HeardCoders, names: tuple[str, ...]) -> Iterator[str]:
    """What the discussion changed, and what it has left; nothing where there was none."""
    if not heard.is_discussed:
        return
    before, after = (_list_outcomes(votes, names) for votes in (heard.alone, heard.final))
    n_changed = sum(before.get(pair) != outcome for pair, outcome in after.items())
    yield f"The discussion changed what most coders say of {n_changed:,} of {count_things(len(after), 'locked mistake')}."
    if heard.n_open:
        yield f"{count_things(heard.n_open, 'mistake')} left out: not locked by a chair."


def _list_outcomes(votes: CoderVotes, names: tuple[str, ...]) -> dict[tuple[int, int], tuple[object, ...]]:
    decided = decide_mistakes(votes, names)
    pairs = zip(decided.images.tolist(), decided.predictions.tolist(), strict=True)
    shared = map(tuple, decided.is_shared.tolist())
    outcomes = zip(
        decided.is_overturned.tolist(), decided.categories.tolist(), decided.severities.tolist(), shared, strict=True
    )
    return dict(zip(pairs, outcomes, strict=True))


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
