"""Classes for whoever is signed in: the file by which browsers find them, their cards, and the images on these.

Annotators see on cards what their campaign names, and words alone where it names nothing; which set an image is from would
otherwise be for everybody to see. Managers choose the sets themselves. Addresses of images hold the place on the card alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from regauge.errors import FormatError, InputError
from regauge.records.campaigns.campaign import CampaignImage, Role
from regauge.records.campaigns.evaluations import is_blind
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.guide.images import NOTHING_WITHHELD, WithheldImages
from regauge.records.taxonomy import Taxonomy, describe_class
from regauge.server.annotate.api import MAX_ID, ClassNumber, Reader, State
from regauge.server.annotate.images import HEADERS, NO_IMAGE
from regauge.server.assets import takes_gzip
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation.admission import get_own_campaign
from regauge.workflows.annotation.class_cards import (
    N_REFERENCES,
    CardImages,
    CardList,
    ClassCard,
    find_card_places,
    find_node_image,
    find_pictured,
    find_similar,
    find_source,
    keep_known_sets,
    list_card_images,
    make_card,
    suggest_source,
)
from regauge.workflows.annotation.renditions import RenditionSide, load_rendition
from regauge.workflows.annotation.tasks import get_seat, list_seats, preview_seat
from regauge.workflows.studies.study import Study

KEPT = {"Cache-Control": "private, max-age=31536000, immutable", "Vary": "Accept-Encoding, Cookie"}
N_BESIDE = 4
"""Images of a class that stands beside another one."""

router = APIRouter(prefix="/api/classes")


class CardQuery(BaseModel):
    """Whose cards are meant: those of a campaign or, for managers, those of sets that they name."""

    model_config = ConfigDict(extra="ignore")

    campaign: Annotated[int, Field(ge=1, le=MAX_ID)] | None = None
    tested: Annotated[str, Field(max_length=300)] | None = None
    reference: Annotated[str, Field(max_length=300)] | None = None
    hidden: Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=20)] = []

    def choose_source(self, study: Study) -> CardImages:
        """The sets that a manager names, or those that suggest themselves; an empty name is none."""
        usual = suggest_source(study)
        tested = usual.tested if self.tested is None else self.tested
        reference = usual.reference if self.reference is None else self.reference
        return CardImages(tested, reference, tuple(sorted({name for name in self.hidden if name})))

    def to_address(self) -> str:
        """What addresses of images end with, so that they mean the same cards."""
        return urlencode(self.model_dump(exclude_none=True, exclude_defaults=True), doseq=True, quote_via=quote)


class PictureQuery(CardQuery):
    """As `CardQuery`, and how large the image is to be."""

    side: RenditionSide = RenditionSide.USUAL


@dataclass(frozen=True, slots=True)
class CardPlace:
    """Where on which card an image is."""

    class_index: Annotated[int, Path(ge=0, le=MAX_ID)]
    which: Annotated[CardList, Path()]
    place: Annotated[int, Path(ge=0, le=MAX_ID)]


AskedCards = Annotated[CardQuery, Query()]
AskedPicture = Annotated[PictureQuery, Query()]


@dataclass(frozen=True, slots=True)
class _Cards:
    """Cards as somebody may see them: their images and similar classes, whether with shares, and how addresses end.

    Whoever is tested sees no link to the web, and how many reference images a class lacks.
    """

    source: CardImages
    off: WithheldImages = NOTHING_WITHHELD
    has_shares: bool = False
    ending: str = ""
    similar: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    is_blind: bool = False

    def describe(self, taxonomy: Taxonomy, index: int) -> dict[str, Any]:
        """A class in words."""
        words = {"class": index, "id": taxonomy.classes[index].id, **describe_class(taxonomy.classes[index])}
        return {name: value for name, value in words.items() if name != "link"} if self.is_blind else words

    def list_addresses(self, index: int, which: CardList, *, places: Iterable[int]) -> list[str]:
        """The addresses of images of a list of a card, by their places there."""
        return [f"/api/classes/{index}/{which.value}/{place}?{self.ending}".rstrip("?") for place in places]


@router.get("")
async def find_index(state: State, session: Reader) -> dict[str, str]:
    """Where the file is by which browsers find classes: an address that changes when the file does."""
    await state.read(lambda study: _check_guest(study, session))
    return {"address": f"/api/classes/index/{(await state.beside(state.get_finder)).digest}"}


@router.get("/index/{digest}", response_class=Response)
async def get_index(request: Request, state: State, session: Reader, digest: str) -> Response:
    """The file."""
    await state.read(lambda study: _check_guest(study, session))
    found = await state.beside(state.get_finder)
    if digest != found.digest:
        raise HTTPException(404, "The classes have changed; please reload.")
    if takes_gzip(request.headers.get("accept-encoding", "")):
        return Response(found.packed, media_type="application/json", headers=KEPT | {"Content-Encoding": "gzip"})
    return Response(found.content, media_type="application/json", headers=KEPT)


@router.get("/pictured")
async def list_pictured(state: State, session: Reader, asked: AskedCards) -> dict[str, list[int]]:
    """The classes of which cards show images, so that nobody asks for pictures that are not there."""

    def find(study: Study) -> list[int]:
        cards = _open(study, state, session, asked)
        return find_pictured(study, source=cards.source, off=cards.off)

    return {"classes": await state.read(find)}


@router.get("/nodes/{node}/picture", response_class=Response)
async def get_node_picture(
    state: State, session: Reader, node: Annotated[str, Path(max_length=300)], asked: AskedPicture
) -> Response:
    """An image of a class at or below a node of the hierarchy."""

    def find(study: Study) -> CampaignImage | None:
        cards = _open(study, state, session, asked)
        return find_node_image(study, node, source=cards.source, off=cards.off)

    return await _paint(state, session, find, asked=asked)


@router.get("/{class_index}/card")
async def get_card(state: State, session: Reader, class_index: ClassNumber, asked: AskedCards) -> dict[str, Any]:
    """The card of a class."""

    def make(study: Study) -> dict[str, Any]:
        cards = _open(study, state, session, asked)
        similar = cards.similar.get(class_index, ())
        card = make_card(study, class_index, source=cards.source, off=cards.off, similar=similar)
        beside = {*card.similar, *card.siblings, *(one.index for one in card.confused)}
        places = {
            which: find_card_places(study, beside, which=which, source=cards.source, off=cards.off)
            for which in CardList
        }
        return _view(study.taxonomy, card, cards=cards, places=places)

    return await state.read(make)


@router.get("/{class_index}/{which}/{place}", response_class=Response)
async def get_picture(
    state: State, session: Reader, at: Annotated[CardPlace, Depends()], asked: AskedPicture
) -> Response:
    """An image of a card, by its place there."""

    def find(study: Study) -> CampaignImage | None:
        cards = _open(study, state, session, asked)
        shown = list_card_images(study, at.class_index, which=at.which, source=cards.source, off=cards.off)
        return next((one.image for one in shown if one.place == at.place), None)

    return await _paint(state, session, find, asked=asked)


async def _paint(
    state: ServerState, session: Session, find: Callable[[Study], CampaignImage | None], *, asked: PictureQuery
) -> Response:
    def load() -> tuple[bytes, CampaignImage]:
        image = state.read_now(find)
        if image is None:
            raise InputError(NO_IMAGE)
        return load_rendition(state.study, image, side=asked.side), image

    try:
        content, image = await state.paint(load)
    except (InputError, FormatError):
        raise HTTPException(404, NO_IMAGE) from None
    state.note_sent(session, image, role=ExposureRole.CARD, campaign_id=asked.campaign)
    return Response(content, media_type="image/jpeg", headers=HEADERS)


def _open(study: Study, state: ServerState, session: Session, asked: CardQuery) -> _Cards:
    """The cards that somebody may see."""
    if session.role is Role.MANAGER and asked.campaign is None:
        source = asked.choose_source(study)
        return _Cards(source, state.cards.get(study, source.hidden), has_shares=True, ending=asked.to_address())
    if session.is_framed and asked.campaign not in {None, session.campaign_id}:
        raise HTTPException(403, "This page is for another campaign.")
    if session.role is Role.GUEST:
        _check_guest(study, session)
        if asked.campaign is not None:
            get_own_campaign(study, asked.campaign, annotator_id=session.annotator_id)
    if session.role is Role.GUEST or asked.campaign is None:
        return _Cards(CardImages())
    ending = CardQuery(campaign=asked.campaign).to_address()
    if session.role is Role.MANAGER:
        seat = preview_seat(study, asked.campaign)
        source = keep_known_sets(study, find_source(seat.campaign))
        off = state.cards.get_tested(study, seat.campaign, source.hidden)
        similar = find_similar(study, seat.campaign, state.cards)
        return _Cards(source, off, ending=ending, similar=similar, is_blind=is_blind(seat.campaign.plan.settings))
    seat = get_seat(study, asked.campaign, annotator_id=session.annotator_id, came_at=session.began_at)
    if not seat.has_consented:
        raise HTTPException(403, "Please read and agree to the text of the campaign first.")
    source = keep_known_sets(study, find_source(seat.campaign))
    cards = _Cards(
        source,
        ending=ending,
        similar=find_similar(study, seat.campaign, state.cards),
        is_blind=is_blind(seat.campaign.plan.settings),
    )
    if source == CardImages():
        return cards
    off = state.cards.get_for(study, seat.campaign, source.hidden, annotator_id=session.annotator_id)
    return replace(cards, off=off)


def _check_guest(study: Study, session: Session) -> None:
    """Refuse guests where no campaign is open to them: then there is nothing for which they could need a class."""
    if session.role is Role.GUEST and not list_seats(study, session.annotator_id):
        raise InputError("There is no campaign that guests can look at.")


def _view(
    taxonomy: Taxonomy, card: ClassCard, *, cards: _Cards, places: Mapping[CardList, Mapping[int, Sequence[int]]]
) -> dict[str, Any]:
    shares: dict[int, float] = {one.index: one.share for one in card.confused} if cards.has_shares else {}

    def view_beside(indices: Iterable[int]) -> list[dict[str, Any]]:
        return [
            {
                **cards.describe(taxonomy, index),
                "share": shares.get(index),
                "images": _choose_few(cards, index, places),
            }
            for index in indices
        ]

    return {
        **cards.describe(taxonomy, card.index),
        "guide": card.guide,
        "n_references_wanted": N_REFERENCES if cards.is_blind and cards.source.reference else 0,
        "n_unchecked": card.n_unchecked if cards.has_shares else 0,
        "n_unfinished": card.n_unfinished,
        "references": cards.list_addresses(
            card.index, CardList.REFERENCE, places=[one.place for one in card.references]
        ),
        "tested": cards.list_addresses(card.index, CardList.TESTED, places=[one.place for one in card.tested]),
        "similar": view_beside(card.similar),
        "confused": view_beside(one.index for one in card.confused),
        "siblings": view_beside(card.siblings),
    }


def _choose_few(cards: _Cards, index: int, places: Mapping[CardList, Mapping[int, Sequence[int]]]) -> list[str]:
    """The first images of a class: references, where there are any."""
    which = CardList.REFERENCE if index in places[CardList.REFERENCE] else CardList.TESTED
    return cards.list_addresses(index, which, places=places[which].get(index, ())[:N_BESIDE])
