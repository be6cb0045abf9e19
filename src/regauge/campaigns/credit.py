"""How much of the time that a page claims for an answer is credited: no second of anybody's twice, none before the lease.

A page measures how long a task was on the screen, and whoever writes to the server without a page can claim anything. What the
server knows is when a task was given and when its answer came, so an answer is credited with seconds between these two that
were not credited to another answer of the same person. Of these the earliest are used up, because answers come in the order of
their ends: whatever order would allow, this one does (earliest deadline first; Horn 1974). So all that was credited to
tasks given since any moment is at most the time since that moment, also with several tasks at once, while answers
that come late, from a browser that was offline, keep the time that was spent on them.

Beside these stand the seconds from an image being shown to its answer, as Shankar et al. (2020) count them: with pauses, and none
dropped. A page has two clocks: one can be set, the other may stand still while a computer sleeps. The server knows when a page
first said that it shows the image and when the answer came, so between them the true time can be told nearly always; where it
cannot, the seconds are kept with a flag.
"""

from __future__ import annotations

import math
from bisect import bisect_right

from regauge.arrays import BoolArray, FloatArray
from regauge.records.campaigns.campaign import FreeTime
from regauge.records.campaigns.times import ShownTime, TimeFlag
from regauge.records.responses.submissions import JudgedSeconds

MAX_GAPS = 32
"""Gaps that are remembered; older ones count as used up."""
TOLERANCE = 1.0
"""Seconds by which clocks may differ before a claim is called impossible."""
DRIFT = 2.0
"""Seconds by which the two clocks of a page may differ before one of them was set or stood still."""
STOOD_STILL = 90.0
"""Seconds after which a page stood still; browsers let pages that nobody looks at run once a minute."""
PATIENCE = 10.0
"""Seconds within which a report that an image is shown may still be on its way."""


def credit_time(free: FreeTime, claimed: float, *, leased_at: int, now: int) -> tuple[float, FreeTime]:
    """The seconds that are credited, and what is free after that.

    Args:
        free: the time of that person that is not used up.
        claimed: seconds, 0 or more.
        leased_at: when the task was given to them, in milliseconds since 1970.
        now: when the answer came.

    >>> credit_time((0,), 45.0, leased_at=1_000, now=31_000)
    (30.0, (0, 1000, 31000))
    >>> credit_time((0, 1_000, 31_000), 45.0, leased_at=1_000, now=31_200)
    (0.2, (0, 1000, 31200))
    """
    # Up to the next millisecond, so that what is claimed can be credited to the last digit.
    wanted = min(math.ceil(1_000 * min(claimed, 1e9) - 1e-6), now - leased_at)
    if wanted <= 0:
        return 0.0, free
    # Stretches that end before the lease stay as they are.
    place = bisect_right(free, leased_at) // 2 * 2
    left, kept = wanted, list(free[:place])
    while left and place < len(free):
        start, end = free[place], free[place + 1] if place + 1 < len(free) else None
        first = max(start, leased_at)
        used = min(left, (now if end is None or end > now else end) - first)
        if used <= 0:
            break
        left -= used
        kept += (start, first) if start < first else ()
        kept += (first + used,) if end is None else (first + used, end) if first + used < end else ()
        place += 2
    kept += free[place:]
    return min(claimed, (wanted - left) / 1_000), tuple(kept[-2 * MAX_GAPS - 1 :])


def find_impossible(claimed: FloatArray, credited: FloatArray) -> BoolArray:
    """Per answer whether more was claimed than there can have been; not where no time is known."""
    # Comparisons with NaN are false.
    found: BoolArray = claimed > credited + TOLERANCE
    return found


def judge_shown(claim: ShownTime, *, shown_at: int | None, leased_at: int, now: int) -> JudgedSeconds:
    """The seconds from image shown to answer.

    Args:
        claim: what the page says.
        shown_at: when a page first said that it shows the image, in milliseconds since 1970; None where none did.
        leased_at: when the task was given to whoever answered.
        now: when the answer came.

    >>> judge_shown(ShownTime(12.0, 12.0), shown_at=1_000, leased_at=0, now=14_000)
    JudgedSeconds(seconds=12.0, flags=())
    >>> judge_shown(ShownTime(28_800.0, 40.0), shown_at=1_000, leased_at=0, now=28_802_000)
    JudgedSeconds(seconds=28800.0, flags=(<TimeFlag.ASLEEP: 'asleep'>,))
    >>> judge_shown(ShownTime(-3_588.0, 12.0), shown_at=1_000, leased_at=0, now=14_000)
    JudgedSeconds(seconds=12.0, flags=(<TimeFlag.CLOCK: 'clock'>,))
    """
    flags: set[TimeFlag] = set()
    longest = (now - (leased_at if shown_at is None else shown_at)) / 1_000
    seconds = claim.seconds
    if abs(claim.seconds - claim.steady) > DRIFT:
        has_slept = claim.steady < claim.seconds <= longest + TOLERANCE
        flags.add(TimeFlag.ASLEEP if has_slept else TimeFlag.CLOCK)
        seconds = claim.seconds if has_slept else claim.steady
    if claim.asleep > STOOD_STILL:
        flags.add(TimeFlag.ASLEEP)
    if claim.is_again:
        flags.add(TimeFlag.AGAIN)
    seconds = max(0.0, seconds)
    if shown_at is None and seconds > PATIENCE:
        flags.add(TimeFlag.UNREPORTED)
    if longest < 0:
        # The clock of the server was set back: only the page knows.
        flags.add(TimeFlag.CLOCK)
    elif seconds > longest + TOLERANCE:
        flags.add(TimeFlag.IMPOSSIBLE)
        seconds = longest
    return JudgedSeconds(round(seconds, 3), tuple(one for one in TimeFlag if one in flags))
