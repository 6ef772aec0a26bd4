"""DensityART on shapes with noise: clusters, the tree they were read from, and a stream.

Run it with ``python examples/density.py [PICTURE]``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import make_circles

from resonart import DensityART, plot, rename_labels


def make_shapes(seed: int = 0) -> np.ndarray:
    """Return two rings, two blobs of unlike density and rows all over the place, shuffled."""
    rng = np.random.default_rng(seed)
    rings, _ = make_circles(800, factor=0.45, noise=0.03, random_state=seed)
    blobs = [rng.normal((2.5, 0.6), 0.12, (300, 2)), rng.normal((2.6, -0.7), 0.3, (200, 2))]
    noise = rng.uniform((-1.5, -1.7), (3.7, 1.7), (80, 2))
    return rng.permutation(np.concatenate([rings, *blobs, noise]))


def main() -> None:
    """Fit, say what was found and why, draw; then the same rows as a stream."""
    X = make_shapes()
    model = DensityART().fit(X)
    n_noise = int((model.labels_ == -1).sum())
    print(f"{model.n_clusters_} clusters, {n_noise} of {len(X)} rows in none")
    print(model.choice_)

    # A row that comes later: where it belongs, how well, and whether it is anywhere near.
    for row in ([1.0, 0.0], [2.5, 0.6], [50.0, 50.0]):
        label, score = model.predict([row])[0], model.score_samples([row])[0]
        print(f"{row}: {'no cluster' if label < 0 else f'cluster {label}'}, match {score:.2f}")

    # The same rows as a stream. Labels told on the way are kept up to date by the maps.
    stream = DensityART()
    told = np.empty(0, dtype=np.int64)
    for batch in np.array_split(X, 30):
        for renaming in stream.learn_many(batch).renamings:
            told = rename_labels(told, renaming.label_map)
        told = np.append(told, stream.labels_)
    told = rename_labels(told, stream.update_clusters().label_map_)
    same = np.mean(told == stream.predict(X))
    print(f"as a stream: {stream.n_clusters_} clusters after {stream.n_readings_} readings;")
    print(f"{same:.0%} of the labels told on the way, renamed by the maps, are those of the end")

    figure = Figure(figsize=(12, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    plot.categories(model, X, labels=model.labels_, ax=left)
    plot.condensed_tree(model, ax=right)
    path = sys.argv[1] if len(sys.argv) > 1 else "density.png"
    figure.savefig(path, dpi=120)
    print(path)


if __name__ == "__main__":
    main()
