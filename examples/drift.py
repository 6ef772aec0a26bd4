"""A stream that changes: a model that forgets, the diary of its clusters, and their picture.

Run it with ``python examples/drift.py [PICTURE]``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.figure import Figure

from resonart import DensityART, plot


def make_stream(n_rows: int = 20_000, seed: int = 0) -> np.ndarray:
    """Return rows of clusters that drift, appear, split, merge and vanish."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, n_rows)
    apart = 2.2 * np.clip((t - 0.3) / 0.12, 0, 1)  # two halves, from one place
    nearer = 4 * np.clip((t - 0.55) / 0.2, 0, 1)
    zero, eight = np.zeros(n_rows), np.full(n_rows, 8.0)
    centres = np.stack(
        [
            np.column_stack([6 * t, zero]),  # drifts
            np.column_stack([-apart, eight]),  # splits
            np.column_stack([apart, eight]),
            np.column_stack([14 - nearer, eight]),  # appears, and merges into the next
            np.column_stack([np.full(n_rows, 10.0), eight]),
            np.column_stack([np.full(n_rows, 12.0), zero]),  # vanishes
        ],
        axis=1,
    )
    always = np.ones(n_rows, dtype=bool)
    is_there = np.column_stack([always, always, always, t > 0.2, always, t < 0.6])
    which = np.argmax(np.where(is_there, rng.random(is_there.shape), -1), axis=1)
    return rng.normal(centres[np.arange(n_rows), which], 0.55)


def main() -> None:
    """Learn the stream, print what became of its clusters, and draw it."""
    X = make_stream()
    model = DensityART(half_life=1_000)
    for batch in np.array_split(X, 40):
        model.partial_fit(batch)
    print(model.events_)

    history = model.history(as_frame=False)  # or, with pandas, model.history(): a frame
    now = history["reading"] == history["reading"].max()
    for label, size in zip(history["label"][now], history["size"][now], strict=True):
        print(f"cluster {label}: {size:.0f} rows count now")

    # One that forgets nothing still has the cluster that vanished 8,000 rows ago.
    keeper = DensityART().partial_fit(X)
    print("a row where a cluster was:", model.predict([[12, 0]])[0], keeper.predict([[12, 0]])[0])

    figure = Figure(figsize=(9, 4), layout="constrained")
    plot.history(model, ax=figure.subplots())
    path = sys.argv[1] if len(sys.argv) > 1 else "drift.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()
