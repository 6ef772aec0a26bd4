"""What the engine sees of each candidate for a set, and how good each one is by the labels.

Records of made sets are kept in files of a hundred, so that a run which was stopped goes on.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy.sparse import csr_array

from resonart import DensityART, _core, datasets
from resonart.reports.readings import categories_of

from .generate import LabelledSet
from .grow import grown_sets
from .parts import Labels, Rows

ROOT = Path(__file__).resolve().parents[1]
N_IN_FILE = 100
N_PAIRS = 2_048  # of rows, by which candidates are compared with each other, as in the engine
PAPER = "paper"  # the kind of the paper's 30
# Collections of many hands: there a kind is also what its name begins with.
MIXED_COLLECTIONS = ("d_art",)

SOURCES = ("parts", "kinds", "generate", "grow", "records")  # what records depend on

Floats = NDArray[np.float64]
Seen = NDArray[np.float32]


def version() -> str:
    """Return what changes with whatever a record depends on."""
    files = sorted((ROOT / "cpp").rglob("*.[hc]pp"))
    files += [ROOT / "training" / f"{n}.py" for n in SOURCES]
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
    agreement : ndarray of shape (n_candidates, n_candidates)
        Adjusted Rand index of each with each, estimated from pairs of rows.
    outline : str
        The same for sets that must not go apart.
    """

    name: str
    kind: str
    n_rows: int
    n_columns: int
    n_true: int
    outline: str
    is_grown: bool
    seen: Seen
    index: Floats
    noise_f1: Floats
    agreement: NDArray[np.float16]

    @property
    def best(self) -> float:
        """Index of the best candidate: a ceiling of every choice."""
        return float(self.index.max(initial=0.0))

    @property
    def is_labelled(self) -> bool:
        """Whether there is something to choose, and labels to say what is right."""
        return self.n_true > 1 and len(self.index) > 1


class Learned(NamedTuple):
    """The boxes of a set as DensityART learns them, and which is each row's."""

    means: Floats
    counts: Floats
    box: Labels


def learned(rows: Rows) -> Learned:
    """Learn boxes. The clusters that are read on the way do not matter, so they are read once."""
    model = DensityART(
        min_cluster_size=0.01,
        min_samples=0.0025,
        scaling="range",
        cluster_selection_method="eom",
        n_jobs=None,
    ).fit(rows)
    return Learned(
        np.ascontiguousarray(model.means_),
        model.counts_.astype(np.float64),
        categories_of(model, rows),
    )


def record(data: LabelledSet, n_threads: int = 1) -> Record:
    """Let the engine read a set, and compare what it considers with the labels."""
    means, counts, box = learned(data.rows)
    if len(means) < 2:
        seen = np.empty((0, len(FEATURES)), dtype=np.float32)
        cluster = nearest = np.empty((0, len(means)), dtype=np.int32)
    else:
        features, cluster, nearest = _core.density_candidates(means, counts, n_threads)
        several = features[:, CLUSTERS] > 1
        seen = features[several].astype(np.float32)
        cluster, nearest = cluster[several], nearest[several]
    # Rows of each box by their true cluster, noise first: all that candidates are judged by.
    width = data.n_true + 1
    truth = np.bincount(box * width + data.labels + 1, minlength=len(means) * width)
    truth = truth.reshape(-1, width)
    noise = truth[:, 0]
    f1 = np.full(len(seen), np.nan)
    if noise.any():
        f1 = np.array([noise_f1(one < 0, noise, truth.sum(axis=1)) for one in cluster])
    return Record(
        data.name,
        data.kind,
        len(data.rows),
        data.rows.shape[1],
        data.n_true,
        data.outline,
        data.origin is not None,
        seen,
        np.array([index_of(counted(one, truth[:, 1:])) for one in nearest]),
        f1,
        agreement(nearest, counts),
    )


def adjusted_rand(found: NDArray[np.int32], truth: Labels) -> float:
    """Adjusted Rand index, rows of true noise left out; all have a cluster in ``found``."""
    kept = truth >= 0
    return index_of(counted(found[kept], np.eye(int(truth.max()) + 1, dtype=np.int64)[truth[kept]]))


def counted(found: NDArray[np.int32], truth: Labels) -> Labels:
    """Rows in each cluster found (line) and each true one (column), from those of each box."""
    n = len(found)
    member = csr_array((np.ones(n, dtype=np.int64), (found, np.arange(n))))
    both: Labels = member @ truth
    return both


