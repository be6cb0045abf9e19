"""How numbers read in documents: with a true minus sign, and limits in brackets."""

from __future__ import annotations


def format_number(value: float, *, decimals: int = 1, sign: bool = False) -> str:
    """The number with so many decimals.

    >>> format_number(-1.84), format_number(1.84, sign=True), format_number(0.0, sign=True)
    ('−1.8', '+1.8', '0.0')
    """
    text = f"{abs(value):.{decimals}f}"
    if not float(text):
        return text
    return ("−" if value < 0 else "+" if sign else "") + text


def format_limits(
    value: float, limits: tuple[float | None, float | None], *, scale: int = 1, decimals: int = 1, sign: bool = False
) -> str:
    """The number and its limits, times a scale such as 100 for points; without limits the number alone.

    >>> format_limits(-1.84, (-4.9, 0.21)), format_limits(0.5, (0.25, 0.75), scale=100)
    ('−1.8 [−4.9, 0.2]', '50.0 [25.0, 75.0]')
    """
    low, high = limits
    text = format_number(scale * value, decimals=decimals, sign=sign)
    if low is None or high is None:
        return text
    ends = [format_number(scale * end, decimals=decimals, sign=sign) for end in (low, high)]
    return f"{text} [{', '.join(ends)}]"
