"""Fish told apart by how deep their body and how tall their fins are; butterflies and moths by wings and body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.world.forms import Form, FormKind, Look
from regauge.world.surfaces import Colour, Patch, Raster, Surface, cover, dome, noise, paint, pick, step

SCALES: tuple[Colour, ...] = ((0.95, 0.50, 0.14), (0.93, 0.36, 0.18), (0.95, 0.66, 0.26))
SILVERS: tuple[Colour, ...] = ((0.90, 0.86, 0.66), (0.82, 0.86, 0.88), (0.94, 0.82, 0.46))
BRIGHTS: tuple[Colour, ...] = ((0.93, 0.54, 0.14), (0.24, 0.50, 0.78), (0.90, 0.80, 0.36), (0.62, 0.34, 0.60))
DUSTS: tuple[Colour, ...] = ((0.66, 0.56, 0.44), (0.56, 0.52, 0.48), (0.74, 0.66, 0.52))
DARK: Colour = (0.13, 0.11, 0.12)


@dataclass(frozen=True, slots=True)
class Fish(Form):
    """A fish from the side.

    Attributes:
        depth: half the height of its body.
        fins: how tall its fins are.
        stripes: how strong its dark bars are.
    """

    depth: float
    fins: float
    stripes: float


@dataclass(frozen=True, slots=True)
class Winged(Form):
    """An insect with spread wings.

    Attributes:
        bright: how bright its wings are.
        stout: how thick its body is.
        spread: how high its forewings are held.
    """

    bright: float
    stout: float
    spread: float


FISH_PROTOTYPES = {
    "goldfish": Fish(depth=0.40, fins=0.30, stripes=0.0),
    "angelfish": Fish(depth=0.68, fins=1.0, stripes=1.0),
}
WINGED_PROTOTYPES = {
    "butterfly": Winged(bright=1.0, stout=0.1, spread=1.0),
    "moth": Winged(bright=0.0, stout=1.0, spread=0.1),
}


def paint_fish(form: Fish, look: Look, *, patch: Patch) -> Surface:
    """Body, tail, fins, bars and an eye; it looks to the right or, mirrored, to the left."""
    u = patch.u if look.seed % 2 else -patch.u
    depth, fins = float(np.clip(form.depth, 0.2, 0.8)), float(np.clip(form.fins, 0.1, 1.1))
    body = np.hypot((u - 0.12) / 0.78, patch.v / (depth * (1.02 + 0.25 * u)))
    trunk = cover((body - 1) * depth, patch)
    fan = np.maximum(_paint_tail(u, patch, fins=fins), _paint_fins(u, patch, measures=(depth, fins)))
    stripes = float(np.clip(form.stripes, 0, 1))
    base = paint(pick(SCALES, look.tint), pick(SILVERS, look.tint), share=np.float32(stripes))
    scales = 0.5 + 0.5 * np.sin(16 * u) * np.sin(16 * patch.v)
    colour = paint(base, (1.0, 0.95, 0.85), share=0.30 * step(0.1, 0.9, at=patch.v / depth) + 0.10 * scales)
    bars = step(0.25, 0.6, at=np.cos(7.5 * (u - 0.22)))
    colour = paint(colour, DARK, share=0.85 * stripes * bars)
    colour = paint(colour, base * np.float32(0.85), share=fan * (1 - trunk) * 0.8)
    eye = np.hypot(u - 0.60, patch.v + 0.12 * depth)
    colour = paint(
        paint(colour, (0.98, 0.96, 0.9), share=cover(eye - 0.10, patch)), DARK, share=cover(eye - 0.06, patch)
    )
    rays = 0.03 * np.sin(34 * np.arctan2(patch.v, u + 0.3)) * (1 - trunk)
    return Surface(
        np.maximum(trunk, fan), 0.5 * dome(body) + rays, colour * np.float32(0.9 + 0.15 * look.tone), gloss=0.3
    )


def _paint_tail(u: Raster, patch: Patch, *, fins: float) -> Raster:
    back = np.clip(-0.50 - u, 0, None)
    fork = 0.25 * step(0.55, 0.0, at=np.abs(patch.v))
    reach = np.abs(patch.v) - 0.08 - (0.80 + 0.25 * fins) * back
    return cover(np.maximum(np.maximum(reach, u + 0.45), -1.15 + fork - u), patch)


def _paint_fins(u: Raster, patch: Patch, *, measures: tuple[float, float]) -> Raster:
    """Fins above and below that taper backwards; tall in an angelfish."""
    depth, fins = measures
    tall = depth + 0.12 + 0.42 * fins
    share = np.clip(np.abs(patch.v) / tall, 0, 1)
    middle = 0.10 - (0.30 + 0.55 * fins) * share
    reach = np.abs(u - middle) - (0.34 + 0.12 * fins) * (1 - share)
    lower = np.where(patch.v < 0, np.float32(0), np.float32(0.35 * (1 - min(fins, 1))))
    return cover(np.maximum(reach + lower, np.abs(patch.v) - tall) * 0.8, patch)


def paint_winged(form: Winged, look: Look, *, patch: Patch) -> Surface:
    """Four wings with margins and eyespots, a body and feelers."""
    bright, stout = float(np.clip(form.bright, 0, 1)), float(np.clip(form.stout, 0, 1))
    spread = float(np.clip(form.spread, 0, 1))
    side = np.abs(patch.u)
    fore = _paint_wing(side, patch.v, lobe=(0.52, -0.18 - 0.30 * spread, 0.62, 0.34), turn=-0.30 - 0.5 * spread)
    hind = _paint_wing(side, patch.v, lobe=(0.36, 0.30 + 0.12 * spread, 0.46, 0.30), turn=0.55 + 0.2 * spread)
    wing = np.minimum(fore, hind)
    wings = cover(wing * 0.35, patch)
    mottle = noise(patch.u.shape, 18, seed=look.seed)
    veins = 0.5 + 0.5 * np.sin(22 * np.arctan2(patch.v + 0.1, side + 0.05))
    base = paint(pick(DUSTS, look.tint), pick(BRIGHTS, look.tint), share=np.float32(bright))
    colour = paint(base, (0.35, 0.28, 0.22), share=np.clip(0.35 * mottle * (1 - bright) + 0.12 * veins, 0, 1))
    colour = paint(colour, DARK, share=(0.30 + 0.6 * bright) * step(-0.28, -0.12, at=wing))
    spot = (
        np.minimum(np.hypot(side - 0.62, patch.v + 0.30 + 0.25 * spread), np.hypot(side - 0.45, patch.v - 0.42)) - 0.085
    )
    colour = paint(colour, (0.96, 0.92, 0.82), share=0.85 * cover(spot, patch))
    body = np.hypot(patch.u / (0.07 + 0.12 * stout), (patch.v - 0.05) / (0.52 - 0.05 * stout))
    trunk = cover((body - 1) * 0.1, patch)
    colour = paint(colour, paint(DARK, pick(DUSTS, look.tone), share=np.float32(0.8 * stout)), share=trunk)
    feelers = _paint_feelers(side, patch, stout=stout)
    colour = paint(colour, DARK, share=feelers * (1 - wings))
    alpha = np.maximum(np.maximum(wings, trunk), feelers)
    height = 0.25 * dome(np.clip(body, 0, 1)) + 0.10 * side + 0.02 * veins
    return Surface(alpha, height.astype(np.float32), colour * np.float32(0.9 + 0.15 * look.tone), gloss=0.08)


def _paint_wing(side: Raster, v: Raster, *, lobe: tuple[float, float, float, float], turn: float) -> Raster:
    """How far outside a turned ellipse each pixel is: −1 at its middle, 0 on its edge."""
    centre, down, long, wide = lobe
    c, s = np.float32(np.cos(turn)), np.float32(np.sin(turn))
    along, across = (side - centre) * c + (v - down) * s, (v - down) * c - (side - centre) * s
    return np.hypot(along / long, across / (wide * (1 + 0.35 * along / long))) - 1


def _paint_feelers(side: Raster, patch: Patch, *, stout: float) -> Raster:
    line = np.abs(side - 0.05 - 0.35 * np.clip(-patch.v - 0.42, 0, 1)) - 0.018 - 0.03 * stout
    return np.where((patch.v < -0.42) & (patch.v > -0.95), cover(line, patch), np.float32(0))


FISHES = FormKind(Fish, FISH_PROTOTYPES, units=(0.48, 1.2, 1.7), paint=paint_fish, tilt=0.35)
INSECTS = FormKind(Winged, WINGED_PROTOTYPES, units=(1.6, 1.8, 1.8), paint=paint_winged, tilt=0.7)
