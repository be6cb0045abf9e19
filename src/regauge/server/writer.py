"""The one writer of a server process: many requests share one transaction, and so one sync to disk.

Requests hand in their work and wait. The writer takes whatever has gathered while it was busy, does all of it in one
transaction, and tells everybody only after the commit: what was acknowledged is on disk. The more requests come, the larger
the batches; a single one is not kept waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeVar

from regauge.errors import StorageError
from regauge.records.campaigns.campaign import NewAnswer, Receipt
from regauge.records.exposure.exposures import NewExposure
from regauge.server.exposures import WAIT_SECONDS, ExposureLog
from regauge.server.metrics import REFUSED, Metrics
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.exposure.recording import record_exposures
from regauge.workflows.studies.study import Study, leave_mark

MAX_BATCH = 512

_LOG = logging.getLogger(__name__)

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Work that waits for the writer: an answer, or a function of the study in a transaction."""

    work: NewAnswer | Callable[[Study], Any]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Outcome:
    job: _Job
    result: Any = None
    error: BaseException | None = None


class Writer:
    """A thread that writes for everybody.

    Args:
        study: where to.
        max_batch: how many requests share a transaction at most.
        metrics: where batches are counted.
        exposures: what was sent to people; it is written down with whatever comes next.
    """

    def __init__(
        self,
        study: Study,
        *,
        max_batch: int = MAX_BATCH,
        metrics: Metrics | None = None,
        exposures: ExposureLog | None = None,
    ) -> None:
        self._study = study
        self._exposures = exposures or ExposureLog(study.around.now)
        self._metrics = metrics or Metrics()
        self._max_batch = max_batch
        self._jobs: deque[_Job] = deque()
        self._has_jobs = threading.Event()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._is_open = False
        self._is_failing = False

    @property
    def is_failing(self) -> bool:
        """Whether the database refused the last transaction; false again as soon as something was written."""
        return self._is_failing

    @property
    def is_alive(self) -> bool:
        """Whether what is handed in will be done."""
        return self._is_open and self._thread.is_alive()

    def start(self) -> None:
        """Begin to take work."""
        self._is_open = True
        self._thread.start()

    def stop(self) -> None:
        """Finish what was handed in, then end."""
        self._is_open = False
        self._has_jobs.set()
        self._thread.join()

    def write_soon(self) -> None:
        """Write down what was sent to people, if nothing else is written until then. To be called from an event loop."""
        asyncio.get_running_loop().call_later(WAIT_SECONDS, self._has_jobs.set)

    async def answer(self, answer: NewAnswer) -> Receipt:
        """Store an answer; returns once it is on disk."""
        receipt: Receipt = await self._hand_in(answer)
        return receipt

    async def run(self, work: Callable[[Study], _Result]) -> _Result:
        """Do something with the study in a transaction; returns once it is on disk."""
        result: _Result = await self._hand_in(work)
        return result

    async def _hand_in(self, work: NewAnswer | Callable[[Study], Any]) -> Any:  # noqa: ANN401 - what the work gives
        if not self._is_open:
            raise StorageError("The server is shutting down; try again in a moment.")
        loop = asyncio.get_running_loop()
        job = _Job(work, loop, loop.create_future())
        self._jobs.append(job)
        # Said only after the loop has gone through all that it has at hand: what came at the same moment shares a batch.
        loop.call_soon(self._has_jobs.set)
        return await job.done

    def _work(self) -> None:
        while self._is_open or self._jobs:
            self._has_jobs.wait()
            # Cleared before anything is taken: whatever comes after that sets it again.
            self._has_jobs.clear()
            batch = [self._jobs.popleft() for _ in range(min(len(self._jobs), self._max_batch))]
            if self._jobs:
                self._has_jobs.set()
            if not batch and self._exposures.is_waiting:
                self._do(batch)
            if batch:
                start = time.perf_counter()
                outcomes = self._do(batch)
                seconds = time.perf_counter() - start
                _tell(outcomes)
                self._metrics.count_batch(_name_receipts(outcomes), n=len(batch), seconds=seconds)
        if self._exposures.is_waiting:
            self._do(())

    def _do(self, batch: Sequence[_Job]) -> list[_Outcome]:
        sent = self._exposures.take()
        try:
            outcomes = self._do_together(batch, sent)
        except StorageError as error:
            self._exposures.put_back(sent)
            self._is_failing = True
            return [_Outcome(job, error=error) for job in batch]
        except Exception as error:  # noqa: BLE001 - whoever waits must be told, whatever it was
            self._exposures.put_back(sent)
            # What nobody foresaw must not spoil the work of others who happened to come at the same moment, again and again.
            if len(batch) > 1:
                return [outcome for job in batch for outcome in self._do([job])]
            return [_Outcome(job, error=error) for job in batch]
        self._is_failing = False
        return outcomes

    def _do_together(self, batch: Sequence[_Job], sent: Sequence[NewExposure]) -> list[_Outcome]:
        with self._study.begin() as begun:
            # First, for an answer may say that an image was not shown after all.
            _record(begun, sent)
            if self._is_failing:
                # What only reads would succeed on a full disk, too.
                leave_mark(begun)
            return [
                outcome
                for is_answer, jobs in groupby(batch, key=lambda job: isinstance(job.work, NewAnswer))
                for outcome in (_store(begun, list(jobs)) if is_answer else _call_each(begun, jobs))
            ]


def _record(study: Study, sent: Sequence[NewExposure]) -> None:
    """Write down what was sent; under a savepoint, for answers must not fail with it."""
    if not sent:
        return
    try:
        with study.attempt():
            record_exposures(study, sent)
    except StorageError:
        raise
    except Exception:  # noqa: BLE001 - whatever it is, people wait for what comes next
        _LOG.exception("%s images that were sent could not be noted.", len(sent))


def _store(study: Study, jobs: Sequence[_Job]) -> list[_Outcome]:
    receipts = submit_answers(study, [job.work for job in jobs if isinstance(job.work, NewAnswer)])
    return [_Outcome(job, receipt) for job, receipt in zip(jobs, receipts, strict=True)]


def _call_each(study: Study, jobs: Iterable[_Job]) -> list[_Outcome]:
    """Every piece of work under a savepoint: one that fails leaves no trace and spoils nothing.

    Unless it is the database that fails: it may have ended the whole transaction, so nothing of the batch can be relied on.
    """
    outcomes = []
    for job in jobs:
        try:
            with study.attempt():
                outcomes.append(_Outcome(job, job.work(study)))  # type: ignore[operator]
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            outcomes.append(_Outcome(job, error=error))
    return outcomes


def _name_receipts(outcomes: Iterable[_Outcome]) -> Iterator[str]:
    """What became of each answer that the database took or that was refused."""
    receipts = (outcome.result for outcome in outcomes if isinstance(outcome.result, Receipt))
    return (REFUSED if receipt.status is None else receipt.status.value for receipt in receipts)


def _tell(outcomes: Sequence[_Outcome]) -> None:
    """Wake those who wait, with one call into each event loop."""
    for loop in {id(outcome.job.loop): outcome.job.loop for outcome in outcomes}.values():
        mine = [outcome for outcome in outcomes if outcome.job.loop is loop]
        with contextlib.suppress(RuntimeError):  # The loop may have ended with its server.
            loop.call_soon_threadsafe(_settle, mine)


def _settle(outcomes: Sequence[_Outcome]) -> None:
    for outcome in outcomes:
        if outcome.job.done.done():
            continue
        if outcome.error is None:
            outcome.job.done.set_result(outcome.result)
        else:
            outcome.job.done.set_exception(outcome.error)
