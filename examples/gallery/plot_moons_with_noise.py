"""
Shapes and noise, with nothing tuned
====================================

Two moons, two groups of different density, and rows scattered over the whole plane.
:class:`~resonart.DensityART` finds the clusters and labels the scattered rows -1.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from resonart import DensityART, plot

rng = np.random.default_rng(0)
moons, _ = make_moons(800, noise=0.06, random_state=0)
dense = rng.normal([3.2, 0.9], 0.1, (200, 2))
sparse = rng.normal([3.4, -0.5], 0.3, (150, 2))
scattered = rng.uniform([-1.8, -1.6], [4.6, 1.9], (80, 2))
X = rng.permutation(np.concatenate([moons, dense, sparse, scattered]))

model = DensityART().fit(X)
print(model.n_clusters_, "clusters,", int(np.sum(model.labels_ == -1)), "rows of noise")

# %%
# ``choice_`` says how far to trust these clusters, and what the best other answer is.

print(model.choice_)

# %%
# On the left are the rows, coloured by cluster. On the right is the density tree behind them:
# each branch is as wide as it has rows, and the coloured branches are the clusters.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
plot.categories(model, X, labels=model.labels_, ax=left)
left.set(title="rows", xlabel="", ylabel="")
plot.condensed_tree(model, ax=right)
plt.show()
