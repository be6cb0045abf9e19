"""What the numbers that Vasudevan et al. (2022) print say of each other, without any data.

The paper counts the remaining mistakes of ViT-3B in four ways: 378 (§4, Table 2), 380 (676 − 296, §4.2), 381 (N = 434 less 53,
§4.2) and 382 (Figure 1). What it says of Greedy Soups closes with 380 alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from regauge.estimates import format_estimate, make_share
from regauge.records.reproductions import Basis, ReproducedFigure
from regauge.stats.independence import ChiSquare, chi_square
from regauge.stats.intervals import clopper_pearson
from regauge.workflows.reproduce.checks import Figures

FIGURES = Figures("vasudevan2022")

FOUND, NOVEL, NOVEL_OVERTURNED = 676, 221, 140
"""Apparent mistakes of ViT-3B, those that nobody had judged, and how many of these a panel overturned (§3.1)."""
OVERTURNED = {"§4": 298, "§4.2": 296, "Figure 1": 294}
SOUPS_UNREVIEWED, CORRECTED, NEW, DIFFERENT = 341, 209, 170, 28
SOUPS_OVERTURNED, SOUPS_PROBLEMATIC, SOUPS_CORRECT, SOUPS_LEFT = 92, 10, 82, 249
BOTH_SETS, V2_LEFT = 434, 53
REMAINING = (378, 380, 381, 382)

VIT_CATEGORIES, SOUPS_CATEGORIES = (242, 54, 52, 30), (172, 26, 32, 19)
"""The only whole numbers with the shares that Table 2 prints for 378 and 249 mistakes."""
VIT_EARLIER = (243, 54, 52, 31)
"""The only counts of 380 near those that give the printed statistic."""
VIT_MAJORS, RELEASED_MAJORS, SOUPS_MAJORS = 155, 154, 89

SLICE, SLICE_CATEGORIES = 68, (36, 15, 12, 5)
SLICE_RIGHT = {
    "ViT-3B": 0,
    "the Instagram-pretrained model": 9,
    "Greedy Soups": 19,
    "the zero-shot model": 24,
    "CoCa-FT": 42,
}
"""Right answers on ImageNet-M (§5.1); all but the last helped to choose it."""


def check_counts() -> Iterator[ReproducedFigure]:
    """The way from 676 mistakes to those that remain, which the paper counts in four ways."""
    yield _equal(
        "§3.1: mistakes of ViT-3B after the panel", "536", f"{FOUND - NOVEL_OVERTURNED}", "676 − 140 of 221 novel"
    )
    yield _equal(
        "§4: share of the mistakes that were overturned", "44%", f"{100 * OVERTURNED['§4'] / FOUND:.0f}%", "298 of 676"
    )
    left = [FOUND - OVERTURNED["§4"], FOUND - OVERTURNED["§4.2"], BOTH_SETS - V2_LEFT, FOUND - OVERTURNED["Figure 1"]]
    yield FIGURES.differs(
        "§4, §4.2, §4.2, Figure 1: remaining mistakes of ViT-3B",
        published="378",
        recomputed=" / ".join(map(str, left)),
        basis=Basis.ARITHMETIC,
        note="676 − 298, 676 − 296, 434 − 53 and 676 − 294: Table 2 and the released file have the first, and "
        "what is said of Greedy Soups agrees with the second",
    )


def check_soups() -> Iterator[ReproducedFigure]:
    """What the paper says of Greedy Soups, which closes with 380 mistakes of ViT-3B."""
    vit = FOUND - OVERTURNED["§4.2"]
    others = ", ".join(f"{n} gives {n - CORRECTED + NEW}" for n in REMAINING if n != vit)
    unreviewed, novel = f"{vit - CORRECTED + NEW}", NEW + DIFFERENT
    note = f"380 of ViT-3B − 209 corrected + 170 new; {others}"
    yield _equal("§4.3: Greedy Soups, mistakes before the review", "341", unreviewed, note)
    yield _equal("§4.3: novel predictions of Greedy Soups", "198", f"{novel}", "170 new + 28 common with another")
    overturned = f"{SOUPS_PROBLEMATIC + SOUPS_CORRECT}"
    yield _equal("§4.3: novel predictions that were overturned", "92", overturned, "10 + 82")
    share = f"{100 * SOUPS_OVERTURNED / novel:.1f}%"
    yield _equal("§4.3: share of novel predictions that were overturned", "46.5%", share, "92 of 198")
    left = f"{SOUPS_UNREVIEWED - SOUPS_OVERTURNED}"
    yield _equal("§4.3: Greedy Soups, mistakes after the review", "249", left, "341 − 92")
    yield _equal("§4.3: mistakes of both models, N", "629", f"{vit + SOUPS_LEFT}", "380 + 249")
    printed, released = (_test_severities(*one) for one in ((VIT_MAJORS, vit), (RELEASED_MAJORS, REMAINING[0])))
    note = f"155 of 380 against 89, or 35.7%, of 249; 154 of 378, which were released, give {released}"
    yield _equal("§4.3: from printed counts, χ² of the severities", "1.61, p = .20", printed, note)
    yield _check_categories()


def check_slice() -> Iterator[ReproducedFigure]:
    """ImageNet-M: its categories add up, and what its few images allow to say."""
    yield _equal("§5.1: ImageNet-M, its categories together", "68", f"{sum(SLICE_CATEGORIES)}", "36 + 15 + 12 + 5")
    best = max(list(SLICE_RIGHT.values())[:-1])
    for model, n_right in SLICE_RIGHT.items():
        low, high = map(float, clopper_pearson(n_right, SLICE))
        share = format_estimate(make_share(n_right, SLICE, limits=(low, high), method="clopper-pearson"))
        is_chosen_by = n_right <= best
        found = FIGURES.statement(
            f"§5.1: ImageNet-M, {model}",
            published=f"{n_right} of {SLICE}, "
            + ("more wrong than right" if is_chosen_by else "starting to solve more"),
            recomputed=share,
            holds=high < 0.5 if is_chosen_by else low > best / SLICE,
            note="the 95% Clopper–Pearson interval "
            + (
                "ends below one half"
                if is_chosen_by
                else f"begins above {best} of {SLICE}, the best of those that chose the images"
            ),
        )
        yield replace(found, basis=Basis.ARITHMETIC)


def format_test(test: ChiSquare) -> str:
    """As the paper prints it, without the zero before the point."""
    return f"{test.statistic:.2f}, p = {test.p:.2f}".replace("p = 0.", "p = .")


def _test_severities(n_major: int, n: int) -> str:
    """Majors and minors of ViT-3B against those of Greedy Soups."""
    return format_test(chi_square([[n_major, n - n_major], [SOUPS_MAJORS, SOUPS_LEFT - SOUPS_MAJORS]]))


def _check_categories() -> ReproducedFigure:
    printed, earlier = (chi_square(np.array([one, SOUPS_CATEGORIES])) for one in (VIT_CATEGORIES, VIT_EARLIER))
    return FIGURES.differs(
        "§4.3: from the shares in Table 2, χ² of the categories",
        published="2.41, p = .49",
        recomputed=format_test(printed),
        basis=Basis.ARITHMETIC,
        note=f"they are those of 242, 54, 52 and 30 of 378 and 172, 26, 32 and 19 of 249; 243, 54, 52 and 31 of 380 give "
        f"{format_test(earlier)}",
    )


def _equal(figure: str, published: str, recomputed: str, note: str) -> ReproducedFigure:
    return FIGURES.equal(figure, published=published, recomputed=recomputed, basis=Basis.ARITHMETIC, note=note)