def index_of(both: Labels) -> float:
    """Adjusted Rand index of two clusterings by the number of rows in both."""

    def pairs(counts: Labels) -> float:
        return float((counts * (counts - 1) // 2).sum())

    together, n = pairs(both), int(both.sum())
    of_a, of_b = pairs(both.sum(axis=1)), pairs(both.sum(axis=0))
    chance = of_a * of_b / max(n * (n - 1) / 2, 1.0)
    most = (of_a + of_b) / 2
    return (together - chance) / (most - chance) if most > chance else 1.0


def agreement(found: NDArray[np.int32], counts: Floats) -> NDArray[np.float16]:
    """Adjusted Rand index of each clustering of boxes with each, over pairs drawn by rows."""
    if not found.size:
        return np.empty((0, 0), dtype=np.float16)
    drawn = default_rng(41).uniform(0.0, counts.sum(), (2, N_PAIRS))
    first, second = np.minimum(np.searchsorted(counts.cumsum(), drawn), len(counts) - 1)
    same = (found[:, first] == found[:, second]).astype(np.float32)
    n_same = same.sum(axis=1)
    chance = np.outer(n_same, n_same) / N_PAIRS
    most = (n_same[:, np.newaxis] + n_same) / 2
    known = most > chance
    shares = (same @ same.T - chance) / np.where(known, most - chance, 1.0)
    equal: NDArray[np.float16] = np.where(known, shares, 1.0).astype(np.float16)
    return equal


def noise_f1(found: NDArray[np.bool_], truth: Labels, rows: Labels) -> float:
    """F1 of the boxes called noise, by the rows of noise and all rows in each box."""
    n_both, n_found = float(truth[found].sum()), float(rows[found].sum())
    return 2.0 * n_both / max(1.0, n_found + float(truth.sum()))


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
    name = f"{make.__name__}-{start}-{stop}"
    return kept_records(folder / name, lambda: map(make, range(start, stop)))


def real_records(sets: Iterable[LabelledSet], folder: Path, n_jobs: int = 1) -> list[Record]:
    """Records of labelled sets, each with all that is grown from it."""
    tasks = (delayed(file_of_real)(data, folder) for data in sets)
    found: list[Record] = []
    for n, some in enumerate(Parallel(n_jobs=n_jobs, return_as="generator")(tasks), start=1):
        found += some
        if n % 10 == 0:
            print(f"labelled sets: {n}", file=sys.stderr, flush=True)
    return found


def file_of_real(data: LabelledSet, folder: Path) -> list[Record]:
    content = hashlib.sha256(data.rows.tobytes() + data.labels.tobytes()).hexdigest()[:12]
    return kept_records(folder / f"{data.name}-{content}", lambda: (data, *grown_sets(data)))


def kept_records(start: Path, sets: Callable[[], Iterable[LabelledSet]]) -> list[Record]:
    """Records of some sets, made or taken from the file whose name begins so."""
    path = start.with_name(f"{start.name}-{VERSION}.npz")
    if not path.exists():
        save_records(list(map(record, sets())), path)
    return load_records(path)


# Of a record in a file: what there is one number of, and what there is one of for each candidate.
FACTS = ("name", "kind", "n_rows", "n_columns", "n_true", "outline", "is_grown")
PARTS = ("seen", "index", "noise_f1", "agreement")


def save_records(records: Sequence[Record], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = [[getattr(r, name) for name in FACTS] for r in records]
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(r, name).ravel() for r in records]) for name in PARTS
    }
    arrays |= {"facts": np.array(facts, dtype=str), "n": [len(r.index) for r in records]}
    part = path.with_suffix(f".{hashlib.sha256(path.name.encode()).hexdigest()[:6]}.part")
    with part.open("wb") as file:
        np.savez_compressed(file, **arrays)
    part.replace(path)  # a file is there as a whole or not at all


def load_records(path: Path) -> list[Record]:
    with np.load(path) as file:
        n_each, facts = file["n"], file["facts"].tolist()
        widths = {"seen": len(FEATURES), "index": 1, "noise_f1": 1, "agreement": n_each}
        parts = [np.split(file[name], np.cumsum(n_each * widths[name])[:-1]) for name in PARTS]
    return [
        Record(
            *(name, kind, int(rows), int(columns), int(k), outline, is_grown == "True"),
            *(seen.reshape(-1, len(FEATURES)), index, f1, agreed.reshape(n, n)),
        )
        for (name, kind, rows, columns, k, outline, is_grown), n, seen, index, f1, agreed in zip(
            facts, n_each.tolist(), *parts, strict=True
        )
    ]
