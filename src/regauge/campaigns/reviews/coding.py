"""Coding of what a participant still gets wrong: what can be set of it, and where a campaign keeps what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regauge.fields import Field, FileValue, Names

CATEGORIES = Field(
    "categories",
    "Categories",
    FileValue(".json,.csv,application/json,text/csv"),
    "The study's own list of categories with what each means: JSON, or CSV name,definition.",
    "",
    option="--categories",
    metavar="FILE",
    usual="the standard list",
)
"""In the settings of a campaign: a name and a definition each."""
CODERS = Field(
    "coders",
    "Coders",
    Names(),
    "Who codes: two or more of them code everything, and then talk about what they disagree on.",
    (),
    option="--coders",
    metavar="NAME",
    usual="everybody",
)
TAKEN_OVER = "taken_over"
"""What the mistakes that other codings decided are called: a document of the campaign, and in its settings how many each gave."""
N_MISTAKES = "n_mistakes"
"""Where the settings of a campaign say how many mistakes are to be coded, those taken over among them."""
NAMED = "named_pairs"
"""The images and answers that a file named, by whose they are: a document of the campaign; none where all mistakes are coded."""
N_NAMED, N_ACCEPTED = "n_named", "n_accepted"
"""Where the settings of a campaign say how many pairs a file named, and how many of them the label set accepts or leaves out."""


def are_discussed(settings: Mapping[str, Any]) -> bool:
    """Whether coders talk about what they disagree on: where several are named, by what is asked for."""
    return len(set(settings.get(CODERS.name) or ())) > 1
