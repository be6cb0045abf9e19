"""The final review after people were tested: what can be set of it, and how the record of a campaign tells which way it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from regauge.estimates import count_things
from regauge.fields import Checkbox, Field, KnownName

FINAL_REVIEW = Field(
    "final_review",
    "Final review after",
    KnownName("campaign", nothing="no evaluation"),
    "Judge what people answered in this evaluation, mixed with randomly drawn answers of models; nobody judges their own.",
    "",
    option="--final-review",
    metavar="CAMPAIGN",
)
ALLOW_OWN = Field(
    "allow_own",
    "People may judge their own answers",
    Checkbox(),
    "In a final review everybody may judge everything, as in the paper that introduced it.",
    default=False,
    option="--allow-own",
)


def tell_final_review(settings: Mapping[str, Any]) -> Iterator[str]:
    """Whose answers a final review judges among what, and who judges them; nothing of other campaigns."""
    kept = settings.get(FINAL_REVIEW.name)
    if not kept:
        return
    n_both = kept["n_shared"]
    yield (
        f"Final review of {kept['campaign']}: {count_things(kept['n_given'], 'label')} that people gave and "
        f"{count_things(kept['n_drawn'], 'randomly drawn answer')} of models, one for each image, in which {n_both:,} "
        f"{'is' if n_both == 1 else 'are'} both; nobody is told which is which."
    )
    if kept["n_unmixed"]:
        yield f"{count_things(kept['n_unmixed'], 'image')} without an answer of a model: only people's are judged there."
    if kept["n_left_out"]:
        yield f"{count_things(kept['n_left_out'], 'image')} left out that the label set calls problematic."
    yield _tell_way(kept)


def _tell_way(kept: Mapping[str, Any]) -> str:
    """Whether people judge what they gave."""
    if kept["allows_own"]:
        return "People may judge their own answers, as in Shankar et al. (2020)."
    n_own, n_needed = kept["n_own"], kept["n_needed"]
    if not n_own:
        return "Nobody judges a label that they gave."
    return (
        f"Nobody judges a label that they gave, but for {count_things(n_own, 'label')} that so many gave that fewer than "
        f"{n_needed:,} others are left: anybody may judge {'it' if n_own == 1 else 'these'}."
    )
