"""
One outlier that squeezes a feature
===================================

Features are scaled by their ranges. One value that is far off takes most of a range, and all
other rows look alike. resonart warns about this and says which ``bounds`` to give.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from resonart import DDVFA, OutlierWarning, plot

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(c, 0.6, (150, 2)) for c in ([0, 0], [4, 1], [2, 5])])
X = np.concatenate([X, [[400.0, 3.0]]])  # a typing error
given = {"rho_lb": 0.8, "rho_ub": 0.9}

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    squeezed = DDVFA(**given).fit(X)
print(*(w.message for w in caught if issubclass(w.category, OutlierWarning)), sep="\n")

# %%
# With the bounds of the other rows, and values beyond them clipped, the clusters are back. On the
# left there are three, too, but two groups are one cluster, and the outlier is another.

low, high = X[:-1].min(axis=0), X[:-1].max(axis=0)
repaired = DDVFA(**given, bounds=(low, high), out_of_bounds="clip").fit(X)

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, model, name in zip(
    axes, (squeezed, repaired), ("ranges with the outlier", "bounds given"), strict=True
):
    plot.categories(model, X, labels=model.labels_, ax=ax, legend=False)
    ax.set(title=f"{name}: {model.n_clusters_} clusters", xlim=(-3, 7), ylim=(-3, 8))
plt.show()
