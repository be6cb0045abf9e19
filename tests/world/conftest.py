"""A reduced embedded world, drawn and learnt from once for all tests of all processes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sharing import make_once

from regauge.world.collections import Sizes, World, make_world
from regauge.world.models import ModelZoo, train_models


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    sizes = Sizes(training=1_600, original=640, pool=1_280)
    return make_once(tmp_path_factory, "world", lambda _: make_world(np.random.default_rng(20190213), sizes=sizes))


@pytest.fixture(scope="session")
def zoo(world: World, tmp_path_factory: pytest.TempPathFactory) -> ModelZoo:
    return make_once(
        tmp_path_factory,
        "zoo",
        lambda _: train_models(world.training, rng=np.random.default_rng(1), n_filters=(4, 16, 64)),
    )
