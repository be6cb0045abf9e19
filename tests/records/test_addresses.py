"""Which links a page may offer."""

from __future__ import annotations

import pytest

from regauge.records.addresses import MAX_LINK, is_web_address


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "//example.org",
        "https:///a",
        "https://ann@example.org",
        "https://example.org:port",
        "https://example.org/a b",
        "https://example.org/\u202e",
        # A browser goes to evil.example here.
        "https://evil.example\\.example.org",
        "https://example.org/" + MAX_LINK * "a",
    ],
)
def test_whatever_may_lead_elsewhere_than_it_seems_is_no_web_address(text):
    assert not is_web_address(text)


@pytest.mark.parametrize("text", ["http://example.org", "https://example.org:8080/a?b=c#d", "https://[::1]/"])
def test_a_whole_address_of_the_web_is_one(text):
    assert is_web_address(text)
