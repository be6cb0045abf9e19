"""What a study that was made of a bundle or a backup brings along: who could come in, its id, and where its images are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from regauge.estimates import count_things
from regauge.records.campaigns.campaign import MANAGER
from regauge.storage.campaigns.assignments import end_all_leases
from regauge.storage.campaigns.campaign import close_platforms
from regauge.storage.people import annotators as rows
from regauge.storage.settings import StudySettings
from regauge.storage.study import Circumstances, Study
from regauge.storage.testsets.test_set import list_image_sets, load_places


@dataclass(frozen=True, slots=True)
class VoidedAccess:
    """What no longer lets anybody in.

    Attributes:
        n_links: personal links.
        n_people: people whose sessions have ended, whether or not they had any.
        n_roles: people who could do more than an annotator.
        n_doors: campaigns that took people from Prolific or Mechanical Turk: whoever knows such an address comes in.
    """

    n_links: int
    n_people: int
    n_roles: int
    n_doors: int = 0


@dataclass(frozen=True, slots=True)
class ImportedStudy:
    """The new study, open; the checksum of the bundle; what the reader should know; and what access was voided, if any."""

    study: Study
    sha256: str
    notes: tuple[str, ...]
    voided: VoidedAccess | None = None


def void_access(study: Study) -> VoidedAccess:
    """Let nobody in any more who could come in before; answers and all else stay.

    Managers become annotators without a link. Whoever is called `manager` stays what that name is for, without a link: as in a
    new study, that is whoever runs the server next. Tasks that people keep go to others, and the doors for people from platforms
    are closed, also to those whom the original never knew: they would be shown images of this machine.
    """
    end_all_leases(study)
    return VoidedAccess(*rows.void_access(study, manager=MANAGER), n_doors=close_platforms(study))


def name_copy(original: StudySettings, around: Circumstances) -> StudySettings:
    """The settings with an id of their own; it is not that of the original, whatever the random generator gives."""
    own = hashlib.sha256(original.study_id.encode() + around.rng.bytes(16)).hexdigest()
    return replace(original, study_id=own[: len(original.study_id)])


def list_voided(voided: VoidedAccess | None) -> tuple[str, ...]:
    """A sentence about the access that was voided; none where nothing was."""
    said = "" if voided is None else describe_voided(voided)
    return (said,) if said else ()


def find_absent_images(study: Study) -> Iterator[str]:
    """A sentence about every test set whose images are not where they were."""
    for entry in list_image_sets(study):
        if not Path(entry.root).is_dir() and any(place.path for place in load_places(study, entry)):
            yield (
                f"The images of {entry.name} are not at {entry.root}; where you have them, say so with: "
                f"regauge testset relocate {quote(entry.name)} DIR."
            )


def describe_voided(voided: VoidedAccess) -> str:
    """What was voided and what to do next, in words; empty where there was nothing."""
    return " ".join(filter(None, (_describe_people(voided), _describe_doors(voided))))


def _describe_people(voided: VoidedAccess) -> str:
    if not voided.n_people:
        return ""
    return (
        f"Of the original study, {count_things(voided.n_links, 'personal link')}, the sessions of "
        f"{count_things(voided.n_people, 'person', many='people')} and {count_things(voided.n_roles, 'role')} of "
        "manager are void here. Next: "
        "regauge serve lets you in as the manager, and regauge annotators renew NAME gives somebody a new link. To keep all of "
        "them, make the study again with `keeps_access=True`, if you know who has them."
    )


def _describe_doors(voided: VoidedAccess) -> str:
    if not voided.n_doors:
        return ""
    return (
        f"{count_things(voided.n_doors, 'campaign')} of the original took people from Prolific or Mechanical "
        "Turk, and here none does: "
        "regauge campaign publish lets them in again, and so does `keeps_access=True`."
    )
