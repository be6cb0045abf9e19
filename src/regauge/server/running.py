"""Run the server: one process, or several on PostgreSQL, on one port."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

import numpy as np
import uvicorn
from fastapi import FastAPI

from regauge.errors import InputError
from regauge.records.campaigns import Role
from regauge.server.app import make_app
from regauge.server.state import ServerSettings
from regauge.workflows.annotation import MANAGER, renew_link
from regauge.workflows.studies import Circumstances, Study, open_study, reserve_serving

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
        base_url: the address that people use; unless given, the one that is listened on.
        has_guests: whether anybody may try the tasks.
        n_workers: processes.
    """

    host: str = "127.0.0.1"
    port: int = 8_765
    base_url: str = ""
    has_guests: bool = False
    n_workers: int = 1


def serve(study: Study, options: ServeOptions, *, announce: Callable[[str], None]) -> None:
    """Serve until stopped. The manager's link is announced; the one of an earlier start ends with it.

    Raises:
        InputError: the port is taken, or several processes are asked for on SQLite.
    """
    if options.n_workers > 1 and study.engine.dialect.name == "sqlite":
        raise InputError(
            "Several processes need PostgreSQL: make the study with --database, or serve it with one process."
        )
    with reserve_serving(study), _listen(options) as listener:
        base_url = options.base_url.rstrip("/") or _find_address(listener)
        with study.begin() as begun:
            token = renew_link(begun, MANAGER, role=Role.MANAGER).token
        announce(f"Serving {study.paths.folder} at {base_url}")
        announce(f"Manager    {base_url}/join#{token}")
        if options.has_guests:
            announce(f"Guests     {base_url}/")
        settings = ServerSettings(base_url, options.has_guests)
        if options.n_workers == 1:
            run_app(make_app(study, settings), listener)
        else:
            _run_workers(study, settings, listener, options.n_workers)


def _listen(options: ServeOptions) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in options.host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"Port {options.port} of {options.host} cannot be listened on: {error.strerror}. Name another with --port."
        ) from error
    listener.listen(BACKLOG)
    return listener


def _find_address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - shown, not bound
    return f"http://{shown}:{port}"


def run_app(app: FastAPI, listener: socket.socket) -> None:
    """Answer requests until the process is asked to end."""
    config = uvicorn.Config(
        app,
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
    uvicorn.Server(config).run(sockets=[listener])


def _run_workers(study: Study, settings: ServerSettings, listener: socket.socket, n_workers: int) -> None:
    """Processes that share the port; each has its own connections and its own writer. One that dies is replaced."""
    # Spawned, not forked: a forked process would share the database connections of this one.
    context = multiprocessing.get_context("spawn")

    def start() -> SpawnProcess:
        worker = context.Process(target=_work, args=(study.paths.folder, settings, listener))
        worker.start()
        return worker

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    workers = [start() for _ in range(n_workers)]
    try:
        while True:
            wait([worker.sentinel for worker in workers])
            time.sleep(PAUSE_SECONDS)
            workers = [worker if worker.is_alive() else start() for worker in workers]
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def _work(folder: Path, settings: ServerSettings, listener: socket.socket) -> None:
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(), who="server")
    study = open_study(folder, around=around)
    try:
        run_app(make_app(study, settings), listener)
    finally:
        study.close()


def _stop_with_parent() -> None:
    """End when the process that started this one has ended, however that came: else the port would stay taken."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
