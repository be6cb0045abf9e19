"""What every kind of task offers, and the table of kinds.

To add a kind, write a module with a `TaskKind`, list it here, and give it a template and a script in `server/`; storage,
assignment, leases, answers, exports and progress are the same for all.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from typing import Any, Protocol

from regauge.campaigns import classify_fields, contains_fields
from regauge.campaigns.classify import ClassifyKind
from regauge.campaigns.contains import ContainsKind
from regauge.campaigns.fields import KindFields
from regauge.records.campaigns import Kind, Payload
from regauge.records.taxonomy import Taxonomy


class TaskKind(Protocol):
    """One kind of task."""

    def list_images(self, task: Payload) -> list[int]:
        """The images of a task in display order, by their number in the campaign."""
        ...

    def view(self, task: Payload, *, taxonomy: Taxonomy, order: int) -> Mapping[str, Any]:
        """What a page needs to show the task, and nothing that an annotator must not know.

        Args:
            task: the task.
            taxonomy: the classes.
            order: a number that decides any shuffling, the same whenever one annotator sees the task.
        """
        ...

    def parse(self, task: Payload, answer: Payload) -> Payload:
        """The answer in its one canonical form.

        Raises:
            InputError: it does not answer the task.
        """
        ...

    def find_not_shown(self, task: Payload, answer: Payload) -> list[int]:
        """The images that a parsed answer says were not shown, by their number in the campaign."""
        ...

    def is_unseen(self, task: Payload, answer: Payload) -> bool:
        """Whether a parsed answer that is no report says nothing of what the task asks, as nothing of that was shown."""
        ...

    def remove_images(self, task: Payload, images: Collection[int]) -> Payload | None:
        """The task without some images; None where nothing is left to ask."""
        ...

    def arrange(self, answer: Payload, *, task: Payload, order: int) -> Payload:
        """A parsed answer in the order in which the annotator saw the task, by the number that `view` got."""
        ...

    def is_right(self, task: Payload, answer: Payload) -> bool:
        """Whether a parsed answer to a question of a quiz is right."""
        ...

    def shuffle(self, task: Payload, *, order: int) -> Payload:
        """The same task in another order, to ask it once more."""
        ...

    def align(self, answer: Payload, *, given_to: Payload, task: Payload) -> Payload:
        """The answer that was given to a shuffled task, as an answer to the task itself."""
        ...


KINDS: Mapping[Kind, TaskKind] = {Kind.CONTAINS: ContainsKind(), Kind.CLASSIFY: ClassifyKind()}
"""Every kind of task."""
FIELDS: Mapping[Kind, KindFields] = {one.kind: one for one in (contains_fields.FIELDS, classify_fields.FIELDS)}
"""What can be set of the campaigns of each kind."""


def find_order(shown_id: str) -> int:
    """The number that decides any shuffling of a task, by the id under which somebody sees it."""
    return zlib.crc32(shown_id.encode())
