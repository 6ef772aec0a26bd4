"""
Is there any structure? The VAT image
=====================================

VAT orders rows so that clusters lie together and draws their distances. Dark blocks along the
diagonal are clusters. A picture without blocks says that there is nothing to find.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine, make_moons
from sklearn.preprocessing import StandardScaler

from resonart import plot, vat_order

wine, kinds = load_wine(return_X_y=True)
data_sets = {
    "two moons": make_moons(400, noise=0.05, random_state=0)[0],
    "wine, 13 features": StandardScaler().fit_transform(wine),
    "no structure": np.random.default_rng(0).random((400, 2)),
}
figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for ax, (name, X) in zip(axes, data_sets.items(), strict=True):
    plot.vat(X, ax=ax)
    ax.set_title(name)
plt.show()

# %%
# ``vat_order`` returns the order itself. In the order of the wines, the three kinds lie mostly
# together, although they were not given.

order = vat_order(data_sets["wine, 13 features"])
figure, ax = plt.subplots(figsize=(12, 1.2), layout="constrained")
ax.imshow(kinds[order][None], aspect="auto", cmap="viridis")
ax.set(yticks=[], xlabel="wines in VAT order", title="kind of wine")
plt.show()
