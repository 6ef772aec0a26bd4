"""What the engine sees of each candidate for a set, and how good each one is by the labels.

Records of made sets are kept in files of a hundred, so that a run which was stopped goes on.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from resonart import _core, datasets

from .generate import LabelledSet
from .parts import Labels, Rows

ROOT = Path(__file__).resolve().parents[1]
N_IN_FILE = 100
PAPER = "paper"  # the kind of the paper's 30
# Collections of many hands: there a kind is also what its name begins with.
MIXED_COLLECTIONS = ("d_art",)

Floats = NDArray[np.float64]
Seen = NDArray[np.float32]


def version() -> str:
    """Return what changes with whatever a record depends on."""
    files = sorted((ROOT / "cpp").glob("*.hpp"))
    files += [ROOT / "training" / f"{n}.py" for n in ("parts", "kinds", "generate", "records")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


VERSION = version()  # of what this process runs, whatever is edited meanwhile

FEATURES: tuple[str, ...] = tuple(_core.density_features())
CLUSTERS = FEATURES.index("clusters")
SCORE = FEATURES.index("score")
SCORE_BELOW_BEST = FEATURES.index("score, below the best")


@dataclass(frozen=True, eq=False)
class Record:
    """The candidates of one set that have two clusters or more.

    Attributes
    ----------
    seen : ndarray of shape (n_candidates, n_features)
        What the engine sees of each, as the trees do: in single precision.
    index : ndarray of shape (n_candidates,)
        Adjusted Rand index to the labels, true noise left out.
    noise_f1 : ndarray of shape (n_candidates,)
        F1 of the noise that was found; NaN where the set has no true noise.
    outline : str
        Rows, features and sizes of clusters. Sets may be the same rows under two names, a little
        rounded; then these are the same.
    """

    name: str
    kind: str
    n_rows: int
    n_columns: int
    n_true: int
    outline: str
    seen: Seen
    index: Floats
    noise_f1: Floats

    @property
    def best(self) -> float:
        """Index of the best candidate: a ceiling of every choice."""
        return float(self.index.max(initial=0.0))

    @property
    def is_labelled(self) -> bool:
        """Whether there is something to choose, and labels to say what is right."""
        return self.n_true > 1 and len(self.index) > 1


def record(data: LabelledSet, n_threads: int = 1) -> Record:
    """Let the engine read a set, and compare what it considers with the labels."""
    means, row_box, counts = distinct(data.rows)
    if len(means) < 2:
        seen = np.empty((0, len(FEATURES)), dtype=np.float32)
        cluster = nearest = np.empty((0, len(means)), dtype=np.int32)
    else:
        features, cluster, nearest = _core.density_candidates(means, counts, n_threads)
        several = features[:, CLUSTERS] > 1
        seen = features[several].astype(np.float32)
        cluster, nearest = cluster[several], nearest[several]
    true_noise = data.labels < 0
    f1 = np.full(len(seen), np.nan)
    if true_noise.any():
        f1 = np.array([noise_f1(one[row_box] < 0, true_noise) for one in cluster])
    return Record(
        data.name,
        data.kind,
        len(data.rows),
        data.rows.shape[1],
        data.n_true,
        outline(data),
        seen,
        np.array([adjusted_rand(one[row_box], data.labels) for one in nearest]),
        f1,
    )


def outline(data: LabelledSet) -> str:
    n_each = np.sort(np.unique(data.labels, return_counts=True)[1])
    return f"{data.rows.shape} {n_each.tolist()}"


def distinct(rows: Rows) -> tuple[Rows, Labels, Floats]:
    """Distinct rows in the order in which they first came, which each row is, and counts."""
    found, first, which, counts = np.unique(
        rows, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    means = np.ascontiguousarray(found[order], dtype=np.float64)
    return means, place[which.ravel()], counts[order].astype(np.float64)


def adjusted_rand(found: NDArray[np.int32], truth: Labels) -> float:
    """Adjusted Rand index, rows of true noise left out; all have a cluster in ``found``."""
    kept = truth >= 0
    a, b = found[kept].astype(np.int64), truth[kept]
    width = int(b.max()) + 1
    both = np.bincount(a * width + b, minlength=(int(a.max()) + 1) * width).reshape(-1, width)

    def pairs(counts: NDArray[np.int64]) -> float:
        return float((counts * (counts - 1) // 2).sum())

    together = pairs(both)
    of_a, of_b = pairs(both.sum(axis=1)), pairs(both.sum(axis=0))
    chance = of_a * of_b / max(len(a) * (len(a) - 1) / 2, 1.0)
    most = (of_a + of_b) / 2
    return (together - chance) / (most - chance) if most > chance else 1.0


def noise_f1(found: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    return 2.0 * float((found & truth).sum()) / max(1.0, float(found.sum() + truth.sum()))


# ---------------------------------------------------------------------- sets that were not made


def paper_sets() -> Iterator[LabelledSet]:
    """The paper's 30, from the folder that ``RESONART_DATA`` names or downloaded."""
    for name, (rows, labels, _) in datasets.load_all().items():
        truth = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        yield LabelledSet(name, PAPER, rows, truth)


