"""The annotators of a campaign, from the figures of its ledger, their names and the decisions about them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.campaigns.visibility import find_order
from regauge.estimates import Share
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Decision, Role
from regauge.records.responses.figures import AnnotatorCounts, AnnotatorFigures
from regauge.records.responses.quality import (
    NEWCOMER,
    AnnotatorFilter,
    AnnotatorList,
    AnnotatorOrder,
    AnnotatorQuality,
    Flag,
    ListPage,
)
from regauge.responses.ledger import Ledger
from regauge.responses.live.kinds import FigureKind
from regauge.responses.live.oddities import Oddity
from regauge.responses.live.shares import make_shares
from regauge.storage.campaigns.ledgers import find_shown_ids, load_people
from regauge.storage.moments import format_milliseconds, parse_moment
from regauge.storage.study import Study

FLAGS_KEPT = 15_000
"""Milliseconds for which flags that were found are shown: comparing all pairs of annotators takes a while."""

MANY_ANSWERS = 5_000
"""Answers from which on flags are looked for beside other work."""

Flags = Sequence[tuple[Flag, ...]]


class _Found(NamedTuple):
    """What is odd about each annotator, when that was found, and at which version of the ledger."""

    oddities: list[tuple[Oddity, ...]]
    at: str
    version: int


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """Those who have answered, entry by entry in the order in which they came.

    Attributes:
        kind: what they were asked.
        people: who they are.
        decisions: the last decision about each; None where there is none.
        figures: what is known of each.
        flags: what is odd about each.
        flags_at: when that was found.
    """

    kind: FigureKind
    people: tuple[AnnotatorEntry, ...]
    decisions: tuple[Decision | None, ...]
    figures: AnnotatorFigures
    flags: Flags
    flags_at: str

    @property
    def is_dropped(self) -> BoolArray:
        """Whose answers do not count."""
        return np.array([one is not None and one.is_dropped for one in self.decisions], np.bool_)

    @property
    def n_flags(self) -> CountArray:
        """How many flags each has."""
        return np.array([len(one) for one in self.flags], np.int64)


class FlagMemory:
    """What was found odd some seconds ago; looked for anew when it is old.

    Of a large campaign that takes a second or more, so nobody waits for it but who looks first: a thread does it, from a copy.
    """

    def __init__(self, kind: FigureKind) -> None:
        self._kind, self._memory = kind, kind.make_memory()
        self._found: _Found | None = None
        self._thread: threading.Thread | None = None

    def look(self, study: Study, campaign: CampaignEntry, *, ledger: Ledger, figures: AnnotatorFigures) -> Roster:
        """The annotators with their flags."""
        now = study.around.now()
        found = self._refresh(study, ledger, figures=figures, now=now)
        people, decisions = load_people(study, campaign)
        everybody = tuple(people.get(one) or _make_newcomer(one) for one in ledger.columns.annotator_ids.tolist())
        names = [one.name for one in everybody]
        flags = [tuple(oddity.to_flag(names) for oddity in own) for own in found.oddities]
        # Who came since then has no flags yet.
        flags += [()] * (len(names) - len(flags))
        last = tuple(decisions.get(name) for name in names)
        is_new = found.version == ledger.version
        return Roster(self._kind, everybody, last, figures, flags, now if is_new else found.at)

    def _refresh(self, study: Study, ledger: Ledger, *, figures: AnnotatorFigures, now: str) -> _Found:
        known, is_busy = self._found, self._thread is not None and self._thread.is_alive()
        if known is not None and (is_busy or known.version == ledger.version or not _is_old(known.at, now)):
            return known
        answers = self._memory.copy_answers(ledger)
        shown = find_shown_ids(study, self._kind.pick_doubtful(figures, answers).tolist())
        orders = {number: find_order(one) for number, one in shown.items()}
        tasks, version = ledger.tasks, ledger.version

        def find() -> _Found:
            oddities = self._kind.find_oddities(figures, answers, tasks=tasks, orders=orders)
            self._found = _Found(oddities, now, version)
            return self._found

        if known is None or len(answers) < MANY_ANSWERS:
            return find()
        self._thread = threading.Thread(target=find, name="flags", daemon=True)
        self._thread.start()
        return known


def _make_newcomer(number: int) -> AnnotatorEntry:
    return AnnotatorEntry(number, NEWCOMER, Role.ANNOTATOR, "")


def _is_old(at: str, now: str) -> bool:
    # A clock that was set back must not keep flags for ever.
    return not 0 <= parse_moment(now) - parse_moment(at) < FLAGS_KEPT


def list_annotators(roster: Roster, *, order: AnnotatorOrder, shown: AnnotatorFilter, page: ListPage) -> AnnotatorList:
    """A part of the annotators who have answers."""
    is_there = (roster.figures.n_answers > 0) | roster.is_dropped
    is_flagged = (roster.figures.is_bad | (roster.n_flags > 0)) & ~roster.is_dropped & is_there
    filters = {
        AnnotatorFilter.ALL: is_there,
        AnnotatorFilter.FLAGGED: is_flagged,
        AnnotatorFilter.DROPPED: roster.is_dropped,
    }
    chosen = np.flatnonzero(filters[shown])
    keys = _find_keys(roster, order)[chosen]
    # Sorting is stable and puts NaN last, so that who has no value comes last either way.
    in_order = chosen[np.argsort(-keys if page.is_descending else keys, kind="stable")]
    return AnnotatorList(
        rows=_describe(roster, in_order[page.offset : page.offset + page.limit]),
        n=len(chosen),
        n_all=int(is_there.sum()),
        n_flagged=int(is_flagged.sum()),
        n_dropped=int(roster.is_dropped.sum()),
        flags_at=roster.flags_at,
    )


def suggest(roster: Roster, place: int) -> str | None:
    """Why the screening rules would drop somebody; None where they would not, or where somebody is dropped already."""
    figures, decision = roster.figures, roster.decisions[place]
    if not figures.is_bad[place] or (decision is not None and decision.is_dropped):
        return None
    return roster.kind.describe_bad(int(figures.n_poor[place]), int(figures.n_answers[place]))


def _find_keys(roster: Roster, order: AnnotatorOrder) -> FloatArray:
    figures = roster.figures
    if order is AnnotatorOrder.NAME:
        names = [one.name for one in roster.people]
        rank_of = {name: rank for rank, name in enumerate(sorted(names))}
        return np.array([rank_of[name] for name in names], np.float64)
    keys: dict[AnnotatorOrder, FloatArray] = {
        AnnotatorOrder.ANSWERS: figures.n_answers.astype(np.float64),
        AnnotatorOrder.CONTROLS: figures.positive.add(figures.negative).values,
        AnnotatorOrder.AGREEMENT: figures.agreement.values,
        AnnotatorOrder.CONSISTENCY: figures.consistency.values,
        AnnotatorOrder.SECONDS: figures.median_seconds,
        AnnotatorOrder.FLAGS: np.asarray(-1_000.0 * (figures.is_bad & ~roster.is_dropped) - roster.n_flags, np.float64),
        AnnotatorOrder.LAST: figures.last.astype(np.float64),
    }
    return keys[order]


def _describe(roster: Roster, places: CountArray) -> tuple[AnnotatorQuality, ...]:
    figures = roster.figures
    controls = (figures.positive.add(figures.negative), figures.positive, figures.negative)
    columns = [_share(counts, places) for counts in (*controls, figures.agreement, figures.consistency)]
    return tuple(_describe_one(roster, place, shares) for place, *shares in zip(places.tolist(), *columns, strict=True))


def _share(counts: AnnotatorCounts, places: CountArray) -> tuple[Share[float | None], ...]:
    return make_shares(counts.n_right[places], counts.n[places])


def _describe_one(roster: Roster, place: int, shares: Sequence[Share[float | None]]) -> AnnotatorQuality:
    figures, person, decision = roster.figures, roster.people[place], roster.decisions[place]
    controls, positive, negative, agreement, consistency = shares
    seconds = float(figures.median_seconds[place])
    return AnnotatorQuality(
        id=person.id,
        name=person.name,
        platform=person.platform,
        n_answers=int(figures.n_answers[place]),
        n_counted=int(figures.n_counted[place]),
        controls=controls,
        positive=positive,
        negative=negative,
        agreement=agreement,
        consistency=consistency,
        median_seconds=None if np.isnan(seconds) else seconds,
        n_impossible_times=int(figures.n_impossible[place]),
        flags=roster.flags[place],
        suggestion=suggest(roster, place),
        is_dropped=decision is not None and decision.is_dropped,
        decision=decision,
        last_at=format_milliseconds(int(figures.last[place])) if figures.last[place] else None,
    )
