"""What the manager's pages show: one record for each page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from regauge.fields import Field
from regauge.kinds.contract import KindOutput, TaskKind
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.comments import CommentThread
from regauge.records.campaigns.evaluations import GROUP_REVIEW, is_blind, trains, withholds
from regauge.records.campaigns.image_reports import ImageReport
from regauge.records.campaigns.referrals import ReferralCount
from regauge.records.campaigns.visits import VisitState
from regauge.records.next_steps import Place, Step
from regauge.records.responses.quality import AnnotatorList, CampaignForecast, CampaignPulse, ImageAnswers, ImageList
from regauge.records.studies import REASON, Event, LabelSetEntry, StudyStatus
from regauge.records.taxonomy import Taxonomy
from regauge.server.manage.form_fields import Input
from regauge.server.manage.forms import NewForm
from regauge.workflows.annotation.class_cards import CardImages
from regauge.workflows.campaigns.fields import TEXTS
from regauge.workflows.campaigns.image_failures import Failures
from regauge.workflows.campaigns.responses import RecentAnswer
from regauge.workflows.discussions.coding import CodingOffer
from regauge.workflows.live.standings import CampaignStandings
from regauge.workflows.people.directory import PeopleList
from regauge.workflows.people.erasure import PendingErasure
from regauge.workflows.studies.audit import EventList

PAGE_ROWS = 50
"""Rows of a table on one page."""
GALLERY_ROWS = 48
"""Pictures on one page."""
ADDRESSES = {
    Place.NEW: "/manage/campaigns/new",
    Place.CAMPAIGN: "/manage/campaigns/{campaign}",
    Place.ANNOTATORS: "/manage/campaigns/{campaign}/annotators?show=flagged",
    Place.LABELS: "/manage/campaigns/{campaign}/labels",
    Place.PEOPLE: "/manage/people",
    Place.ELSEWHERE: "",
}


@dataclass(frozen=True, slots=True)
class Pages:
    """Which page of a list is shown, and the addresses of its neighbours.

    Attributes:
        path: the page's own address.
        query: what was asked for besides the page.
        page: which, from 1.
        n: rows there are.
        n_rows: rows on a page.
    """

    path: str
    query: Mapping[str, str]
    page: int
    n: int
    n_rows: int = PAGE_ROWS

    @property
    def n_pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.n // self.n_rows))

    @property
    def first(self) -> int:
        """The first row shown, counted from 1."""
        return (self.page - 1) * self.n_rows + 1

    @property
    def last(self) -> int:
        """The last row shown."""
        return min(self.page * self.n_rows, self.n)

    @property
    def previous(self) -> str:
        """The address of the page before; empty on the first."""
        return self.find_address(page=str(min(self.page - 1, self.n_pages))) if self.page > 1 else ""

    @property
    def next(self) -> str:
        """The address of the page after; empty on the last."""
        return self.find_address(page=str(self.page + 1)) if self.page < self.n_pages else ""

    def find_address(self, **changes: str) -> str:
        """The address with something else asked for."""
        asked = {name: value for name, value in {**self.query, **changes}.items() if value}
        return f"{self.path}?{urlencode(asked)}" if asked else self.path


@dataclass(frozen=True, slots=True)
class CampaignCard:
    """A campaign in a list."""

    entry: CampaignEntry
    pulse: CampaignPulse


@dataclass(frozen=True, slots=True)
class UnknownCard:
    """A campaign of a kind that this program does not have: all that can be told of it, and why."""

    entry: CampaignEntry
    problem: str


@dataclass(frozen=True, slots=True)
class BlindCard:
    """A campaign in which a panel votes alone: how far it is, nobody is told."""

    entry: CampaignEntry
    note: str = "Round 1: panelists vote alone, so votes and progress are shown to nobody before a chair closes it."


@dataclass(frozen=True, slots=True)
class StepLine:
    """What comes next: in words, with where to click or what to type."""

    words: str
    action: str = ""
    address: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class OverviewView:
    """The study at a glance."""

    status: StudyStatus
    cards: tuple[CampaignCard | UnknownCard | BlindCard, ...]
    steps: tuple[StepLine, ...]
    answers: tuple[RecentAnswer, ...]

    @property
    def predictions(self) -> list[tuple[str, int]]:
        """Per test set, how many participants have answered."""
        names = [entry.test_set for entry in self.status.predictions]
        return [(entry.name, names.count(entry.name)) for entry in self.status.test_sets if entry.name in names]

    @property
    def label_sets(self) -> list[LabelSetEntry]:
        """The latest version of each label set."""
        return list({entry.name: entry for entry in self.status.label_sets}.values())


@dataclass(frozen=True, slots=True)
class NewView:
    """The form of a new campaign, and whether there are images that one could be made of, those of a pool among them."""

    form: NewForm
    has_images: bool
    has_pools: bool
    max_megabytes: int


@dataclass(frozen=True, slots=True)
class ReferralsView:
    """What a campaign has referred to experts, and what should be known of what waits."""

    counts: tuple[ReferralCount, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignPage:
    """One campaign: how it goes, and what it will take."""

    campaign: CampaignEntry
    kind: TaskKind
    pulse: CampaignPulse
    estimate: CampaignForecast | None
    visits: Mapping[VisitState, int]
    failures: Failures
    reports: tuple[ImageReport, ...]
    n_unjudged: int = 0
    standings: CampaignStandings | None = None
    referrals: ReferralsView = ReferralsView()
    unfinished: tuple[str, ...] = ()

    @property
    def gives_participants(self) -> bool:
        """Whether its answers can be made into participants."""
        return KindOutput.PREDICTIONS in self.kind.gives

    @property
    def gives_codes(self) -> bool:
        """Whether its answers can be made into a coding of mistakes."""
        return KindOutput.CODED_MISTAKES in self.kind.gives

    @property
    def is_blind(self) -> bool:
        """Whether it tests people."""
        return is_blind(self.campaign.plan.settings)

    @property
    def trains(self) -> bool:
        """Whether it trains people."""
        return trains(self.campaign.plan.settings)

    @property
    def has_group(self) -> bool:
        """Whether people of a training may look at everybody's answers together."""
        return bool(self.campaign.plan.settings.get(GROUP_REVIEW))

    @property
    def shows_own_data(self) -> bool:
        """Whether people may see what they answered."""
        return not withholds(self.campaign.plan.settings)

    @property
    def texts(self) -> tuple[Field, ...]:
        """What people read, in the order in which they do."""
        return TEXTS

    @property
    def notes(self) -> tuple[str, ...]:
        """What the manager should know of how the tasks were made."""
        return self.kind.making.note_tasks(self.campaign.plan.settings)

    @property
    def is_recruiting(self) -> bool:
        """Whether people come from a platform."""
        terms = self.campaign.plan.terms
        return terms.prolific is not None or terms.mturk_tasks > 0 or any(self.visits.values())


