"""What all things share: a form whose parameters run on without a break, a look, and how a form is seen as a class.

A *kind* is a space of forms with a prototype for each of its classes. How much a form is one class or another depends
on how near it lies to their prototypes, so a form half-way between two is half of each: that is where people disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from regauge.arrays import FloatArray
from regauge.world.surfaces import Patch, Surface

SHARPNESS = 2.2
"""How fast a class gives way to the next: at its own prototype, one unit from the next, a form is 90% its class."""


@dataclass(frozen=True, slots=True)
class Form:
    """Base of the forms: every field is a number that says one thing about the shape, about 0 to 1."""

    def to_vector(self) -> FloatArray:
        """The parameters in the order of the fields."""
        return np.array([getattr(self, field.name) for field in fields(self)], np.float64)


@dataclass(frozen=True, slots=True)
class Look:
    """What does not make a thing another class.

    Attributes:
        tint: place in the palette of its kind, 0 to 1.
        tone: lightness, 0 to 1.
        seed: which of the endless textures of its kind it has.
    """

    tint: float
    tone: float
    seed: int


class Paint(Protocol):
    """What a form with a look looks like on a patch. The form is of the kind that the drawing belongs to."""

    def __call__(self, form: Any, look: Look, *, patch: Patch) -> Surface:  # noqa: ANN401 - each kind has its own form
        """The surface, still without light."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class FormKind:
    """A space of forms.

    Attributes:
        form: the type of its forms.
        prototypes: the typical form of each class, by class id.
        units: for every parameter, the difference that counts as one unit of distance.
        paint: what a form looks like.
        tilt: how far things of this kind are usually turned, in radians.
    """

    form: type[Form]
    prototypes: Mapping[str, Form]
    units: tuple[float, ...]
    paint: Paint
    tilt: float


def make_form(kind: FormKind, vector: FloatArray) -> Form:
    """The form with these parameters."""
    return kind.form(*vector.tolist())


def measure_degrees(kind: FormKind, form: Form) -> dict[str, float]:
    """How much the form is each class of its kind: shares that add up to 1, by distance to the prototypes.

    A softmax of squared distances, because on the straight way from one prototype to another the odds of the two
    classes then fall monotonically and cross exactly half-way.
    """
    vector, units = form.to_vector(), np.array(kind.units)
    prototypes = np.stack([prototype.to_vector() for prototype in kind.prototypes.values()])
    distances = (((vector - prototypes) / units) ** 2).sum(axis=1)
    weights = np.exp(SHARPNESS * (distances.min() - distances))
    return dict(zip(kind.prototypes, (weights / weights.sum()).tolist(), strict=True))
