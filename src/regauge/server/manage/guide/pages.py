"""The pages of the labeling guide: the list of classes with what is written on them, and one for every entry."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import Field

from regauge.errors import FormatError, InputError
from regauge.records.campaigns.campaign import CampaignImage
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.guide.entries import GuideEntry, GuideTopic
from regauge.server.annotate.api import MAX_ID, State
from regauge.server.annotate.pages import render
from regauge.server.manage.guide.views import (
    PATH,
    GuideEntryView,
    GuideRow,
    GuideView,
    find_entry_address,
    find_picture,
)
from regauge.server.manage.lists import ListQuery, Name
from regauge.server.manage.pages import PICTURE_HEADERS
from regauge.server.manage.roles import ManagingReader
from regauge.server.manage.views import PAGE_ROWS, Pages
from regauge.workflows.annotation.renditions import RenditionSide, load_rendition
from regauge.workflows.guide.entries import (
    diff_entry,
    find_topic,
    get_entry,
    list_history,
    measure_coverage,
    read_guide,
    search_guide,
)
from regauge.workflows.guide.pictures import is_image, show_entry
from regauge.workflows.labels.label_set import list_label_sets
from regauge.workflows.studies.study import Study
from regauge.workflows.taxonomies import find_classes

router = APIRouter(prefix=PATH, default_response_class=HTMLResponse, include_in_schema=False)

TopicKey = Annotated[str, Path(pattern=r"^[0-9]{1,9}(-[0-9]{1,9})?$")]
Number = Annotated[int, Path(ge=0, le=MAX_ID)]
Version = Annotated[int, Field(ge=1, le=MAX_ID)]


class Shown(StrEnum):
    """Which classes the list shows."""

    ALL = "all"
    WRITTEN = "written"
    MISSING = "missing"


class GuideQuery(ListQuery):
    """Which classes are wanted, or what is searched for."""

    show: Shown = Shown.ALL
    words: Name = ""


@router.get("")
async def show_guide(
    request: Request, state: State, _session: ManagingReader, query: Annotated[GuideQuery, Query()]
) -> Response:
    """All classes with what is written on them."""
    return render(request, "manage_guide.html", await state.read(lambda study: make_guide(study, query)))


@router.get("/pair")
async def find_pair(state: State, _session: ManagingReader, first: Name, second: Name) -> Response:
    """The page of the entry on how to tell two classes apart, by index, id or name."""
    topic = await state.read(lambda study: find_topic(study, first, second))
    return RedirectResponse(find_entry_address(topic), status_code=303)


@router.get("/{key}")
async def show_one(
    request: Request,
    state: State,
    _session: ManagingReader,
    key: TopicKey,
    version: Annotated[Version | None, Query()] = None,
) -> Response:
    """An entry, as it stands or stood."""
    view = await state.read(lambda study: make_entry(study, read_key(key), version=version))
    return render(request, "manage_guide_entry.html", view)


@router.get("/pictures/{test_set_id}/{row}", response_class=Response)
async def get_picture(
    state: State,
    session: ManagingReader,
    test_set_id: Number,
    row: Number,
    *,
    side: RenditionSide = RenditionSide.USUAL,
) -> Response:
    """An image of the study, as annotators see it."""

    def load() -> bytes:
        place = CampaignImage(test_set_id, row)
        if not state.read_now(lambda study: is_image(study, place)):
            raise InputError("There is no such image.")
        return load_rendition(state.study, place, side=side)

    try:
        content = await state.paint(load)
    except (InputError, FormatError):
        raise HTTPException(404, "There is no such image.") from None
    state.note_sent(session, CampaignImage(test_set_id, row), role=ExposureRole.MANAGER)
    return Response(content, media_type="image/jpeg", headers=PICTURE_HEADERS)


def read_key(key: str) -> GuideTopic:
    """What an entry is on, from its address."""
    return GuideTopic(*map(int, key.split("-")))


def make_guide(study: Study, query: GuideQuery) -> GuideView:
    """The list, put together."""
    entries = read_guide(study)
    coverage = measure_coverage(study, entries)
    rows = _list_rows(study, entries, query.show)
    asked = {"show": query.show.value, "words": query.words}
    page = query.find_rows()
    words = query.words.strip()
    return GuideView(
        taxonomy=study.taxonomy,
        coverage=coverage,
        rows=tuple(rows[page.offset : page.offset + page.limit]),
        pages=Pages(PATH, asked, query.page, len(rows), PAGE_ROWS),
        show=query.show.value,
        words=words,
        hits=search_guide(study, words),
        classes=tuple(match.image_class.index for match in find_classes(study.taxonomy, words)) if words else (),
    )


def make_entry(study: Study, topic: GuideTopic, *, version: int | None = None) -> GuideEntryView:
    """The page of an entry, put together.

    Raises:
        InputError: a class was never in the guide nor in the taxonomy, or there is no such version.
    """
    current = get_entry(study, topic)
    if max(topic.classes) >= len(study.taxonomy) and current.n_versions == 0:
        raise InputError("There is no such class.")
    looked_at = current if version is None else get_entry(study, topic, version=version)
    pairs = {
        entry.topic
        for entry in read_guide(study)
        if entry.topic.is_pair and entry.topic != topic and set(entry.topic.classes) & set(topic.classes)
    }
    return GuideEntryView(
        taxonomy=study.taxonomy,
        shown=show_entry(study, looked_at, find_address=find_picture),
        current=current,
        history=list_history(study, topic),
        pairs=tuple(sorted(pairs)),
        diff=() if version is None else diff_entry(study, topic, after=version),
        version=version,
        label_sets=tuple(entry.full_name for entry in reversed(list_label_sets(study))),
    )


def _list_rows(study: Study, entries: tuple[GuideEntry, ...], shown: Shown) -> list[GuideRow]:
    by_topic = {entry.topic: entry for entry in entries}
    pairs: dict[int, list[GuideTopic]] = {}
    for entry in entries:
        for index in entry.topic.classes if entry.topic.is_pair and not entry.is_empty else ():
            pairs.setdefault(index, []).append(entry.topic)
    rows = (
        GuideRow(index, by_topic.get(GuideTopic(index), GuideEntry(GuideTopic(index))), tuple(pairs.get(index, ())))
        for index in range(len(study.taxonomy))
    )
    return [row for row in rows if shown is Shown.ALL or bool(row.entry.text) is (shown is Shown.WRITTEN)]
