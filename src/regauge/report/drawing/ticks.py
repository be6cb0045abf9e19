"""Where an axis of shares has its ticks."""

from __future__ import annotations

STEPS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)


def find_share_ticks(domain: tuple[float, float], n: float) -> list[float]:
    """Round shares from 0 to 1 inside the domain, about n of them at most.

    >>> find_share_ticks((0.63, 0.92), 6)
    [0.65, 0.7, 0.75, 0.8, 0.85, 0.9]
    """
    low, high = max(domain[0], 0.0), min(domain[1], 1.0)
    step = next((one for one in STEPS if (high - low) <= max(n, 2) * one), STEPS[-1])
    return list_multiples(step, (low, high))


def list_multiples(step: float, domain: tuple[float, float] = (0.0, 1.0)) -> list[float]:
    """The multiples of a step inside the domain."""
    n = round(1 / step)
    return [place / n for place in range(n + 1) if domain[0] <= place / n <= domain[1]]
