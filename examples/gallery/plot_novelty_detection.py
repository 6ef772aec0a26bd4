"""
Novelty detection
=================

A model that has learned what is normal says how well a new row matches it. ``score_samples``
returns the match with the nearest cluster: 1 is a perfect match, and the lower it is, the more
novel the row. ``predict`` returns -1 for a row that no cluster takes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

from resonart import DensityART

rng = np.random.default_rng(1)
ring, _ = make_circles(600, factor=0.99, noise=0.04, random_state=2)
middle = rng.normal(0, 0.12, (200, 2))
normal = np.concatenate([ring, middle])
model = DensityART().fit(normal)

new = rng.uniform(-1.7, 1.7, (60, 2))
is_novel = model.predict(new) == -1
print(f"{is_novel.sum()} of {len(new)} new rows are novel")

# %%
# The background shows the score at every place. The black line is where ``predict`` stops
# assigning rows to a cluster. The hole between the ring and its centre is novel, although it lies
# in the middle of the data. In the white spots, the nearest row that the model knows is an outlier
# itself, and the match is nearly 0.

side = np.linspace(-1.8, 1.8, 160)
grid = np.array([[x, y] for y in side for x in side])
scores = model.score_samples(grid).reshape(len(side), -1)
taken = (model.predict(grid) >= 0).reshape(len(side), -1)

figure, ax = plt.subplots(figsize=(7, 5.6), layout="constrained")
surface = ax.contourf(side, side, scores, levels=20, cmap="Blues")
figure.colorbar(surface, label="match with the nearest cluster")
ax.contour(side, side, taken, levels=[0.5], colors="black", linewidths=1)
ax.scatter(*normal.T, s=3, color="white", alpha=0.6)
ax.scatter(*new[~is_novel].T, s=40, color="#009E73", edgecolors="white", label="known")
ax.scatter(*new[is_novel].T, s=45, color="#D55E00", marker="X", edgecolors="white", label="novel")
ax.legend(loc="upper right")
ax.set(title="Normal rows (white), new rows, and the score", aspect="equal")
plt.show()
