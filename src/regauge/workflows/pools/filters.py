"""Candidates that cannot be taken because of when they were taken or uploaded, or because a list says so, and the way back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.formats.dates import read_day
from regauge.formats.pools.pairs import load_reasons
from regauge.records.studies import TestSetEntry
from regauge.records.testsets.pool import Exclusion, ExclusionChange, ExclusionRule, PoolFacts
from regauge.records.testsets.windows import Window
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets.pool import find_excluded, get_pools, insert_exclusions, load_facts
from regauge.storage.testsets.test_set import load_test_set
from regauge.workflows.pools.rules import extend_rule, settle_rule


@dataclass(frozen=True, slots=True)
class Windows:
    """When candidates must have been taken and uploaded; None where that does not matter.

    Attributes:
        taken: the window of taking.
        uploaded: the window of uploading.
        keeps_undated: whether images without the date are kept; else they are excluded.
    """

    taken: Window | None = None
    uploaded: Window | None = None
    keeps_undated: bool = True

    def __post_init__(self) -> None:
        if self.taken is None and self.uploaded is None:
            raise InputError("A filter needs a window of time: `taken=…`, `uploaded=…`, or both.")


@dataclass(frozen=True, slots=True)
class FilteredPools:
    """What changed, batch by batch, and what the reader should know."""

    changes: tuple[ExclusionChange, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RestoreRequest:
    """Which exclusions are to be taken back.

    Attributes:
        image_ids: of these images; of all by default.
        rules: by these rules; by any by default.
        pools: of these batches; of all by default.
        reason: why.
    """

    image_ids: tuple[str, ...] = ()
    rules: tuple[ExclusionRule, ...] = ()
    pools: tuple[str, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise InputError("Taking an exclusion back needs a reason: `reason=…`.")
        if not (self.image_ids or self.rules):
            raise InputError("Say which images to take back: a list, `image=…`, or all by a rule with `rule=…`.")


def read_window(text: str) -> Window:
    """The window that FROM..TO stands for; either side may be left out.

    >>> read_window("2012-07-11..2013-07-11"), read_window("..2013-07-11")
    (Window(start='2012-07-11', end='2013-07-11'), Window(start='', end='2013-07-11'))

    Raises:
        InputError: the text is not a window.
    """
    start, dots, end = text.partition("..")
    if not dots:
        raise InputError(f"A window of time is FROM..TO, such as 2012-07-11..2013-07-11, not {text!r}.")
    return Window(*(read_day(day) if day.strip() else "" for day in (start, end)))


def filter_pool(study: Study, windows: Windows, *, pools: Sequence[str] = ()) -> FilteredPools:
    """Exclude candidates that were taken or uploaded outside a window; a later filter replaces an earlier one.

    Args:
        study: the study, inside a transaction.
        windows: the windows, and what to do with images without a date.
        pools: the batches; all by default.

    Raises:
        InputError: there is no such batch.
    """
    changes: list[ExclusionChange] = []
    n_undated = {"taken": 0, "uploaded": 0}
    for entry in get_pools(study, pools):
        facts = load_facts(study, entry)
        found = dict(_find_outside(load_test_set(study, entry).image_ids.tolist(), facts, windows))
        back = "It is inside the window that replaces an earlier one."
        changes.append(settle_rule(study, entry, ExclusionRule.WINDOW, excluded=found, back=back))
        for name, _, dates in _list_dates(facts, windows):
            n_undated[name] += dates.count("")
    written = {"taken": windows.taken, "uploaded": windows.uploaded}
    parameters = {name: str(window) for name, window in written.items() if window is not None}
    counts = {"n_excluded": sum(one.n_excluded for one in changes), "n_back": sum(one.n_back for one in changes)}
    undated = "keep" if windows.keeps_undated else "exclude"
    add_event(
        study, "pool filter", {"pools": [one.pool for one in changes], **parameters, "undated": undated, **counts}
    )
    done = "not excluded for that" if windows.keeps_undated else "excluded"
    notes = [f"{count_things(n, 'image')} without a time when {name}: {done}." for name, n in n_undated.items() if n]
    return FilteredPools(tuple(changes), tuple(notes))


def exclude_listed(study: Study, path: str | Path, *, reason: str = "") -> FilteredPools:
    """Exclude the images of a list, each with its reason.

    Args:
        study: the study, inside a transaction.
        path: a CSV with image_id and reason.
        reason: what holds where the list gives none.

    Raises:
        FormatError: the file is no such list.
        InputError: an image is not in the pool.
    """
    reasons = load_reasons(path, reason=reason)
    changes = []
    for entry, mine in _find_batches(study, reasons):
        excluded = {one: reasons[one] for one in mine}
        changes.append(extend_rule(study, entry, ExclusionRule.LIST, excluded=excluded))
    counts = {"n_listed": len(reasons), "n_new": sum(one.n_new for one in changes)}
    add_event(study, "pool exclude", {"path": str(Path(path).resolve()), **counts})
    return FilteredPools(tuple(changes), ())


def restore_images(study: Study, request: RestoreRequest) -> FilteredPools:
    """Take exclusions back; an image stays excluded by the rules that are not named.

    Args:
        study: the study, inside a transaction.
        request: which, and why.

    Raises:
        InputError: an image is not in the pool.
    """
    batches = _find_batches(study, request.image_ids, request.pools) if request.image_ids else None
    chosen = None if batches is None else {entry.name: mine for entry, mine in batches}
    changes: list[ExclusionChange] = []
    for entry in get_pools(study, request.pools):
        changes += _restore(study, entry, None if chosen is None else chosen.get(entry.name, []), request)
    n_back = sum(one.n_back for one in changes)
    parameters = {"rules": [str(rule) for rule in request.rules], "n_images": len(request.image_ids), "n_back": n_back}
    add_event(study, "pool restore", {**parameters, "reason": request.reason})
    notes = () if n_back else ("None of these images is excluded by these rules, so nothing changed.",)
    return FilteredPools(tuple(changes), notes)


def load_listed(path: str | Path) -> tuple[str, ...]:
    """The image ids of a list."""
    return tuple(load_reasons(path, reason="listed"))


def _restore(
    study: Study, entry: TestSetEntry, mine: Collection[str] | None, request: RestoreRequest
) -> Iterator[ExclusionChange]:
    held = find_excluded(study, entry)
    wanted = set(held if mine is None else mine)
    for rule in request.rules or tuple(ExclusionRule):
        by_rule = {image_id for image_id, found in held.items() if any(one.rule is rule for one in found)}
        back = [image_id for image_id in held if image_id in by_rule and image_id in wanted]
        changes = [Exclusion(image_id, rule, is_excluded=False, reason=request.reason) for image_id in back]
        insert_exclusions(study, entry, changes)
        if back:
            yield ExclusionChange(entry.name, rule, entry.n_images, len(by_rule) - len(back), 0, len(back))


def _find_batches(
    study: Study, image_ids: Collection[str], pools: Sequence[str] = ()
) -> list[tuple[TestSetEntry, list[str]]]:
    """The batches, all unless some are named, with those of the images that each has.

    Raises:
        InputError: an image is in none.
    """
    entries = get_pools(study, pools)
    owner = {one: entry for entry in entries for one in load_test_set(study, entry).image_ids.tolist()}
    unknown = [one for one in image_ids if one not in owner]
    if unknown:
        raise InputError(
            f"{len(unknown):,} of {len(image_ids):,} images are not in {' or '.join(pools) or 'the pool'}, the first being "
            f"{unknown[0]!r}."
        )
    found: dict[str, list[str]] = {}
    for one in image_ids:
        found.setdefault(owner[one].name, []).append(one)
    return [(entry, found[entry.name]) for entry in entries if entry.name in found]


def _list_dates(facts: PoolFacts, windows: Windows) -> Iterator[tuple[str, Window, list[str]]]:
    written = {"taken": (windows.taken, facts.taken_at), "uploaded": (windows.uploaded, facts.uploaded_at)}
    for name, (window, dates) in written.items():
        if window is not None:
            yield name, window, dates.tolist()


def _find_outside(image_ids: Sequence[str], facts: PoolFacts, windows: Windows) -> Iterator[tuple[str, str]]:
    """Image id → why it is excluded."""
    reasons: Mapping[int, str] = {}
    for name, window, dates in _list_dates(facts, windows):
        found = {
            row: f"It was {name} on {day[:10]}, not in {window}." if day else f"Nobody knows when it was {name}."
            for row, day in enumerate(dates)
            if not (window.holds(day) if day else windows.keeps_undated)
        }
        reasons = {**found, **reasons}
    for row, reason in reasons.items():
        yield image_ids[row], reason
