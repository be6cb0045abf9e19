"""The labeling guide ↔ rows. Both tables are only ever added to, and one count numbers the changes of both."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, func, insert, select

from regauge.records.campaigns.campaign import CampaignImage, CampaignState
from regauge.records.campaigns.evaluations import BLIND, TRAINS
from regauge.records.guide.entries import GuideCase, GuideTopic, GuideVersion
from regauge.records.guide.images import NOTHING_HIDDEN, HiddenImages, StudyImage
from regauge.records.labels.verdicts import Verdict
from regauge.storage.database.schema import (
    campaign_images,
    campaigns,
    guide_cases,
    guide_versions,
    images,
    test_sets,
)
from regauge.storage.moments import parse_moment
from regauge.storage.study import Study

_VERSION_COLUMNS = ("id", "class_index", "other_index", "text", "who", "reason", "at", "edited", "client_id")


def count_changes(study: Study) -> int:
    """The version of the guide: the number of its last change; 0 where nobody has written anything."""
    last = (study.connection.scalar(select(func.max(table.c.id))) or 0 for table in (guide_versions, guide_cases))
    return max(last)


def list_moments(study: Study) -> tuple[tuple[int, int], ...]:
    """Since when, in milliseconds since 1970, each version of the guide holds, the oldest first."""
    rows = [
        row
        for table in (guide_versions, guide_cases)
        for row in study.connection.execute(select(table.c.id, table.c.at))
    ]
    return tuple((parse_moment(at), version) for version, at in sorted(rows))


def insert_version(study: Study, new: GuideVersion) -> GuideVersion:
    """Store a text as the next version of the guide, by whoever is at work.

    A writer has the database to itself, so that no two changes get one number.
    """
    stored = replace(new, version=count_changes(study) + 1, who=study.around.who, at=study.around.now())
    row = {name: getattr(stored, name) for name in ("text", "who", "reason", "at", "edited", "client_id")}
    study.connection.execute(insert(guide_versions), {"id": stored.version, **_to_columns(stored.topic), **row})
    return stored


def list_versions(study: Study, topic: GuideTopic | None = None) -> tuple[GuideVersion, ...]:
    """All texts of an entry, or of all entries, the oldest first."""
    query = _select_versions().order_by(guide_versions.c.id)
    if topic is not None:
        query = query.where(*(guide_versions.c[name] == value for name, value in _to_columns(topic).items()))
    return tuple(map(_make_version, study.connection.execute(query)))


def list_latest(study: Study, *, at_version: int | None = None) -> tuple[tuple[GuideVersion, int], ...]:
    """The last text of every entry, as it stands or stood at a version of the guide, and how many it has had until then.

    Texts that were replaced are not read: over the years they are most of the guide.
    """
    topic = (guide_versions.c.class_index, guide_versions.c.other_index)
    until = [] if at_version is None else [guide_versions.c.id <= at_version]
    last = select(func.max(guide_versions.c.id).label("last"), func.count().label("n")).where(*until).group_by(*topic)
    found = last.subquery()
    query = _select_versions().add_columns(found.c.n).join(found, found.c.last == guide_versions.c.id)
    rows = study.connection.execute(query.order_by(guide_versions.c.id)).all()
    return tuple((_make_version(row[:-1]), row[-1]) for row in rows)


def find_version(study: Study, number: int) -> GuideVersion | None:
    """The text that a version of the guide brought; None where that version is none or brought a case."""
    row = study.connection.execute(_select_versions().where(guide_versions.c.id == number)).one_or_none()
    return None if row is None else _make_version(row)


def find_saved(study: Study, client_id: str) -> GuideVersion | None:
    """The last text that a page has saved under an id of its own; None where it has not, or gave none."""
    query = _select_versions().where(guide_versions.c.client_id == client_id)
    last = query.order_by(guide_versions.c.id.desc())
    row = study.connection.execute(last).first() if client_id else None
    return None if row is None else _make_version(row)


def insert_case(study: Study, case: GuideCase) -> GuideCase:
    """Store that a verdict is cited, or no longer, as the next version of the guide, by whoever is at work."""
    version, who, at = count_changes(study) + 1, study.around.who, study.around.now()
    row = {
        "id": version,
        "class_index": case.class_index,
        "other_index": case.other_index,
        "test_set_id": case.image.place.test_set_id,
        "row": case.image.place.row,
        "verdict": case.verdict.name.lower(),
        "note": case.note,
        "labels": case.labels,
        "is_cited": case.is_cited,
        "who": who,
        "at": at,
    }
    study.connection.execute(insert(guide_cases), row)
    return replace(case, version=version, who=who, at=at)


def list_cases(study: Study) -> tuple[GuideCase, ...]:
    """All that was ever cited and taken out again, the oldest first."""
    names = ("id", "class_index", "verdict", "note", "other_index", "labels", "is_cited", "who", "at")
    own = [guide_cases.c[name] for name in names]
    place = (guide_cases.c.test_set_id == images.c.test_set_id) & (guide_cases.c.row == images.c.row)
    query = _select_images(*own).join(guide_cases, place).order_by(guide_cases.c.id)
    found = []
    for row in study.connection.execute(query):
        version, class_index, verdict, note, *rest = row[: len(names)]
        image = _make_image(row[len(names) :])
        found.append(GuideCase(version, class_index, image, Verdict[verdict.upper()], note, *rest))
    return tuple(found)


def count_cases(study: Study) -> int:
    """How often something was cited or taken out again."""
    return study.connection.scalar(select(func.count()).select_from(guide_cases)) or 0


def find_images(study: Study, image_ids: Collection[str]) -> tuple[StudyImage, ...]:
    """The images of these ids in all sets, the set that was added first before the others."""
    query = _select_images().where(images.c.image_id.in_(image_ids)).order_by(images.c.test_set_id, images.c.row)
    return tuple(map(_make_image, study.connection.execute(query)))


def load_hidden(study: Study, names: Collection[str]) -> HiddenImages:
    """The images of these sets, as what is to be hidden."""
    query = select(images.c.image_id, images.c.sha256).join(test_sets, test_sets.c.id == images.c.test_set_id)
    rows = study.connection.execute(query.where(test_sets.c.name.in_(names))).all()
    digests = frozenset(digest for _, digest in rows if digest)
    return HiddenImages(frozenset(image_id for image_id, _ in rows), digests, all(digest for _, digest in rows))


class BlindCampaign(NamedTuple):
    """A campaign that tests people, and whether it is over; its images never change."""

    id: int
    name: str
    is_closed: bool


def list_tested(study: Study) -> tuple[BlindCampaign, ...]:
    """The campaigns that test people, the oldest first."""
    return _list_campaigns(study, BLIND)


def list_trained(study: Study) -> tuple[BlindCampaign, ...]:
    """The campaigns that train people, the oldest first."""
    return _list_campaigns(study, TRAINS)


def _list_campaigns(study: Study, word: str) -> tuple[BlindCampaign, ...]:
    """The campaigns whose settings have a word."""
    columns = [campaigns.c[name] for name in ("id", "name", "state", "settings")]
    rows = study.connection.execute(select(*columns).order_by(campaigns.c.id))
    closed = CampaignState.CLOSED.value
    return tuple(BlindCampaign(row.id, row.name, row.state == closed) for row in rows if row.settings.get(word))


def load_tested(study: Study, campaign_ids: Collection[int]) -> HiddenImages:
    """The images of some campaigns, as what is to be hidden."""
    if not campaign_ids:
        return NOTHING_HIDDEN
    is_same = and_(images.c.test_set_id == campaign_images.c.test_set_id, images.c.row == campaign_images.c.row)
    query = select(images.c.image_id, images.c.sha256).join(campaign_images, is_same)
    rows = study.connection.execute(query.where(campaign_images.c.campaign_id.in_(sorted(campaign_ids)))).all()
    digests = frozenset(sha256 for _, sha256 in rows if sha256)
    return HiddenImages(frozenset(image_id for image_id, _ in rows), digests, all(sha256 for _, sha256 in rows))


def load_new_sets(study: Study) -> dict[str, HiddenImages]:
    """All images of each set that a campaign tests people on beside the original set, which it names first."""
    rows = study.connection.execute(select(campaigns.c.settings).order_by(campaigns.c.id))
    names = dict.fromkeys(name for (settings,) in rows if settings.get(BLIND) for name in settings.get("also", ()))
    found = {}
    for name in names:
        query = select(images.c.image_id, images.c.sha256).join(test_sets, test_sets.c.id == images.c.test_set_id)
        known = study.connection.execute(query.where(test_sets.c.name == name)).all()
        digests = frozenset(sha256 for _, sha256 in known if sha256)
        found[name] = HiddenImages(frozenset(one for one, _ in known), digests, all(sha256 for _, sha256 in known))
    return found


def _to_columns(topic: GuideTopic) -> dict[str, int]:
    return {"class_index": topic.class_index, "other_index": topic.other_index}


def _select_versions() -> Select[Any]:
    return select(*(guide_versions.c[name] for name in _VERSION_COLUMNS))


def _select_images(*before: ColumnElement[Any]) -> Select[Any]:
    """Images with what is known of them, after other columns."""
    columns = (images.c.test_set_id, images.c.row, images.c.image_id, test_sets.c.name, images.c.sha256)
    return select(*before, *columns).select_from(images).join(test_sets, test_sets.c.id == images.c.test_set_id)


def _make_version(row: Sequence[Any]) -> GuideVersion:
    number, class_index, other_index, *rest = tuple(row)
    return GuideVersion(number, GuideTopic(class_index, other_index), *rest)


def _make_image(row: Any) -> StudyImage:  # noqa: ANN401 - the end of a row
    test_set_id, number, image_id, test_set, digest = row
    return StudyImage(CampaignImage(test_set_id, number), image_id, test_set, digest or "")
