"""The engine's typed face."""

import enum
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Linkage(enum.Enum):
    single = ...
    complete = ...
    median = ...
    average = ...
    weighted = ...
    centroid = ...

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

class Params:
    def __init__(
        self,
        *,
        rho_lb: float,
        rho_ub: float,
        alpha: float = ...,
        beta: float = ...,
        gamma: float = ...,
        gamma_ref: float = ...,
        linkage: Linkage = ...,
        search: Search = ...,
        merge_every: int = ...,
        out_of_bounds: OutOfBounds = ...,
        max_categories: int = ...,
        merge_when_full: bool = ...,
        beta_sbm: float = ...,
        phi: int = ...,
        tau: int = ...,
    ) -> None: ...
    @property
    def rho_lb(self) -> float: ...
    @property
    def rho_ub(self) -> float: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    @property
    def gamma(self) -> float: ...
    @property
    def gamma_ref(self) -> float: ...
    @property
    def linkage(self) -> Linkage: ...
    @property
    def search(self) -> Search: ...
    @property
    def merge_every(self) -> int: ...
    @property
    def out_of_bounds(self) -> OutOfBounds: ...
    @property
    def max_categories(self) -> int: ...
    @property
    def merge_when_full(self) -> bool: ...
    @property
    def beta_sbm(self) -> float: ...
    @property
    def phi(self) -> int: ...
    @property
    def tau(self) -> int: ...

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
    def __init__(self, n_features: int, params: Params) -> None: ...
    @staticmethod
    def sweep(
        rows: NDArray[Any],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        params: Params,
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
        params: Params,
        order: NDArray[np.int64] | None,
        max_epochs: int,
        merge_at_end: bool,
        merge_on_the_way: bool,
        can_be_undone: bool,
        may_merge: bool = ...,
    ) -> tuple[NDArray[np.int64], int]: ...
    def train_telling(
        self, rows: NDArray[Any], params: Params
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
    def params(self) -> Params: ...
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
        label_map: NDArray[np.int64],
    ) -> None: ...

class FuzzyArt(_PlainLearner): ...
class Dvfa(_PlainLearner): ...

class Ddvfa(_PlainLearner):
    def merge(self, params: Params) -> NDArray[np.int64]: ...

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
    params: Params,
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
def simd_available() -> list[str]: ...
def simd_in_use() -> str: ...
def simd_use(name: str) -> None: ...
def index_in_use() -> str: ...
def index_use(choice: str) -> None: ...
