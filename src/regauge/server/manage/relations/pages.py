"""The page of relations between classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from regauge.errors import InputError
from regauge.records.labels.relations import RelationEntry
from regauge.records.taxonomy import RelationStatus, Taxonomy
from regauge.server.annotate.api import State
from regauge.server.annotate.pages import render
from regauge.server.manage.guide.views import find_picture
from regauge.server.manage.roles import ManagingReader
from regauge.workflows.guide.pictures import get_image
from regauge.workflows.labels.label_set import list_label_sets
from regauge.workflows.labels.relations import derive_study_labels, list_relations
from regauge.workflows.studies.study import Study

PATH = "/manage/relations"
MAX_SHOWN = 200
"""Contradictions on the page; all of them are for the command line."""

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


@dataclass(frozen=True, slots=True)
class ShownImage:
    """An image by its id, and the address of its picture; empty where the study has none, or several of that id."""

    image_id: str
    address: str


@dataclass(frozen=True, slots=True)
class ShownContradiction:
    """A verdict of a person that is lower than what follows from an accepted relation."""

    image: ShownImage
    class_index: int
    verdict: str
    implied: str
    relation: str


@dataclass(frozen=True, slots=True)
class RelationsView:
    """All relations by what was decided last, and what contradicts the accepted ones in a label set.

    Attributes:
        taxonomy: the classes.
        entries: the relations.
        images: what is known of the images that speak for or against them, by id.
        label_sets: the latest version of each, which contradictions can be looked for in.
        labels: the one that is looked at; empty where there is none.
        contradictions: the first of them.
        n_contradictions: how many there are.
    """

    taxonomy: Taxonomy
    entries: tuple[RelationEntry, ...]
    images: dict[str, ShownImage]
    label_sets: tuple[str, ...] = ()
    labels: str = ""
    contradictions: tuple[ShownContradiction, ...] = ()
    n_contradictions: int = 0

    def list_by(self, status: str) -> list[RelationEntry]:
        """Those of which this was decided last."""
        return [one for one in self.entries if one.relation.status is RelationStatus(status)]

    def name_class(self, index: int) -> str:
        """What a class is called; its number alone where the taxonomy no longer has it."""
        return self.taxonomy.classes[index].name if index < len(self.taxonomy) else f"class {index}"

    def tell(self, entry: RelationEntry) -> str:
        """The relation in words."""
        return entry.relation.tell(self.name_class)


@router.get(PATH)
async def show_relations(
    request: Request, state: State, _session: ManagingReader, labels: Annotated[str, Query(max_length=300)] = ""
) -> Response:
    """What is proposed, what was decided, and what contradicts it."""
    return render(request, "manage_relations.html", await state.read(lambda study: make_relations(study, labels)))


def make_relations(study: Study, labels: str) -> RelationsView:
    """The page, put together.

    Raises:
        InputError: there is no such label set.
    """
    entries = tuple(list_relations(study))
    supports = [entry.support for entry in entries if entry.support is not None]
    ids = dict.fromkeys(image_id for one in supports for image_id in (*one.examples, *one.exceptions))
    names = tuple(dict.fromkeys(entry.name for entry in reversed(list_label_sets(study))))
    view = RelationsView(study.taxonomy, entries, _find_images(study, ids), names, labels or next(iter(names), ""))
    if not view.labels or not view.list_by(RelationStatus.ACCEPTED):
        return view
    found = derive_study_labels(study, view.labels).contradictions
    images = _find_images(study, (one.image_id for one in found[:MAX_SHOWN]))
    shown = tuple(
        ShownContradiction(
            images[one.image_id], one.class_index, one.verdict.name.lower(), one.implied.name.lower(), one.relation
        )
        for one in found[:MAX_SHOWN]
    )
    return RelationsView(view.taxonomy, entries, view.images, names, view.labels, shown, len(found))


def _find_images(study: Study, image_ids: Iterable[str]) -> dict[str, ShownImage]:
    return {image_id: ShownImage(image_id, _find_address(study, image_id)) for image_id in image_ids}


def _find_address(study: Study, image_id: str) -> str:
    try:
        image = get_image(study, image_id)
    except InputError:
        return ""
    return find_picture(image, 0)
