"""
One density tree, read in three ways
====================================

DensityART builds a density tree over the rows and chooses how to read clusters from it. You can
choose instead: by excess of mass, by its leaves, or with a minimum size.
"""

import matplotlib.pyplot as plt
import numpy as np

from resonart import DensityART, plot

rng = np.random.default_rng(2)
centres = [(0, 0), (1.1, 0.3), (0.4, 1.2), (5, 0), (5.6, 1.0), (3, 4)]
sizes = [150, 150, 150, 200, 200, 300]
spreads = [0.25, 0.25, 0.25, 0.3, 0.3, 0.6]
X = np.concatenate(
    [rng.normal(c, s, (n, 2)) for c, s, n in zip(centres, spreads, sizes, strict=True)]
)

readings = {
    "chosen from the rows": {},
    "excess of mass, at least 100 rows": {
        "cluster_selection_method": "eom",
        "min_cluster_size": 100,
    },
    "leaves, at least 30 rows": {"cluster_selection_method": "leaf", "min_cluster_size": 30},
}
figure, axes = plt.subplots(2, 3, figsize=(13, 7), layout="constrained")
for column, (name, params) in zip(axes.T, readings.items(), strict=True):
    model = DensityART(**params).fit(X)
    plot.categories(model, X, labels=model.labels_, ax=column[0], legend=False)
    column[0].set(title=name, xlabel="", ylabel="")
    plot.condensed_tree(model, ax=column[1])
plt.show()

# %%
# The first model says how sure it is.

print(DensityART().fit(X).choice_)
