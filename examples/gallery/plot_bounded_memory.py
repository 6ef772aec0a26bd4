"""
A long stream in bounded memory
===============================

A model keeps boxes, not rows. ``max_categories`` limits their number: when it is reached, boxes
may grow by a step, and learning goes on. Clusters stay the same, only coarser.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score

from resonart import DensityART, plot

X, y = make_circles(100_000, factor=0.45, noise=0.05, random_state=0)
limits = (200, 1000)
n_categories = {limit: [] for limit in limits}
models = {limit: DensityART(max_categories=limit, bounds=(-1.4, 1.4)) for limit in limits}
seen = []
for batch in np.array_split(X, 50):
    for limit, model in models.items():
        model.partial_fit(batch)
        n_categories[limit].append(model.n_categories_)
    seen.append(model.n_samples_seen_)

# %%
# On the left is the number of boxes over time, in the middle and on the right the boxes at the
# end.

figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
for limit, counts in n_categories.items():
    axes[0].plot(seen, counts, label=f"max_categories={limit}")
axes[0].set(xlabel="rows learned", ylabel="categories", ylim=(0, None))
axes[0].legend()
for ax, model in zip(axes[1:], models.values(), strict=True):
    model.update_clusters()
    score = adjusted_rand_score(y, model.predict(X))
    plot.categories(model, ax=ax, legend=False)
    ax.set(title=f"{model.n_categories_} boxes, adjusted Rand index {score:.2f}", aspect="equal")
plt.show()
