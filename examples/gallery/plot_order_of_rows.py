"""
The order of rows, and Merge ART
================================

ART models depend on the order in which rows arrive. DDVFA merges clusters at the end of ``fit``
with Merge ART, which repairs most of it. Presenting rows in VAT order avoids the problem.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from resonart import DDVFA, plot

X, _ = make_moons(600, noise=0.05, random_state=1)
given = {"rho_lb": 0.85, "rho_ub": 0.93}
variants = {
    "random order": DDVFA(**given, auto_merge=False, order="random", random_state=0),
    "random order, Merge ART": DDVFA(**given, order="random", random_state=0),
    "VAT order": DDVFA(**given, auto_merge=False, order="vat"),
}
figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, variants.items(), strict=True):
    model.fit(X)
    plot.categories(model, X, labels=model.labels_, ax=ax, legend=False)
    ax.set(title=f"{name}: {model.n_clusters_} clusters", xlabel="", ylabel="")
plt.show()

# %%
# How many clusters come out of 50 random orders?

figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
for i, (name, merge) in enumerate([("without Merge ART", False), ("with Merge ART", True)]):
    counts = [
        DDVFA(**given, auto_merge=merge, order="random", random_state=seed).fit(X).n_clusters_
        for seed in range(50)
    ]
    values, times = np.unique(counts, return_counts=True)
    ax.bar(values + 0.35 * i - 0.175, times, width=0.35, label=name)
ax.set(xlabel="clusters", ylabel="orders")
ax.legend()
plt.show()
