"""The engine's typed face."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Linkage: type[enum.Enum]  # its members are listed in cpp/linkage.hpp alone

class Search(enum.Enum):
    activation = ...
    index = ...

class OutOfBounds(enum.Enum):
    expand = ...
    clip = ...
    error = ...

class Metric(enum.Enum):
    euclidean = ...
    manhattan = ...
    chebyshev = ...

class ParamField:
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def low_included(self) -> bool: ...
    @property
    def initial(self) -> Any: ...

# A struct of parameters has an attribute for each of its fields, which it lists itself.
class _Params:
    fields: ClassVar[tuple[ParamField, ...]]
    def __init__(self, **kwargs: Any) -> None: ...
    @property
    def lower_vigilance(self) -> float: ...
    def __getattr__(self, name: str) -> Any: ...

class FuzzyArtParams(_Params): ...
class DvfaParams(_Params): ...
class DdvfaParams(_Params): ...
class TopoArtParams(_Params): ...

class Partitions:
    def __init__(self, n_rows: int) -> None: ...
    def __len__(self) -> int: ...
    def add(self, labels: NDArray[np.uint32]) -> NDArray[np.int64]: ...
    def labels(self, ids: NDArray[np.int64]) -> NDArray[np.int64]: ...
    def agreement_with(self, labels: NDArray[np.int64], n_threads: int) -> NDArray[np.float64]: ...
    def best_runs(
        self,
        partition: NDArray[np.int64],
        row: NDArray[np.int64],
        column: NDArray[np.int64],
        worth: NDArray[np.float64],
        agreement: NDArray[np.float64],
        reach: int,
        most: int,
    ) -> list[tuple[int, int, float, float]]: ...
    def quality(
        self,
        order: NDArray[np.int64],
        height: NDArray[np.float64],
        neighbours: NDArray[np.int64],
        small: int,
        most_clusters: int,
        n_threads: int,
    ) -> NDArray[np.float64]: ...
    def agreements(self, ids: NDArray[np.int64], n_threads: int) -> NDArray[np.float64]: ...

class _Learner:
    Params: ClassVar[type[_Params]]
    merges: ClassVar[bool]
    labels_later: ClassVar[bool]
    def __init__(self, n_features: int, params: _Params) -> None: ...
    @staticmethod
    def sweep(
        rows: NDArray[Any],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        params: _Params,
        lb: NDArray[np.float64],
        ub: NDArray[np.float64],
        *,
        paired: bool,
        orders: NDArray[np.int64],
        max_epochs: int,
        merge: bool,
        keep_unmerged: bool,
        nearest: bool,
        share: bool,
        max_categories: int,
        n_threads: int,
        report: Callable[[int, int], None] | None,
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        Partitions,
        int,
        int,
        tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int] | None,
    ]: ...
    def train(
        self,
        rows: NDArray[Any],
        params: _Params,
        order: NDArray[np.int64] | None,
        max_epochs: int,
        merge_at_end: bool,
        merge_on_the_way: bool,
        can_be_undone: bool,
        may_merge: bool = ...,
    ) -> tuple[NDArray[np.int64], int]: ...
    def train_telling(
        self, rows: NDArray[Any], params: _Params
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.uint8],
        list[tuple[int, NDArray[np.int64]]],
    ]: ...
    def undo(self) -> None: ...
    def keep(self) -> None: ...
    def learn_one(self, row: Sequence[float] | NDArray[Any]) -> int: ...
    def predict(self, rows: NDArray[Any], nearest: bool) -> NDArray[np.int64]: ...
    def score(self, rows: NDArray[Any]) -> NDArray[np.float64]: ...
    def matches(self, rows: NDArray[Any]) -> NDArray[np.float64]: ...
    def nearest_clusters(
        self, rows: NDArray[Any], most: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def set_bounds(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> None: ...
    def counters(self) -> tuple[int, int, int]: ...
    def params(self) -> _Params: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_refused(self) -> int: ...
    @property
    def n_clusters(self) -> int: ...
    @property
    def n_categories(self) -> int: ...

class _PlainLearner(_Learner):
    def snapshot(
        self, grouped: bool
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.float64],
        int,
        int,
        int,
        int,
        int,
        int,
        NDArray[np.int64],
    ]: ...
    def label_map(self) -> NDArray[np.int64]: ...
    def restore(
        self,
        weights: NDArray[np.float64],
        counts: NDArray[np.int64],
        labels: NDArray[np.int64],
        n_samples: int,
        since_merge: int,
        n_merges: int,
        n_refused: int,
        room_sought_at: int,
        n_apart: int,
        label_map: NDArray[np.int64],
    ) -> None: ...

class FuzzyArt(_PlainLearner): ...
class Dvfa(_PlainLearner): ...

class Ddvfa(_PlainLearner):
    def merge(self, params: _Params) -> NDArray[np.int64]: ...
    def keep_apart(self) -> None: ...

_Module = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]
_GivenModule = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int]

class TopoArt(_Learner):
    def snapshot(
        self,
    ) -> tuple[_Module, _Module, NDArray[np.float64], NDArray[np.float64], int, int]: ...
    def restore(self, a: _GivenModule, b: _GivenModule, n_samples: int, n_refused: int) -> None: ...
    def predict_a(self, rows: NDArray[Any], nearest: bool) -> NDArray[np.int64]: ...

def merge_modules(
    weights: NDArray[np.float64],
    counts: NDArray[np.int64],
    labels: NDArray[np.int64],
    params: _Params,
    max_passes: int | None,
    compress: bool,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]: ...
def move_weights(
    weights: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    wider_low: NDArray[np.float64],
    wider_high: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def first_unusable(rows: NDArray[Any]) -> tuple[int, int]: ...
def vat_order(
    rows: NDArray[np.float64], metric: Metric, n_threads: int, by_tree: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
def threads_to_be_had(most: int) -> int: ...
def simd_available() -> list[str]: ...
def simd_in_use() -> str: ...
def simd_use(name: str) -> None: ...
def index_in_use() -> str: ...
def index_use(choice: str) -> None: ...
