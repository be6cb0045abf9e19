"""What people are called in whatever leaves a study: by names that tell nobody who they are, each the same everywhere."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from regauge.records.campaigns.campaign import AnnotatorEntry, Role
from regauge.records.campaigns.evaluations import PARTICIPANTS_OF, PSEUDONYM
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.responses.ledgers import HeldAnswers
from regauge.records.studies import Event
from regauge.storage.campaigns.campaign import list_campaigns
from regauge.storage.exposure.people import find_same_annotators, list_same_people
from regauge.storage.people.annotators import list_annotators
from regauge.storage.people.erasure import replace_within
from regauge.storage.study import Study


@dataclass(frozen=True)
class Pseudonyms:
    """By the name under which a study knows somebody, what they are called outside."""

    called: Mapping[str, str] = field(default_factory=dict)

    def call(self, name: str) -> str:
        """The pseudonym of somebody; a name that is nobody's here stays."""
        return self.called.get(name, name)

    def write(self, text: str) -> str:
        """A text in which everybody who is named, as a word of it, has the pseudonym."""
        if text in self.called:
            return self.called[text]
        folded = text.casefold()
        names = [name for name in self._folded if name in folded]
        if not names:
            return text
        # At once, so that a pseudonym is not taken for somebody else's name; the longest first, so that Ann Lee is not Ann.
        either = "|".join(re.escape(one) for one in sorted({*names, *map(shlex.quote, names)}, key=len, reverse=True))
        pattern = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])", re.IGNORECASE)
        return pattern.sub(lambda found: self._find(found.group()), text)

    def hide_voters(self, evidence: LabelEvidence) -> LabelEvidence:
        """What verdicts rest on, with pseudonyms for whoever voted or argued."""
        return replace(evidence, entries=tuple(map(self._hide, evidence.entries)))

    def hide_annotators(self, held: HeldAnswers) -> HeldAnswers:
        """Answers with pseudonyms for whoever gave them."""
        return replace(held, annotators=np.array([self.call(one) for one in held.annotators.tolist()], np.str_))

    def hide_event(self, event: Event) -> Event:
        """What was done, with pseudonyms for whoever did it and whoever it was done to."""
        return replace(event, who=self.call(event.who), parameters=replace_within(dict(event.parameters), self.write))

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {name.casefold(): pseudonym for name, pseudonym in self.called.items()}

    def _find(self, found: str) -> str:
        """The pseudonym of a name as it stands in a text: as it was given, or with the quotes of a shell around it."""
        return self._folded.get(found.casefold()) or self._folded[shlex.split(found)[0].casefold()]

    def _hide(self, one: VerdictEvidence) -> VerdictEvidence:
        if not (one.votes or one.first_votes or one.arguments or one.note or one.claim):
            return one
        return replace(
            one,
            votes=self._hide_votes(one.votes),
            first_votes=self._hide_votes(one.first_votes),
            arguments=tuple((self.call(who), self.write(words)) for who, words in one.arguments),
            note=self.write(one.note),
            claim=self.write(one.claim),
        )

    def _hide_votes(self, votes: Sequence[ExpertVote]) -> tuple[ExpertVote, ...]:
        return tuple(ExpertVote(self.call(one.who), one.verdict) for one in votes)


NAMED = Pseudonyms()
"""Everybody by the name under which the study knows them."""


def find_pseudonyms(study: Study, *, with_names: bool = False) -> Pseudonyms:
    """What everybody but managers is called in files, reports and tables that leave the study.

    It is the name of the participant that they are, if that is one, or else a number that stays; somebody with two names has a
    pseudonym for each, which begin alike. Whoever was erased keeps the name that they got then.

    Args:
        study: the study, inside a transaction.
        with_names: whether names were asked for; then everybody keeps theirs.
    """
    if with_names:
        return NAMED
    people = [one for one in list_annotators(study) if one.role is not Role.MANAGER]
    same = find_same_annotators(study)
    given = _list_given(study, same)
    taken = {one.name for one in people if one.erased_at is not None}
    called: dict[str, str] = {}
    for one in sorted(people, key=lambda entry: (same.get(entry.id, entry.id), entry.id)):
        called[one.name] = one.name if one.erased_at is not None else _choose(one, same, given=given, taken=taken)
        taken.add(called[one.name])
    return Pseudonyms(called)


def _list_given(study: Study, same: Mapping[int, int]) -> dict[int, str]:
    """By the first number of somebody, what the participant that they are is called, where that is one name."""
    names: dict[int, set[str]] = defaultdict(set)
    for campaign in list_campaigns(study):
        for text, made in campaign.plan.settings.get(PARTICIPANTS_OF, {}).items():
            names[same.get(int(text), int(text))].update(made)
    said = list_same_people(study)
    first = {person: same[one.annotator_id] for person, one in said if one.annotator_id is not None}
    for person, one in said:
        if one.annotator_id is None and person in first:
            names[first[person]].add(one.name)
    return {number: next(iter(own)) for number, own in names.items() if len(own) == 1}


def _choose(person: AnnotatorEntry, same: Mapping[int, int], *, given: Mapping[int, str], taken: set[str]) -> str:
    """The first that nobody else has."""
    number = same.get(person.id, person.id)
    usual = PSEUDONYM.format(number=number)
    wanted = given.get(number, usual)
    if number == person.id:
        return usual if wanted in taken else wanted
    places = (f"{wanted}-{place}" for place in range(2, len(taken) + 3))
    return next(name for name in places if name not in taken)