def pool_sets(folder: Path) -> Iterator[LabelledSet]:
    """Every ``*.npz`` of a folder: ``x`` are rows, ``y`` their clusters, -1 is noise."""
    files = sorted(folder.glob("*.npz"))
    if not files:
        raise FileNotFoundError(
            f"{folder} has no *.npz files: give a folder of labelled sets with `x` and `y`, or "
            "leave --pool out."
        )
    for path in files:
        with np.load(path) as file:
            rows = np.ascontiguousarray(file["x"], dtype=np.float64)
            names, labels = np.unique(file["y"], return_inverse=True)
        labels = labels.astype(np.int64) - int(names[0] < 0)
        yield LabelledSet(path.stem, kind_of(path.stem), rows, labels)


def kind_of(name: str) -> str:
    """Tell which sets belong together by their names, such as ``g_wut_x1``."""
    *collection, rest = name.split("_", 2)
    kind = "_".join(collection) or rest
    return f"{kind}_{rest[:2]}" if kind in MIXED_COLLECTIONS else kind


# ---------------------------------------------------------------------- many sets


def made_records(
    make: Callable[[int], LabelledSet], n_sets: int, folder: Path, n_jobs: int = 1
) -> list[Record]:
    """Records of the first ``n_sets`` seeds, made or taken from files."""
    starts = range(0, n_sets, N_IN_FILE)
    tasks = (
        delayed(file_of_records)(make, start, min(start + N_IN_FILE, n_sets), folder)
        for start in starts
    )
    found: list[Record] = []
    for some in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
        found += some
        print(f"{make.__name__}: {len(found)} of {n_sets}", file=sys.stderr, flush=True)
    return found


def file_of_records(
    make: Callable[[int], LabelledSet], start: int, stop: int, folder: Path
) -> list[Record]:
    """Records of some seeds, kept in a file as long as the code that made them stays."""
    path = folder / f"{make.__name__}-{start}-{stop}-{VERSION}.npz"
    if not path.exists():
        save_records([record(make(seed)) for seed in range(start, stop)], path)
    return load_records(path)


def save_records(records: Sequence[Record], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = [(r.name, r.kind, r.n_rows, r.n_columns, r.n_true, r.outline) for r in records]
    part = path.with_suffix(f".{hashlib.sha256(path.name.encode()).hexdigest()[:6]}.part")
    with part.open("wb") as file:
        np.savez_compressed(
            file,
            facts=np.array(facts, dtype=str),
            ends=np.cumsum([len(r.index) for r in records]),
            seen=np.concatenate([r.seen for r in records]),
            index=np.concatenate([r.index for r in records]),
            noise_f1=np.concatenate([r.noise_f1 for r in records]),
        )
    part.replace(path)  # a file is there as a whole or not at all


def load_records(path: Path) -> list[Record]:
    with np.load(path) as file:
        ends = file["ends"][:-1]
        parts = [np.split(file[name], ends) for name in ("seen", "index", "noise_f1")]
        facts = file["facts"].tolist()
    return [
        Record(name, kind, int(n), int(d), int(k), like, *some)
        for (name, kind, n, d, k, like), *some in zip(facts, *parts, strict=True)
    ]