@dataclass(frozen=True, slots=True)
class AnnotatorsView:
    """A page of the annotators of a campaign."""

    campaign: CampaignEntry
    list: AnnotatorList
    pages: Pages
    order: str
    shown: str
    is_descending: bool
    name: str = ""

    @property
    def live(self) -> str:
        """Where the same is asked for again."""
        here = self.pages.find_address(page=str(self.pages.page))
        return here.replace("/manage/", "/api/manage/", 1)

    def sort_by(self, order: str) -> str:
        """The address of the list in another order; in the other direction where it has that order already."""
        is_descending = not self.is_descending if order == self.order else order in {"answers", "last"}
        return self.pages.find_address(order=order, descending="true" if is_descending else "", page="")

    def filter_by(self, shown: str) -> str:
        """The address of another part of the annotators."""
        return self.pages.find_address(show=shown, page="")


@dataclass(frozen=True, slots=True)
class ImagesView:
    """A page of the images of a campaign."""

    campaign: CampaignEntry
    taxonomy: Taxonomy
    list: ImageList
    pages: Pages
    order: str
    is_descending: bool

    def name(self, class_index: int | None) -> str:
        """What a class is called."""
        return name_class(self.taxonomy, class_index)

    def sort_by(self, order: str) -> str:
        """The address of the list in another order; in the other direction where it has that order already."""
        is_descending = not self.is_descending if order == self.order else order in {"disagreement", "answers"}
        return self.pages.find_address(order=order, descending="true" if is_descending else "false", page="")


@dataclass(frozen=True, slots=True)
class ImageView:
    """One image with all that people said of it; `threads` is None where its campaign has none, `told` has answers in words."""

    campaign: CampaignEntry
    taxonomy: Taxonomy
    image: ImageAnswers
    n_images: int
    threads: tuple[CommentThread, ...] | None = None
    told: Mapping[tuple[int, int], tuple[str, str]] = field(default_factory=dict)

    def name(self, class_index: int | None) -> str:
        """What a class is called."""
        return name_class(self.taxonomy, class_index)


@dataclass(frozen=True, slots=True)
class ClassesView:
    """The page of classes: the sets of images that there are, those that cards show, and what addresses of cards end with."""

    taxonomy: Taxonomy
    sets: tuple[str, ...]
    source: CardImages
    query: str


@dataclass(frozen=True, slots=True)
class LabelsView:
    """What was and can be built of a campaign."""

    campaign: CampaignEntry
    label_sets: tuple[LabelSetEntry, ...]
    suggested: str
    built: str
    about: str
    rule: tuple[tuple[Input, ...], ...]
    coding: CodingOffer | None = None


@dataclass(frozen=True, slots=True)
class LogView:
    """A page of what happened."""

    list: EventList
    pages: Pages
    what: str
    who: str | None

    def describe(self, event: Event) -> str:
        """What it was done to, in one line; the reason has a column of its own."""
        rest = {name: value for name, value in event.parameters.items() if name != REASON}
        return Event(event.what, event.who, event.at, rest, event.code_version).summary


@dataclass(frozen=True, slots=True)
class PeopleView:
    """A page of those who work on the study."""

    list: PeopleList
    pages: Pages
    name: str
    erasures: tuple[PendingErasure, ...]


def name_class(taxonomy: Taxonomy, class_index: int | None) -> str:
    """What a class is called; an en dash where there is none."""
    return "–" if class_index is None or not 0 <= class_index < len(taxonomy) else taxonomy.classes[class_index].name


def make_erasure_lines(erasures: Sequence[PendingErasure]) -> list[StepLine]:
    """That people wait to be erased; nothing where nobody does."""
    people = "1 person asks" if len(erasures) == 1 else f"{len(erasures):,} people ask"
    return [StepLine(f"{people} to be erased.", "Look at it", ADDRESSES[Place.PEOPLE])] if erasures else []


def make_lines(step: Step) -> Iterator[StepLine]:
    """A step with where to click or what to type, and what comes right after it."""
    if step.page is not None:
        address = ADDRESSES[step.page.place].format(campaign=step.page.campaign_id)
        yield StepLine(step.page.words, step.page.action, address)
        return
    yield StepLine(f"{step.what}.", command=step.command)
    if step.then is not None:
        yield StepLine(f"Then {step.then.what}.", command=step.then.command)
