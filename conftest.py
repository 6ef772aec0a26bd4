"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from resonart import datasets

settings.register_profile(
    "full", max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "check", max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "quick", max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("RESONART_TEST_PROFILE", "full"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what takes long begin first: or one worker would wait for another in the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder of the 30 benchmark data sets."""
    folder = os.environ.get("RESONART_DATA")
    if not folder:
        pytest.skip("needs the benchmark data sets: set RESONART_DATA to their folder")
    return Path(folder)


@pytest.fixture(scope="session")
def data_set(data_folder: Path) -> Callable[[str], tuple[NDArray[Any], NDArray[Any]]]:
    """Rows and labels of a benchmark data set; never downloaded."""
    return lambda name: datasets.load(name)[:2]


@pytest.fixture
def no_memory_of_sets() -> Iterator[None]:
    """Let the benchmarks read their data sets anew, before the test and after it."""
    from benchmarks import data_sets

    data_sets.collection.cache_clear()
    yield
    data_sets.collection.cache_clear()
