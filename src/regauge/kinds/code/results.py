"""CODE: the verdicts that follow from what coders overturn, with what they rest on, and counts while a campaign runs.

Codes themselves are not verdicts: a coding of the study is made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.kinds.code.answers import find_classes, find_overturning
from regauge.kinds.code.discussion import NO_MISTAKE, VERDICT
from regauge.labels.coding import decide_mistakes, find_places, list_rows
from regauge.labels.frequencies.verdicts import count_verdicts
from regauge.labels.merging import put_above
from regauge.records.campaigns.campaign import Payload, ResponseStatus
from regauge.records.campaigns.discussions import ItemStanding
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import Truth, Unlisted
from regauge.records.labels.results import LabelContext, MadeLabels
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coders import CoderVotes, DecidedMistakes
from regauge.records.responses.figures import ImageCounts
from regauge.responses.ledger import Ledger

OVERTURNED_RULE = "overturned by most coders"
CODED_RULE = "coded as a mistake by most coders"


@dataclass(frozen=True, slots=True)
class CodeRule:
    """Most coders decide, and nobody is left out by screening.

    Attributes:
        keep_annotators: nobody has to be kept.
        keep_responses: nothing likewise.
    """

    keep_annotators: tuple[str, ...] = ()
    keep_responses: tuple[tuple[str, str], ...] = ()


class OverturnCounter:
    """Counts, for every mistake of a running campaign, who finds that it is none."""

    def count(self, ledger: Ledger) -> ImageCounts:
        """How many looked at each mistake, and how many overturned it, over the answers that count."""
        tasks, columns = ledger.tasks, ledger.columns
        held = columns.keep(columns.find_rows((ResponseStatus.COUNTED,)))
        work = np.flatnonzero(tasks.is_work)
        gone = held.tasks[find_overturning(held)]
        return ImageCounts(
            images=tasks.subjects[work],
            classes=find_classes(tasks)[work],
            n_shown=np.bincount(held.tasks, minlength=len(tasks))[work],
            n_selected=np.bincount(gone, minlength=len(tasks))[work],
            is_control=np.zeros(len(work), np.bool_),
        )


def make_counter() -> OverturnCounter:
    """What counts the mistakes of a running campaign."""
    return OverturnCounter()


def make_labels(responses: CoderVotes, settings: CodeRule, *, context: LabelContext) -> MadeLabels:  # noqa: ARG001 - one rule
    """What most coders overturned is correct, above the verdicts of before; a novel answer that most of them code is wrong.

    What had a verdict and is coded keeps it. Where as many overturn a mistake as code it, nothing changes. What coders discuss
    counts once it is locked.

    Raises:
        InputError: coders discuss, and nothing is locked yet.
    """
    responses = _keep_locked(responses, context)
    decided = decide_mistakes(responses, sorted(set(responses.categories) - {""}))
    before = _list_judged(context)
    verdicts, evidence = _judge(responses, decided, before=before, context=context)
    base = context.base
    held = {} if context.base_evidence is None else context.base_evidence.by_pair
    label_set = put_above(base, verdicts, name=context.name)
    return MadeLabels(
        Truth(label_sets=(label_set,), evidence=(LabelEvidence.from_pairs(context.name, {**held, **evidence}),)),
        n_images=len(label_set),
        n_unanswered=len(responses.image_ids) - len(np.unique(decided.images)),
        n_screened_answers=0,
        n_screened_annotators=0,
        verdicts=count_verdicts(label_set),
        notes=tuple(_describe(decided, verdicts)),
    )


def _keep_locked(votes: CoderVotes, context: LabelContext) -> CoderVotes:
    """The votes on what is locked, where coders discuss; elsewhere all."""
    if context.discussion is None:
        return votes
    locked = {_key(one.task) for one in context.discussion.items if one.is_locked and not one.missing}
    pairs = zip(votes.images.tolist(), votes.predictions.tolist(), strict=True)
    rows = np.flatnonzero(np.array([pair in locked for pair in pairs], np.bool_))
    if not len(rows):
        raise InputError("Coders decide nothing before a chair locks it, and nothing is locked yet.")
    return votes.choose(rows)


def _judge(
    votes: CoderVotes, decided: DecidedMistakes, *, before: Mapping[tuple[str, int], Verdict], context: LabelContext
) -> tuple[dict[tuple[str, int], Verdict], dict[tuple[str, int], VerdictEvidence]]:
    """The verdicts that are new, with what they rest on; nothing is novel where what is not listed is wrong."""
    is_judged = context.base is not None and context.base.unlisted is Unlisted.WRONG
    rows_of = list_rows(find_places(votes, decided), len(decided))
    items = {} if context.discussion is None else {_key(one.task): one for one in context.discussion.items}
    verdicts, evidence = {}, {}
    tied = decided.is_shared[:, 0].tolist()
    for place, (image, prediction) in enumerate(
        zip(decided.images.tolist(), decided.predictions.tolist(), strict=True)
    ):
        pair, is_gone = (str(votes.image_ids[image]), prediction), bool(decided.is_overturned[place])
        if tied[place] or (not is_gone and (is_judged or pair in before)):
            continue
        verdicts[pair] = Verdict.CORRECT if is_gone else Verdict.WRONG
        evidence[pair] = VerdictEvidence(
            rule=OVERTURNED_RULE if is_gone else CODED_RULE,
            votes=_list_votes(votes, rows_of[place]),
            reason=decided.reasons[place],
            note=decided.notes[place],
            guide=context.find_guide(max(int(votes.received[row]) for row in rows_of[place])),
            **_tell_rounds(items.get((image, prediction)), context),
        )
    return verdicts, evidence


def _key(task: Payload) -> tuple[int, int]:
    """What tells the mistakes of a campaign apart: the image and the prediction."""
    return task["image"], task["class"]


def _tell_rounds(item: ItemStanding | None, context: LabelContext) -> dict[str, Any]:
    """What coders said of a mistake alone, and what they argued; nothing where they do not discuss."""
    if item is None or context.discussion is None:
        return {}
    names = context.discussion.names
    first = sorted(
        (names.get(one.annotator_id, ""), one.first.get(VERDICT) == NO_MISTAKE) for one in item.stances if one.first
    )
    said = sorted(
        (one.id, names.get(by.annotator_id, ""), one) for by in item.stances for one in by.said if not one.is_late
    )
    return {
        "first_votes": tuple(ExpertVote(who, Verdict.CORRECT if is_gone else Verdict.WRONG) for who, is_gone in first),
        "arguments": tuple((who, one.argument) for _, who, one in said if one.argument),
    }


def _list_votes(votes: CoderVotes, rows: list[int]) -> tuple[ExpertVote, ...]:
    said = sorted((str(votes.names[votes.coders[row]]), bool(votes.reasons[row])) for row in rows)
    return tuple(ExpertVote(who, Verdict.CORRECT if is_gone else Verdict.WRONG) for who, is_gone in said)


def _list_judged(context: LabelContext) -> dict[tuple[str, int], Verdict]:
    """The verdicts of before, by image id and class."""
    base = context.base
    if base is None:
        return {}
    pairs = zip(base.image_ids[base.rows].tolist(), base.classes.tolist(), strict=True)
    return dict(zip(pairs, map(Verdict, base.verdicts.tolist()), strict=True))


def _describe(decided: DecidedMistakes, verdicts: Mapping[tuple[str, int], Verdict]) -> Iterator[str]:
    n_gone, n_wrong = (sum(one is wanted for one in verdicts.values()) for wanted in (Verdict.CORRECT, Verdict.WRONG))
    yield f"Coders overturned {n_gone:,} of {count_things(len(decided), 'mistake')}."
    if n_wrong:
        yield f"{count_things(n_wrong, 'novel answer')} that most coders code as mistakes: wrong from now on."
    n_tied = int(decided.is_shared[:, 0].sum())
    if n_tied:
        yield (
            f"{count_things(n_tied, 'mistake')} left as before: as many coders overturn {'it' if n_tied == 1 else 'them'} as "
            f"code {'it' if n_tied == 1 else 'them'}."
        )
