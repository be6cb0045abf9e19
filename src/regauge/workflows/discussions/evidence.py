"""Pictures as evidence: every one is decoded and written again, and shown to others once round 1 is over."""

from __future__ import annotations

from regauge.campaigns.discussions.words import list_panel
from regauge.errors import FormatError, InputError
from regauge.formats.images.pictures import make_thumbnail
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import NOT_YOURS, AssignmentId
from regauge.storage.campaigns.assignments import find_assignment
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.discussions.pictures import count_pictures, find_picture, insert_picture
from regauge.storage.study import Study
from regauge.workflows.discussions.standing import is_blind

MAX_PICTURES = 20
"""Pictures that one person gives for one item."""
SIDE = 1_600
"""Pixels of the longer side, at most."""
NO_PICTURE = "There is no such picture."


def shrink_picture(content: bytes) -> bytes:
    """A picture as a JPEG file without anything else that was in the file; what it was called or said to be means nothing.

    Raises:
        InputError: it is not a picture that can be opened.
    """
    try:
        return make_thumbnail(content, side=SIDE)
    except FormatError as error:
        raise InputError("This file is not a picture that can be shown: send a JPEG, PNG, GIF or WebP file.") from error


def add_picture(study: Study, assignment_id: AssignmentId, *, annotator_id: int, content: bytes) -> str:
    """Store a picture, made by `shrink_picture`, for an item that somebody was given; returns what it is asked for by.

    Raises:
        InputError: the item is not theirs, its kind takes no pictures, or they gave too many.
    """
    assignment = find_assignment(study, assignment_id)
    if assignment is None or assignment.annotator_id != annotator_id:
        raise InputError(NOT_YOURS)
    campaign = get_campaign(study, assignment.campaign_id)
    if find_kind(study.around.kinds, campaign.kind).discussion is None:
        raise InputError(f"Answers of the kind {campaign.kind} take no pictures; write down what you found.")
    if count_pictures(study, assignment) >= MAX_PICTURES:
        raise InputError(f"You can give {MAX_PICTURES} pictures for one item at most; the last one was not stored.")
    return insert_picture(study, assignment, content)


def load_picture(study: Study, token: str, *, annotator_id: int, is_manager: bool) -> bytes:
    """A picture, for whoever gave it, and, unless everybody still works alone, for the panel and the manager.

    Where nobody is named who discusses it, only the manager sees what others gave.

    Raises:
        InputError: there is none that they may see.
    """
    found = find_picture(study, token)
    if found is None:
        raise InputError(NO_PICTURE)
    if found.annotator_id == annotator_id:
        return found.content
    campaign = get_campaign(study, found.campaign_id)
    is_left = annotator_id in find_dropped(study, campaign)
    may_see = is_manager or (annotator_id in list_panel(campaign.plan.settings) and not is_left)
    if not may_see or is_blind(study, campaign):
        raise InputError(NO_PICTURE)
    return found.content
