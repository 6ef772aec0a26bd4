"""
Which estimator finds what
==========================

Seven data sets of two features, and what seven clustering methods make of them.

Nothing is tuned for DensityART and DDVFA: they choose everything from the rows. In the row
"drift", DensityART is told one fact, how fast old rows lose their weight. HDBSCAN is shown twice:
with its defaults, and tuned. Every method with a star was tuned on these very data sets, with
their labels: it has one of the best settings by the mean score over all lines but "drift", out of
a grid of 14 (DBSCAN) to 144 settings (DBSTREAM).

The last three lines are harder than shapes:

- **noise**: a quarter of the rows belongs to no cluster.
- **drift**: two clusters come from one place and move apart. Only the last 300 rows are coloured
  and scored; earlier ones are grey. A method that forgets nothing sees the path between them.
- **no structure**: rows are spread evenly. The right answer is one cluster.

Each panel shows the number of clusters and the adjusted Rand index, which is 1 for a perfect
result and about 0 for a random one. Grey crosses are noise.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from river.cluster import DBSTREAM
from sklearn import datasets
from sklearn.cluster import DBSCAN, HDBSCAN
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from resonart import DDVFA, DensityART, TopoART

# %%
# The data sets. Rows come in random order, except for "drift", which is a stream.

N_ROWS, N_RECENT = 500, 300
rng = np.random.default_rng(3)


def stretched():
    X, y = datasets.make_blobs(N_ROWS, random_state=170)
    return X @ [[0.6, -0.6], [-0.4, 0.8]], y


def with_noise():
    X, y = datasets.make_moons(N_ROWS, noise=0.05, random_state=30)
    noise = rng.uniform([-1.6, -1.2], [2.6, 1.7], (N_ROWS // 3, 2))
    return np.concatenate([X, noise]), np.append(y, np.full(len(noise), -1))


def drifting(n_rows=1200):
    y = rng.integers(0, 3, n_rows)
    path = np.clip(np.arange(n_rows) / 800, 0, 1) * 4
    centres = np.stack(
        [np.column_stack([4 - path, 0 * path]), np.column_stack([4 + path, 0 * path])], axis=1
    )
    centres = np.concatenate([centres, np.full((n_rows, 1, 2), (4, 4))], axis=1)
    return rng.normal(centres[np.arange(n_rows), y], 0.5), y


data_sets = {
    "rings": datasets.make_circles(N_ROWS, factor=0.5, noise=0.05, random_state=30),
    "moons": datasets.make_moons(N_ROWS, noise=0.06, random_state=30),
    "densities": datasets.make_blobs(N_ROWS, cluster_std=[1.0, 2.5, 0.5], random_state=170),
    "stretched": stretched(),
    "noise": with_noise(),
    "drift": drifting(),
    "no structure": (rng.random((N_ROWS, 2)), np.zeros(N_ROWS)),
}

# %%
# The methods. Each takes the rows of a data set and returns their labels.


def dbstream(X):
    model = DBSTREAM(0.7, fading_factor=0.01, intersection_factor=0.3, cleanup_interval=100)
    rows = [dict(enumerate(row)) for row in X.tolist()]
    for row in rows:
        model.learn_one(row)
    return np.array([model.predict_one(row) for row in rows])


def density_art(X, half_life=None):
    if half_life is None:
        return DensityART().fit(X).labels_
    return DensityART(half_life=half_life).partial_fit(X).predict(X)


def topo_art(X):
    return TopoART(rho_a=0.88, phi=5, tau=200, max_epochs=10, noise="label").fit(X).labels_


def hdbscan(X, **params):
    return HDBSCAN(copy=True, **params).fit_predict(X)


def hdbscan_tuned(X):
    return hdbscan(X, min_cluster_size=15, min_samples=5, allow_single_cluster=True)


methods = {
    "DensityART": density_art,
    "DDVFA": lambda X: DDVFA(random_state=0).fit(X).labels_,
    "HDBSCAN": hdbscan,
    "HDBSCAN*": hdbscan_tuned,
    "DBSCAN*": lambda X: DBSCAN(eps=0.25).fit_predict(X),
    "DBSTREAM*": dbstream,
    "TopoART*": topo_art,
}

# %%
# The picture.

# DDVFA warns where it sees no structure. Here the picture tells.
warnings.filterwarnings("ignore", message="No structure")
COLOURS = np.array(["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#882255"])
figure, axes = plt.subplots(
    len(data_sets), len(methods), figsize=(12, 11.5), layout="constrained", squeeze=False
)
for line, (name, (X, y)) in zip(axes, data_sets.items(), strict=True):
    y = np.asarray(y)
    order = np.arange(len(X)) if name == "drift" else rng.permutation(len(X))
    X, y = StandardScaler().fit_transform(X)[order], y[order]
    shown = slice(-N_RECENT, None) if name == "drift" else slice(None)
    for ax, (method, cluster) in zip(line, methods.items(), strict=True):
        if method == "DensityART" and name == "drift":
            labels = cluster(X, half_life=150)
        else:
            labels = cluster(X)
        if name == "drift":
            ax.scatter(*X[:-N_RECENT].T, s=2, color="#DDDDDD")
        rows, found = X[shown], labels[shown]
        ax.scatter(*rows[found == -1].T, s=7, color="#8C8C8C", marker="x", linewidths=0.6)
        is_in = found >= 0
        ax.scatter(*rows[is_in].T, s=5, color=COLOURS[found[is_in] % len(COLOURS)])
        n_found = len(set(found.tolist()) - {-1})
        words = f"{n_found} cluster{'s' if n_found != 1 else ''}"
        if name != "no structure":  # where the index knows nothing but right and wrong
            words += f", {adjusted_rand_score(y[shown], found):.2f}"
        ax.set_xlabel(words, fontsize=9, labelpad=2)
        ax.set(xticks=[], yticks=[])
    line[0].set_ylabel(name, fontsize=12)
for ax, method in zip(axes[0], methods, strict=True):
    ax.set_title(method, fontsize=12, fontweight="bold")
plt.show()

# %%
# What to take from it:
#
# - DensityART finds the shapes without a parameter, says "one cluster" where there is nothing to
#   find, and follows the drift.
# - DDVFA finds the shapes, too. It puts noise into small clusters instead of labelling it.
# - HDBSCAN and DBSCAN do as well as DensityART on still rows if they are tuned with the labels.
#   With its defaults, HDBSCAN finds clusters in rows without structure. Neither follows a stream.
# - TopoART and DBSTREAM are made for long streams. Five hundred rows are few for them.
