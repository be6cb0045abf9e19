"""Two participants on the same images: Tango's limits of the difference of their accuracies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri
from scripts.interval_cases.cases import Case, Found, count_covered

from regauge.stats.paired import tango

SIZES = (10, 20, 50, 200, 1_000)
WORLDS = {"alike": 0.5, "one better": 0.7, "one never worse": 1.0}
"""The share of the discordant images that only the first gets right."""


def _simulate(n: int, discordant: float, part: float, rng: np.random.Generator, n_studies: int) -> Found:
    shares = [discordant * part, discordant * (1 - part), 1 - discordant]
    first, second, _ = rng.multinomial(n, shares, size=n_studies).T
    difference = shares[0] - shares[1]
    sd = np.sqrt((discordant - difference**2) / n)
    return count_covered(tango(first, second, n=n), difference, oracle_width=float(2 * ndtri(0.975) * sd))


def _list_cases() -> Iterator[Case]:
    for n in SIZES:
        for layout, shares in (("few discordant", (0.5 / n, 1 / n, 3 / n)), ("many discordant", (0.2, 0.5))):
            for discordant in shares:
                for world, part in WORLDS.items():

                    def simulate(
                        rng: np.random.Generator,
                        n_studies: int,
                        n: int = n,
                        discordant: float = discordant,
                        part: float = part,
                    ) -> Found:
                        return _simulate(n, discordant, part, rng, n_studies)

                    yield Case("paired difference", f"{n:,} images, {layout}; {discordant:.2g}, {world}", n, simulate)


CASES = tuple(_list_cases())
