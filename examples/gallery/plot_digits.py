"""
Handwritten digits
==================

1,797 digits of 64 pixels. Isomap projects them to eight dimensions first, and the picture shows
the mean digit of each cluster. DensityART does not know how many digits there are.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.manifold import Isomap
from sklearn.metrics import adjusted_mutual_info_score

from resonart import DensityART

X, y = load_digits(return_X_y=True)
flat = Isomap(n_neighbors=8, n_components=8).fit_transform(X)
model = DensityART(noise="nearest").fit(flat)
labels = model.labels_
print(model.n_clusters_, "clusters, adjusted mutual information with the digits:")
print(round(adjusted_mutual_info_score(y, labels), 2))

# %%
# Each panel is the mean of the images in a cluster, with the number of images and the share of
# its most common digit.

found, counts = np.unique(labels[labels >= 0], return_counts=True)
shown = found[np.argsort(-counts)][:12]
figure, axes = plt.subplots(2, 6, figsize=(11, 4.2), layout="constrained")
for ax in axes.flat:
    ax.axis("off")
for ax, label in zip(axes.flat, shown, strict=False):
    own = labels == label
    digit = np.bincount(y[own]).argmax()
    ax.imshow(X[own].mean(axis=0).reshape(8, 8), cmap="Blues")
    ax.set_title(f"{own.sum()} images\n{np.mean(y[own] == digit):.0%} are {digit}", fontsize=10)
plt.show()
