"""How well what a page shows stands out: WCAG 2.2, success criteria 1.4.3 and 1.4.11, as a browser paints it."""

from __future__ import annotations

from playwright.sync_api import Frame, Page

MEASURE = """() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const brush = canvas.getContext('2d', { willReadFrequently: true });
  // A canvas understands every way to write a colour; what it gives back is numbers.
  const read = (text) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = text;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
    return { rgb: [red, green, blue], alpha: alpha / 255 };
  };
  const lay = (over, alpha, under) => over.map((part, place) => alpha * part + (1 - alpha) * under[place]);
  const paper = read(getComputedStyle(document.documentElement).getPropertyValue('--paper')).rgb;
  const behind = (e) => {
    if (!e) return paper;
    const { rgb, alpha } = read(getComputedStyle(e).backgroundColor);
    return alpha === 1 ? rgb : lay(rgb, alpha, behind(e.parentElement));
  };
  const fade = (e) => (e ? Number(getComputedStyle(e).opacity) * fade(e.parentElement) : 1);
  const light = (rgb) => {
    const bend = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = rgb.map((part) => bend(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const isShown = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && e.getClientRects().length > 0;
  const isOff = (e) => e.closest(':disabled, .hidden') !== null;
  const name = (e) => `${e.localName}#${e.id}.${e.className}`;
  const faint = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !isShown(e) || isOff(e) || e.closest('option, noscript')) continue;
    const style = getComputedStyle(e);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const under = behind(e);
    const { rgb, alpha } = read(style.color);
    const found = contrast(lay(rgb, alpha * fade(e), under), under);
    if (found < least) faint.push(`${found.toFixed(2)} ${name(e)}: ${texts.currentNode.data.trim().slice(0, 30)}`);
  }
  const controls = 'button, .button, select, textarea, input:not([type=checkbox], [type=radio], [type=file])';
  for (const e of document.querySelectorAll(controls)) {
    const style = getComputedStyle(e);
    // Without an edge it is told by its words, as a link is.
    const hasEdge = parseFloat(style.borderTopWidth) > 0 && read(style.borderTopColor).alpha > 0;
    if (!isShown(e) || isOff(e) || !hasEdge) continue;
    const around = behind(e.parentElement);
    const found = Math.max(contrast(read(style.borderTopColor).rgb, around), contrast(behind(e), around));
    if (found < 3) faint.push(`${found.toFixed(2)} border of ${name(e)}`);
  }
  return [...new Set(faint)];
}"""
"""Text below 4.5 : 1, large text below 3 : 1, and controls whose edge is below 3 : 1; what is switched off does not count."""


def list_faint(page: Page | Frame) -> list[str]:
    """What cannot be told well from what lies behind it, in light and in dark."""
    whole = page.page if isinstance(page, Frame) else page
    faint = []
    for scheme in ("dark", "light"):
        whole.emulate_media(color_scheme=scheme)
        faint += [f"{scheme}: {one}" for one in page.evaluate(MEASURE)]
    return faint
