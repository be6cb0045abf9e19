"""What reviewers and managers say to each other about the images of a campaign: threads of comments."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewComment:
    """What somebody writes.

    Attributes:
        number: the image's number in the campaign.
        text: what they write.
        class_index: the class of the image that it is about; None where it is about the image.
        thread_id: the thread that it is added to; None where it begins one.
        task_id: the task that a reviewer has before them; None where a manager writes.
        client_id: what the page calls it: sent again, it is written once. Empty where nothing is sent again.
        returned_to: whose answer to the task is returned with it; None where none is.
    """

    number: int
    text: str
    class_index: int | None = None
    thread_id: int | None = None
    task_id: int | None = None
    client_id: str = ""
    returned_to: int | None = None


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """A comment of a thread: who wrote it, in which role, before which task, what and when; an erased one has no text."""

    id: int
    annotator_id: int
    annotator: str
    is_manager: bool
    task_id: int | None
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class CommentThread:
    """Comments about an image, the oldest first.

    Attributes:
        id: the number of the first.
        number: the image's number in the campaign.
        class_index: the class that it is about; None where it is about the image.
        resolved_at: since when nothing is open in it; None where something is.
        returned_to: whose answer was returned with it, by their number: it is between them and the managers; None otherwise.
        comments: at least one.
    """

    id: int
    number: int
    class_index: int | None
    resolved_at: str | None
    returned_to: int | None
    comments: tuple[ReviewComment, ...]

    @property
    def began_by(self) -> int:
        """Who wrote the first comment, by their number."""
        return self.comments[0].annotator_id
