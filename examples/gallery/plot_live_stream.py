"""
A live stream, row by row
=========================

``learn_one`` learns a row and returns its label at once. Clusters are read again as rows arrive,
and a cluster keeps its label from reading to reading. Here two spirals appear in random order.
"""

import matplotlib.pyplot as plt
import numpy as np

from resonart import DensityART, plot

rng = np.random.default_rng(0)
turn = np.sqrt(rng.uniform(0.02, 1, 3000)) * 3.2 * np.pi
arm = rng.integers(0, 2, len(turn)) * np.pi
X = np.column_stack([turn * np.cos(turn + arm), turn * np.sin(turn + arm)])
X += rng.normal(0, 0.35, X.shape)

model = DensityART()
figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained")
moments = dict(zip((100, 400, 1200, 3000), axes, strict=True))
for count, row in enumerate(X, start=1):
    model.learn_one(row)
    if count in moments:
        ax = moments[count]
        plot.categories(model, X[:count], ax=ax, legend=False)
        ax.set(title=f"after {count} rows: {model.n_clusters_} clusters", xlabel="", ylabel="")
        ax.set(xlim=(-11.5, 11.5), ylim=(-11.5, 11.5), aspect="equal")
plt.show()

# %%
# Readings happen when as many rows have arrived as the last reading saw, so that they cost no
# more per row as the stream grows.

print(model.n_samples_seen_, "rows,", model.n_readings_, "readings,", model.n_clusters_, "clusters")

# %%
# ``learn_many`` learns a batch in the same way and returns more: the label of each row, its match
# before it was learned, and what was renamed on the way.

learned = model.learn_many(X[:200])
print(learned.labels[:10], learned.matches[:3].round(3), len(learned.renamings), "renamings")
