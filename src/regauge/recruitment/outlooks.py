"""What somebody has before them in a campaign: how many tasks, how long they take, and what they pay.

Hidden repeats are counted as tasks, in a number that is the same whether or not the last task was one: whoever watches it fall
learns nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from regauge.campaigns.repeats import MIN_APART
from regauge.estimates import count_things

MOST_TOLD = 200
"""Where more tasks are left, nobody does them in one go, and how many there are is not told."""
MINUTE, HOUR = 60, 3_600


@dataclass(frozen=True, slots=True)
class Outlook:
    """What somebody has before them.

    Attributes:
        n_done: tasks that they have done, as far as they are told.
        n_left: tasks that are there for them now; None where that is not known or not told.
        seconds: how long a task takes; None where that is not known.
        per_task: what one pays; None where nothing is paid, or somebody else pays it.
        currency: of the pay.
    """

    n_done: int
    n_left: int | None = None
    seconds: float | None = None
    per_task: float | None = None
    currency: str = ""

    @property
    def words(self) -> str:
        """All of it in a line; what is not known is left out."""
        if self.n_left is None:
            each = " and ".join(self._tell(1))
            done = tell_count(self.n_done) + " done" if self.n_done else ""
            return " · ".join(filter(None, (done, f"{each} per task" if each else "")))
        if not self.n_left:
            return f"{tell_count(self.n_done)} done, none left at the moment" if self.n_done else "none at the moment"
        ahead = ", ".join(self._tell(self.n_left))
        if not self.n_done:
            return tell_count(self.n_left) + (f": {ahead}" if ahead else "")
        others = "the last one" if self.n_left == 1 else f"the other {self.n_left:,}"
        return f"{self.n_done:,} of {self.n_done + self.n_left:,} done" + (f" · {others}: {ahead}" if ahead else "")

    def limit(self, n_share: int | None) -> Outlook:
        """The same for somebody who may do so many more tasks at most; None for any number."""
        if n_share is None:
            return self
        return replace(self, n_left=n_share if self.n_left is None else min(self.n_left, n_share))

    def _tell(self, n: int) -> list[str]:
        time = [] if not self.seconds else [f"about {tell_time(n * self.seconds)}"]
        return time if not self.per_task else [*time, tell_pay(n * self.per_task, self.currency)]


def expect_tasks(n_work: int, *, repeats: float) -> int:
    """How many tasks somebody does who does so much work, hidden repeats included.

    It depends on the work alone, and on no single repeat: it would tell which task was one.

    >>> expect_tasks(6, repeats=0.1), expect_tasks(60, repeats=0.1), expect_tasks(60, repeats=0)
    (6, 66, 60)
    """
    return n_work + round(max(0, n_work - MIN_APART - 1) * repeats / (1 - repeats))


def tell_count(n: int) -> str:
    """A number of tasks.

    >>> tell_count(1), tell_count(1200)
    ('1 task', '1,200 tasks')
    """
    return count_things(n, "task")


def tell_pay(amount: float, currency: str) -> str:
    """An amount with cents, and with more digits where a task pays less than a cent's worth more or less.

    >>> tell_pay(0.8, "USD"), tell_pay(0.004, "EUR"), tell_pay(1234.5, "USD")
    ('0.80 USD', '0.004 EUR', '1,234.50 USD')
    """
    cents = f"{amount:,.2f}"
    return f"{cents if abs(float(cents.replace(',', '')) - amount) < 1e-9 else f'{amount:,.4g}'} {currency}"


def tell_time(seconds: float) -> str:
    """A time as one would say it.

    >>> [tell_time(one) for one in (4, 38, 50, 80, 360, 2_600, 3_500, 5_300, 36_000)]
    ['10 seconds', '40 seconds', '1 minute', '1 minute', '6 minutes', '45 minutes', '1 hour', '1.5 hours', '10 hours']
    """
    if seconds < 45:
        return f"{max(10, 10 * round(seconds / 10))} seconds"
    minutes = max(1, round(seconds / MINUTE))
    if minutes >= 20:
        minutes = 5 * round(seconds / MINUTE / 5)
    if minutes < 60:
        return "1 minute" if minutes == 1 else f"{minutes} minutes"
    hours = round(2 * seconds / HOUR) / 2
    return "1 hour" if hours == 1 else f"{hours:,g} hours"
