"""Run the server: one process, or several on PostgreSQL, on one port."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import numpy as np
import uvicorn
from fastapi import FastAPI
from uvicorn.config import LOGGING_CONFIG

import regauge
from regauge.errors import InputError
from regauge.records.addresses import check_base_url
from regauge.records.campaigns.campaign import MANAGER, Role
from regauge.server.app import create_app
from regauge.server.logs import LogFormat, log_event, set_up_logs
from regauge.server.state import ServerSettings
from regauge.workflows.kinds import list_kinds, list_packages, load_kinds
from regauge.workflows.people.invitations import renew_link
from regauge.workflows.studies.study import Circumstances, Study, describe_exposure, open_study, reserve_serving

SHUTDOWN_SECONDS = 10
BACKLOG = 2_048
PAUSE_SECONDS = 0.5
"""Before a process that died is replaced: one that cannot live must not keep the machine busy."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where and how to serve.

    Attributes:
        host: the address to listen on.
        port: the port; 0 takes a free one.
        base_url: the address that people use; by default the one that is listened on.
        has_guests: whether anybody may try the tasks.
        shows_results: whether guests may browse the results, without pictures.
        n_workers: processes.
        metrics_token: what whoever reads the metrics must send; without one nobody can.
        log_format: how the server writes things down.
    """

    host: str = "127.0.0.1"
    port: int = 8_765
    base_url: str = ""
    has_guests: bool = False
    shows_results: bool = False
    n_workers: int = 1
    metrics_token: str = field(default="", repr=False)
    log_format: LogFormat = LogFormat.TEXT


def serve(study: Study, options: ServeOptions, *, announce: Callable[[str], None]) -> None:
    """Serve until stopped. The manager's link is announced; the one of an earlier start ends with it.

    With logs for programs there is no new link, and the one that the manager has goes on.

    Raises:
        InputError: the port is taken, the address that people use has a path, or several processes are asked for on SQLite.
    """
    outside = check_base_url(options.base_url) if options.base_url else ""
    if options.n_workers > 1 and study.engine.dialect.name == "sqlite":
        raise InputError(
            "Several processes need PostgreSQL: make the study with `database=…`, or serve it with one process."
        )
    with reserve_serving(study), _listen(options) as listener:
        base_url = outside or _find_address(listener)
        announce(f"Serving {study.paths.folder} at {base_url}")
        announce(f"Manager    {_find_way_in(study, options, base_url)}")
        exposure = describe_exposure(study)
        if exposure:
            announce(f"Note       {exposure}")
        if options.has_guests:
            announce(f"Guests     {base_url}/")
        settings = ServerSettings(
            base_url,
            options.has_guests,
            shows_results=options.shows_results,
            metrics_token=options.metrics_token,
            log_format=options.log_format,
            paints_ahead=True,
        )
        set_up_logs(options.log_format)
        log_event("start", version=regauge.__version__, processes=options.n_workers)
        try:
            if options.n_workers == 1:
                run_app(create_app(study, settings), listener)
            else:
                _run_workers(study, settings, listener, options.n_workers)
        finally:
            log_event("stop")


def _find_way_in(study: Study, options: ServeOptions, base_url: str) -> str:
    """A new link for the manager; what is written for programs is kept, so there it is only said how to get one."""
    if options.log_format is LogFormat.JSON:
        return f"get a link with: regauge annotators renew {MANAGER} --base-url {base_url}"
    with study.begin() as begun:
        return f"{base_url}/join#{renew_link(begun, MANAGER, role=Role.MANAGER, ends_sessions=False).token}"


def _listen(options: ServeOptions) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in options.host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"Port {options.port} of {options.host} cannot be listened on: {error.strerror}. Name another with `port=…`."
        ) from error
    listener.listen(BACKLOG)
    return listener


def _find_address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - shown, not bound
    return f"http://{shown}:{port}"


def run_app(app: FastAPI, listener: socket.socket) -> None:
    """Answer requests until the process is asked to end.

    Asked by SIGTERM, it takes no more connections, finishes the requests that it has, lets the writer commit all that was
    handed in, and ends with status 0; requests that take longer than `SHUTDOWN_SECONDS` are given up.
    """
    config = uvicorn.Config(
        app,
        # Those who want another form have set it up for all loggers.
        log_config=None if logging.getLogger().handlers else LOGGING_CONFIG,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        proxy_headers=False,
    )
    # All that was loaded so far stays. Looking through it again and again for what can be thrown away would stop everybody for
    # a tenth of a second each time.
    gc.collect()
    gc.freeze()
    # The server puts its own in the place of this one while it runs, and afterwards sends the signal once more.
    signal.signal(signal.SIGTERM, _end)
    uvicorn.Server(config).run(sockets=[listener])


def _run_workers(study: Study, settings: ServerSettings, listener: socket.socket, n_workers: int) -> None:
    """Processes that share the port; each has its own connections and its own writer. One that dies is replaced."""
    # Not forked from this one, whose database connections they would share, but from one that loads the program and does nothing
    # else: so it is loaded once for all of them.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    packages = list_packages(list_kinds(study))

    def start() -> ForkServerProcess:
        worker = context.Process(target=_work, args=(study.paths.folder, packages, settings, listener))
        worker.start()
        return worker

    signal.signal(signal.SIGTERM, _end)
    workers = [start() for _ in range(n_workers)]
    try:
        while True:
            wait([worker.sentinel for worker in workers])
            time.sleep(PAUSE_SECONDS)
            workers = [worker if worker.is_alive() else start() for worker in workers]
    finally:
        # As long as anybody listens, connections queue up that nobody answers any more; so they are refused.
        listener.close()
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def _end(*_: object) -> None:
    sys.exit(0)


def _work(folder: Path, packages: Sequence[str], settings: ServerSettings, listener: socket.socket) -> None:
    set_up_logs(settings.log_format)
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(), who="server")
    study = open_study(folder, around=replace(around, kinds=load_kinds(packages)))
    try:
        run_app(create_app(study, settings), listener)
    finally:
        study.close()


def _stop_with_parent() -> None:
    """End when the process that started this one has ended, however that came: else the port would stay taken."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
