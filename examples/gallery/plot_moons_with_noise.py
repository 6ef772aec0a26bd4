"""
Moons with noise
================

Two moons and rows scattered all over the place, clustered with nothing tuned.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from resonart import DensityART, plot

rng = np.random.default_rng(0)
moons, _ = make_moons(1000, noise=0.05, random_state=0)
X = np.concatenate([moons, rng.uniform([-2, -1.5], [3, 2], (100, 2))])
model = DensityART().fit(X)
fig, ax = plt.subplots()
plot.categories(model, X, labels=model.labels_, ax=ax)
plt.show()
