"""A reduced embedded world, drawn and learnt from once for all tests."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.world.collections import Sizes, World, make_world
from regauge.world.models import ModelZoo, train_models


@pytest.fixture(scope="session")
def world() -> World:
    return make_world(np.random.default_rng(20190213), sizes=Sizes(training=1_600, original=640, pool=1_280))


@pytest.fixture(scope="session")
def zoo(world: World) -> ModelZoo:
    return train_models(world.training, rng=np.random.default_rng(1), n_filters=(4, 16, 64))
