"""Pictures for the documents are taken when all that they should show is there."""

from __future__ import annotations

from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser
from scripts.make_screenshots import SCREEN, WIDTH, shoot

LATE = """
<body style="margin: 0; background: white"><img style="display: block; width: 100vw; height: 100vh">
<p style="margin-top: 200vh"><img loading="lazy" src="/never"></p></body>
"""
COME = """() => setTimeout(() => {
  const canvas = document.createElement('canvas');
  const brush = canvas.getContext('2d');
  brush.fillStyle = '#008000';
  brush.fillRect(0, 0, canvas.width, canvas.height);
  document.querySelector('img').src = canvas.toDataURL();
}, 500)"""


def test_a_picture_that_comes_late_is_waited_for_and_one_below_the_screen_is_not(browser: Browser, tmp_path: Path):
    page = browser.new_page(viewport=SCREEN)
    page.set_content(LATE)
    page.evaluate(COME)
    shoot(page, tmp_path / "screen.jpg")
    page.close()
    with Image.open(tmp_path / "screen.jpg") as screen:
        assert screen.width == WIDTH
        red, green, blue = screen.convert("RGB").getpixel((screen.width // 2, screen.height // 2))  # type: ignore[misc]
    assert green > max(red, blue) + 60
