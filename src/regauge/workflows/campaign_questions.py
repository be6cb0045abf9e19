"""Which images and pairs a campaign asks about; of a pool, those that can still be taken."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regauge.campaigns.sources import OpenedSet
from regauge.errors import InputError
from regauge.records.studies import TestSetRole
from regauge.storage.pools import find_excluded
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, load_places, load_test_set

LEFT_OUT = "n_left_out"
"""Where the settings of a campaign say how many candidates it leaves out, because they are excluded or have no file."""

MAX_SEED = 2**32 - 1


def draw_seed() -> int:
    """A seed that nobody can guess: with it and the files one could make the same tasks, and see which cells are controls."""
    return secrets.randbelow(MAX_SEED + 1)


@dataclass(frozen=True, slots=True)
class Questions:
    """Which images to ask about, and what with.

    Attributes:
        test_set: the images; the only test set unless given.
        pairs: image ids with classes; unless given, every image with its dataset label, except for candidates that are excluded
            from the pool or have no file.
        controls: the test set whose dataset labels are believed, for controls, examples and quiz; that of the images unless
            given, which a pool cannot be.
        also: further sets whose images are asked about in the same tasks. Selection frequencies of two sets can be compared only
            if the same people judged both, and could not tell them apart (Recht et al. 2019, §4).
        settings: what the kind of task asks for besides.
        seed: decides every random choice; drawn unless given, so that nobody can guess which cells are controls, and kept
            with the campaign.
    """

    test_set: str | None = None
    pairs: Sequence[tuple[str, int]] | None = None
    controls: str | None = None
    also: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = field(default_factory=draw_seed)


def open_images(study: Study, name: str | None) -> OpenedSet:
    """The images of a test set, whose files are all needed, or of a batch of a pool, of which some may still be fetched.

    Raises:
        InputError: there is no such set, or its image files are not at hand.
    """
    entry = get_test_set(study, name)
    is_pool = entry.role is TestSetRole.POOL
    has_file = np.array([bool(place.path) for place in load_places(study, entry)], np.bool_)
    if not (has_file.any() if is_pool else has_file.all()):
        command = "regauge pool add PATH --images DIR" if is_pool else "regauge testset add PATH --images DIR"
        raise InputError(
            f"The image files of {entry.name} are not at hand, so nobody can look at them; add them with: {command}."
        )
    test_set, excluded = load_test_set(study, entry), find_excluded(study, entry) if is_pool else {}
    is_free = has_file & np.array([one not in excluded for one in test_set.image_ids.tolist()], np.bool_)
    return OpenedSet(entry, test_set, has_file, is_free)


def open_known(study: Study, questions: Questions) -> OpenedSet:
    """The images whose labels are taken for known: those that are named, or those that are asked about.

    Raises:
        InputError: only candidates of a pool, whose labels are not known, could be controls, or the image files are not at hand.
    """
    opened = open_images(study, questions.controls or questions.test_set)
    if questions.controls is None and opened.entry.role is TestSetRole.POOL:
        raise InputError(
            f"What the candidates of {opened.entry.name} show is not known yet, so they cannot be controls; name a test set "
            "whose labels are known with --controls."
        )
    return opened
