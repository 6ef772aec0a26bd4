"""
What a vigilance does
=====================

Fuzzy ART covers rows with boxes. The vigilance ``rho`` limits how large a box may become: at 0
one box covers everything, and near 1 every row has a box of its own. A new row goes to the most
active box that matches it well enough; this is called resonance. If none does, the row becomes a
new box.
"""

import matplotlib.pyplot as plt
import numpy as np

from resonart import FuzzyART, plot

rng = np.random.default_rng(5)
angle = rng.uniform(0, np.pi, 300)
arc = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.05, (300, 2))
X = rng.permutation(np.concatenate([arc, rng.normal([0, 0.1], 0.12, (120, 2))]))

figure, axes = plt.subplots(1, 4, figsize=(14, 3.2), layout="constrained", sharey=True)
for ax, rho in zip(axes, (0.3, 0.7, 0.85, 0.95), strict=True):
    model = FuzzyART(rho=rho).fit(X)
    plot.categories(model, X, ax=ax, legend=False)
    ax.set(title=f"rho={rho}: {model.n_clusters_} boxes", xlabel="", ylabel="")
plt.show()

# %%
# The same rows, as they arrive one by one. A box grows just enough to hold a new row.

model = FuzzyART(rho=0.75, bounds=(X.min(axis=0), X.max(axis=0)))
figure, axes = plt.subplots(1, 4, figsize=(14, 3.2), layout="constrained", sharey=True)
learned = 0
for ax, count in zip(axes, (5, 20, 80, 420), strict=True):
    model.partial_fit(X[learned:count])
    learned = count
    plot.categories(model, X[:count], ax=ax, legend=False)
    ax.set(title=f"after {count} rows: {model.n_clusters_} boxes", xlabel="", ylabel="")
    ax.set(xlim=(-1.3, 1.3))
plt.show()
