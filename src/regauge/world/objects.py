"""The classes of the embedded world: what they are called, how they are ordered, and how a form is seen as one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import FloatArray
from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy
from regauge.world.animals import FISHES, INSECTS
from regauge.world.discs import DISCS
from regauge.world.flats import FLATS
from regauge.world.forms import Form, FormKind, Look, measure_degrees
from regauge.world.plants import FLOWERS, LEAVES
from regauge.world.spheres import SPHERES
from regauge.world.vessels import VESSELS

KINDS: tuple[FormKind, ...] = (DISCS, VESSELS, SPHERES, FLATS, LEAVES, FLOWERS, FISHES, INSECTS)

FAMILIES: dict[str, dict[str, dict[str, tuple[tuple[str, ...], str]]]] = {
    "food": {
        "baked good": {
            "bun": (("bun", "bread roll"), "a small round loaf without a hole"),
            "bagel": (("bagel", "ring roll"), "a round roll with a small hole"),
        },
        "fruit": {
            "orange": (("orange", "sweet orange"), "a round citrus fruit with orange peel"),
            "lemon": (("lemon",), "a yellow citrus fruit, drawn out to a nub at both ends"),
        },
    },
    "vessel": {
        "drinking vessel": {
            "cup": (("cup", "teacup"), "a low vessel that opens wide, with a small handle"),
            "mug": (("mug", "coffee mug"), "a straight, tall vessel with a large handle"),
            "goblet": (("goblet", "chalice"), "a drinking vessel on a stem"),
        },
        "holding vessel": {
            "bowl": (("bowl", "dish"), "a low, wide vessel without a handle"),
            "vase": (("vase", "flower vase"), "a tall vessel, wider at its belly than at its rim"),
        },
    },
    "ball": {
        "stitched ball": {
            "football": (("football", "soccer ball"), "a white ball with dark pentagons"),
            "basketball": (("basketball",), "a brown ball with grooves"),
        },
        "solid ball": {
            "tennis_ball": (("tennis ball",), "a felt ball with one curved seam"),
            "marble": (("marble", "glass marble"), "a glass ball with coloured bands"),
        },
    },
    "jewel": {
        "gem": {
            "pearl": (("pearl",), "a pale sphere with a soft shine"),
            "diamond": (("diamond", "brilliant"), "a cut stone standing on its point"),
        },
        "metalwork": {
            "ring": (("ring", "finger ring"), "a thin band of metal"),
            "coin": (("coin",), "a disc of metal with a device on it"),
        },
    },
    "fitting": {
        "vehicle part": {
            "wheel": (("wheel",), "a rim with spokes and a tyre"),
            "tyre": (("tyre", "tire"), "a ring of rubber with a tread"),
        },
        "panel": {
            "tile": (("tile", "ceramic tile"), "a square plate, painted and glazed"),
            "sign": (("sign", "street sign"), "an eight-cornered plate with a border"),
        },
    },
    "sky": {
        "flyer": {"kite": (("kite",), "a sail with a long lower half and a tail")},
        "heavenly body": {"moon": (("moon", "full moon"), "a grey sphere with craters and dark plains")},
    },
    "plant": {
        "leaf": {
            "beech_leaf": (("beech leaf",), "a broad leaf with a smooth edge"),
            "willow_leaf": (("willow leaf",), "a narrow leaf"),
            "oak_leaf": (("oak leaf",), "a leaf with rounded lobes"),
        },
        "flower": {
            "daisy": (("daisy",), "white petals around a small yellow centre"),
            "sunflower": (("sunflower", "helianthus"), "yellow petals around a large dark centre"),
        },
    },
    "animal": {
        "fish": {
            "goldfish": (("goldfish",), "a slim golden fish with low fins"),
            "angelfish": (("angelfish",), "a tall striped fish with long fins"),
        },
        "insect": {
            "butterfly": (("butterfly",), "a slender insect with bright wings"),
            "moth": (("moth",), "a stout insect with dull wings"),
        },
    },
}
"""Family, sub-family and class, with the names and the gloss of each class."""

CLASS_IDS: tuple[str, ...] = tuple(
    class_id for subfamilies in FAMILIES.values() for classes in subfamilies.values() for class_id in classes
)
INDEX = {class_id: index for index, class_id in enumerate(CLASS_IDS)}
KIND_OF = {class_id: kind for kind in KINDS for class_id in kind.prototypes}
_KIND_OF_FORM = {kind.form: kind for kind in KINDS}

SEEN_AS: tuple[tuple[str, str, float], ...] = (("wheel", "tyre", 0.85), ("mug", "cup", 0.45))
"""Classes that a thing of another class is seen as too, and how much: a wheel has a tyre, a mug passes for a cup."""

ORGANISMS = ("plant", "animal")
ROOT = NodeId("thing")


@dataclass(frozen=True, slots=True)
class Thing:
    """An object: its form makes it what it is, its look makes it this one."""

    form: Form
    look: Look

    @property
    def kind(self) -> FormKind:
        """The space that its form lies in."""
        return _KIND_OF_FORM[type(self.form)]


def perceive(form: Form) -> FloatArray:
    """How much a form is each class of the world, 0 to 1, in class order; 0 for the classes of other kinds."""
    degrees = np.zeros(len(CLASS_IDS))
    for class_id, degree in measure_degrees(_KIND_OF_FORM[type(form)], form).items():
        degrees[INDEX[class_id]] = degree
    for seen, also, share in SEEN_AS:
        degrees[INDEX[also]] = max(degrees[INDEX[also]], share * degrees[INDEX[seen]])
    return degrees


def make_taxonomy() -> Taxonomy:
    """The classes under sub-family, family and root, grouped by family and into objects and organisms."""
    described = {
        class_id: entry
        for subfamilies in FAMILIES.values()
        for classes in subfamilies.values()
        for class_id, entry in classes.items()
    }
    return Taxonomy(
        name="simulated-world",
        classes=tuple(
            ImageClass(ClassIndex(INDEX[class_id]), NodeId(class_id), names, gloss)
            for class_id, (names, gloss) in described.items()
        ),
        parents=_find_parents(),
        groupings=(
            Grouping("family", tuple(GroupRule(family, (NodeId(family),)) for family in FAMILIES)),
            _divide_objects_from_organisms(),
        ),
    )


def _find_parents() -> dict[NodeId, tuple[NodeId, ...]]:
    parents: dict[NodeId, tuple[NodeId, ...]] = {ROOT: ()}
    for family, subfamilies in FAMILIES.items():
        parents[NodeId(family)] = (ROOT,)
        for subfamily, classes in subfamilies.items():
            parents[NodeId(subfamily)] = (NodeId(family),)
            parents.update({NodeId(class_id): (NodeId(subfamily),) for class_id in classes})
    return parents


def _divide_objects_from_organisms() -> Grouping:
    alive = tuple(NodeId(family) for family in FAMILIES if family in ORGANISMS)
    lifeless = tuple(NodeId(family) for family in FAMILIES if family not in ORGANISMS)
    return Grouping("object-organism", (GroupRule("objects", lifeless), GroupRule("organisms", alive)))
