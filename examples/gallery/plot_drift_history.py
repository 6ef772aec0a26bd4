"""
Clusters that drift, split, merge and vanish
============================================

A stream of 20,000 rows whose clusters change. The model forgets old rows with a half-life of
1,000 rows, and its diary lists what became of the clusters.
"""

import matplotlib.pyplot as plt
import numpy as np

from resonart import DensityART, plot

n = 20_000
rng = np.random.default_rng(0)
t = np.linspace(0, 1, n)
apart = 2.2 * np.clip((t - 0.3) / 0.12, 0, 1)
nearer = 4 * np.clip((t - 0.55) / 0.2, 0, 1)
zero, eight = np.zeros(n), np.full(n, 8.0)
centres = np.stack(
    [
        np.column_stack([6 * t, zero]),  # drifts
        np.column_stack([-apart, eight]),  # splits
        np.column_stack([apart, eight]),
        np.column_stack([14 - nearer, eight]),  # appears, and merges into the next
        np.column_stack([np.full(n, 10.0), eight]),
        np.column_stack([np.full(n, 12.0), zero]),  # vanishes
    ],
    axis=1,
)
exists = np.ones((n, 6), dtype=bool)
exists[:, 3], exists[:, 5] = t > 0.2, t < 0.6
which = np.argmax(np.where(exists, rng.random((n, 6)), -1), axis=1)
X = rng.normal(centres[np.arange(n), which], 0.55)

model = DensityART(half_life=1_000)
for batch in np.array_split(X, 40):
    model.partial_fit(batch)
print(model.events_)

# %%
# Each band is a cluster, as wide as the rows that count. Bands that split and merge are joined.

figure, ax = plt.subplots(figsize=(10, 4.5), layout="constrained")
plot.history(model, ax=ax)
plt.show()

# %%
# A model that forgets nothing still has the cluster that vanished 8,000 rows ago.

keeps_all = DensityART().partial_fit(X)
print("forgets:", model.predict([[12, 0]]), "keeps everything:", keeps_all.predict([[12, 0]]))
