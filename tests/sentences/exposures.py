"""What is said of who has seen which images, and of what that changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tests.sentences.campaign_commands import in_pictured
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.campaign_studies import N_CLASSES, N_IMAGES

from regauge.estimates import make_share
from regauge.records.exposure.effects import (
    ExposedLabeler,
    ExposedScore,
    ExposureEffect,
    ExposureSplit,
)
from regauge.workflows.demo.people import tell_exposed
from regauge.workflows.exposure.effects import ParticipantSeen, _note, describe_seen_before
from regauge.workflows.exposure.washouts import CampaignExposure, SeenBefore, describe_exposure

DONE = "It says what was done."
DECLARE = "exposure declare annotator-0001 --since 2020-01-01 --why author"
SEEN = SeenBefore("ann", 40, 40, "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", ("reviewer",))
EXAM = CampaignExposure("exam", True, 180, False, 2_000, 5, (SEEN,))
OLD = replace(EXAM, people=(replace(SEEN, n_recent=0),))
LABELER = ExposedLabeler("ann", "ann", "2026-06-01", 10, 0, "", "", make_share(9, 10, limits=(0.5, 1), method="x"))
EXPOSED = replace(LABELER, labeler="ben", person="ben", n_exposed=3)


def told(found: CampaignExposure) -> Maker:
    return lambda _: [*describe_exposure(found), "(end)"]


def noted(*labelers: ExposedLabeler) -> Maker:
    return lambda _: [*_note(labelers), "(end)"]


def seen(*, n_seen: int = 0, is_known: bool = True) -> Maker:
    one = ParticipantSeen("ann", 10, n_seen, ("reviewer",), is_known)
    return lambda _: [*describe_seen_before("exam", [one]), "(end)"]


def measured(folder: Path) -> str | Iterable[object]:
    """The effect of exposure on two people."""
    (folder / "net.csv").write_text(
        "image_id,class\n" + "".join(f"i{number},{number % N_CLASSES}\n" for number in range(N_IMAGES))
    )
    return in_pictured(f"predictions add {folder / 'net.csv'}", "exposure effect --participant net")(folder)


MANY = replace(EXAM, people=tuple(replace(SEEN, person=f"p{number}") for number in range(12)))

EFFECT = ExposureEffect(
    "exam",
    "top1",
    "dataset",
    (LABELER, EXPOSED),
    tuple(
        ExposedScore(ExposureSplit.WITHIN, "ben", is_exposed, 1, make_share(9, 10, limits=(0.5, 1), method="x"))
        for is_exposed in (False, True)
    ),
    (),
)

ENTRIES: Entries = {
    "workflows/demo/people.py:tell_exposed: … on …: … of the images seen": Pair(
        lambda _: [*tell_exposed(EFFECT), "(end)"],
        lambda _: [*tell_exposed(replace(EFFECT, labelers=(LABELER,))), "(end)"],
    ),
    "workflows/exposure/washouts.py:describe_exposure: … has seen … of the … images": Pair(told(EXAM), told(OLD)),
    "workflows/exposure/washouts.py:describe_exposure: … seen some of them, too.": Pair(told(MANY), told(EXAM)),
    "workflows/exposure/washouts.py:describe_exposure: The washout of … days only warns: they": Pair(
        told(replace(EXAM, warns=True)), told(EXAM)
    ),
    "workflows/exposure/washouts.py:describe_exposure: The washout of … days keeps these images": Pair(
        told(EXAM), told(replace(EXAM, warns=True))
    ),
    "workflows/exposure/washouts.py:describe_exposure: Nothing keeps these images from them; `washout=180d` would.": Pair(
        told(replace(EXAM, washout_days=0)), told(EXAM)
    ),
    "workflows/exposure/washouts.py:describe_exposure: No image of … was seen before by": Pair(
        told(replace(EXAM, people=())), told(OLD)
    ),
    "workflows/exposure/washouts.py:describe_exposure: All that … saw of the images of": Pair(told(OLD), told(EXAM)),
    "workflows/exposure/effects.py:describe_seen_before: … had already seen … of the …": Pair(seen(n_seen=3), seen()),
    "workflows/exposure/effects.py:describe_seen_before: No image of … that they answered was": Pair(
        seen(), seen(n_seen=3)
    ),
    "workflows/exposure/effects.py:describe_seen_before: Nobody knows which images of … were shown": Pair(
        seen(is_known=False), seen()
    ),
    "workflows/exposure/effects.py:_note: … knows images from outside the study: …": Pair(
        noted(replace(EXPOSED, why=("wrote the paper",))), noted(EXPOSED)
    ),
    "workflows/exposure/effects.py:_note: … no annotator of the study, so nothing": Pair(
        noted(replace(LABELER, person="")), noted(LABELER)
    ),
    "workflows/exposure/effects.py:_note: None of them had seen an image before,": Pair(
        noted(LABELER), noted(LABELER, EXPOSED)
    ),
    "workflows/exposure/effects.py:_note: All of them had seen images before, so": Pair(
        noted(EXPOSED), noted(LABELER, EXPOSED)
    ),
    "cli/exposure/effects.py:_print_tables: … on … by the labels …. Intervals:": Always(
        "It names the metric, the set, the labels and the methods.", measured
    ),
    "cli/exposure/exposure.py:list_: … seen … of the … images of": Always("It counts.", in_pictured("exposure list")),
    "cli/exposure/exposure.py:retract: Declaration … on … was retracted.": Always(
        DONE, in_pictured(DECLARE, "exposure retract 1")
    ),
    "cli/exposure/exposure.py:separate_: … is a person of its own again.": Always(
        DONE,
        in_pictured("exposure alias annotator-0001 annotator-0002", "exposure separate annotator-0002"),
    ),
}
