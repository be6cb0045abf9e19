"""The website for a server: the page with addresses of its own, the script by its digest, and chunks that are kept."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cache

from regauge.formats.site.page import PageAddresses, bundle_scripts, make_page
from regauge.records.site import SiteSettings
from regauge.storage.study import Study
from regauge.workflows.site.source import SiteSource, find_state, open_site

MAX_KEPT = 64_000_000
"""Bytes of chunks that a process keeps."""
N_STATES = 4
"""States of the study that pages may still be open on, in what guests and managers see."""


@dataclass(frozen=True, slots=True)
class ServedScript:
    """The script of the website, and what its address has, which changes when it does."""

    content: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class ServedPlaces:
    """Where a server has what the page needs.

    Attributes:
        styles: style sheets in their order.
        icon: the icon.
        base: what the addresses of script, chunks and pictures begin with.
        home: where the mark in the corner leads.
    """

    styles: tuple[str, ...]
    icon: str
    base: str
    home: str


@dataclass(slots=True, eq=False)
class SiteMemory:
    """The website as it is and as it was a moment ago, and chunks that somebody has asked for."""

    sources: OrderedDict[str, SiteSource] = field(default_factory=OrderedDict)
    chunks: OrderedDict[tuple[str, str], bytes] = field(default_factory=OrderedDict)
    n_bytes: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self, study: Study, settings: SiteSettings) -> SiteSource:
        """The website of the study as it is now.

        Raises:
            InputError: there is nothing to show yet.
        """
        state = find_state(study, settings)
        with self.lock:
            if state not in self.sources:
                self.sources[state] = open_site(study, settings)
                while len(self.sources) > N_STATES:
                    self.sources.popitem(last=False)
            return self.sources[state]

    def find(self, study: Study, settings: SiteSettings, *, state: str) -> SiteSource:
        """The website as an open page knows it; as it is now where that is too long ago, which the page then says."""
        found = self.sources.get(state)
        return found if found is not None and found.settings == settings else self.open(study, settings)

    def load(self, study: Study, source: SiteSource, *, name: str) -> bytes:
        """A chunk, made once and kept as long as there is room.

        Raises:
            InputError: there is none of that name.
        """
        key = (source.state, name)
        kept = self.chunks.get(key)
        if kept is not None:
            return kept
        content = source.make_chunk(study, name)
        with self.lock:
            self.n_bytes += len(content) - len(self.chunks.pop(key, b""))
            self.chunks[key] = content
            while self.n_bytes > MAX_KEPT and len(self.chunks) > 1:
                self.n_bytes -= len(self.chunks.popitem(last=False)[1])
        return content


@cache
def get_script() -> ServedScript:
    """The script, put together once in a process."""
    content = bundle_scripts().encode()
    return ServedScript(content, hashlib.sha256(content).hexdigest()[:12])


def write_page(study: Study, source: SiteSource, *, places: ServedPlaces) -> str:
    """The one page of the website."""
    addresses = PageAddresses(
        styles=places.styles,
        script=f"{places.base}/scripts/{get_script().digest}.js",
        data=f"{places.base}/data/{source.state}/",
        icon=places.icon,
        pictures=f"{places.base}/pictures/{source.state}/",
        home=places.home,
    )
    return make_page(addresses, title=study.paths.folder.name)
