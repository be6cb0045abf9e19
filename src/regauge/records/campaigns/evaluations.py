"""Campaigns that test people: everybody answers everything, in an order of their own, and learns nothing of it.

What is asked for stands in the settings of a campaign, in words that any kind may use; nothing asks which kind it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

OWN_ORDER = "own_order"
"""Where the settings say that everybody gets the tasks in an order of their own, and how many positions there are to order."""
BLIND = "blind"
"""Where they say that people are tested: they see no link to the web, no feedback and, afterwards, not what they answered."""
OWN_DATA = "shows_own_data"
"""Where they say that people who were tested may see what they answered by now."""
HIDES_TESTED = "hides_tested"
"""Where they say that people must meet no image, and no exact copy of one, that anybody is tested with."""
GUIDE_VERSION = "guide_version"
"""Where they say at which version people read the labeling guide; the latest where they do not."""
TRAINS = "trains"
"""Where they say that people are trained: told after each answer what is right."""
REQUESTS = "requests"
"""Where they say which classes people of a training asked for more of, by their numbers."""
_EARLIER_REQUESTS = "wishes"
"""What studies of versions before this one call it."""
GROUP_REVIEW = "group_review"
"""Where they say that people of a training may look at everybody's answers together, image by image."""
PSEUDONYM = "person-{number}"
"""What somebody is called outside of a study unless the manager gives a name: it tells nothing of them, and stays the same."""
PARTICIPANTS_OF = "participants_of"
"""Where they say which participants were made of whom, by their numbers."""


def is_blind(settings: Mapping[str, Any]) -> bool:
    """Whether people are tested: the images are to be new to them."""
    return bool(settings.get(BLIND))


def trains(settings: Mapping[str, Any]) -> bool:
    """Whether people are trained."""
    return bool(settings.get(TRAINS))


def withholds(settings: Mapping[str, Any]) -> bool:
    """Whether people may not see what they answered: seeing it would make them remember it when they are tested again."""
    return is_blind(settings) and not settings.get(OWN_DATA)


def get_requests(settings: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """Which classes people of a training asked for more of, by their numbers; nobody asked for any where nothing is said.

    >>> get_requests({"wishes": {"7": ["cat"]}})
    {'7': ['cat']}
    """
    found: Mapping[str, Sequence[str]] = settings.get(REQUESTS, settings.get(_EARLIER_REQUESTS, {}))
    return found


def set_requests(settings: Mapping[str, Any], requests: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The settings with other requests, by the word that holds from now on."""
    return {**{word: said for word, said in settings.items() if word != _EARLIER_REQUESTS}, REQUESTS: dict(requests)}
