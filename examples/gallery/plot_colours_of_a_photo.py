"""
The colours of a photo
======================

The pixels of a photo are rows of three features. Fuzzy ART covers them with boxes of similar
colours, and each box becomes one colour of a palette. The vigilance says how different the
colours of a box may be, in the units of the picture: here at most 90 of 255 in every channel.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from resonart import FuzzyART
from resonart.tuning import vigilance_for

photo = load_sample_image("china.jpg")[::3, ::3]
pixels = photo.reshape(-1, 3).astype(float)
bounds = ([0, 0, 0], [255, 255, 255])

rho = vigilance_for(90, FuzzyART(), bounds=bounds, of="box")
model = FuzzyART(rho=rho, bounds=bounds, order="random", random_state=0).fit(pixels)
labels = model.predict(pixels)
palette = np.array([pixels[labels == k].mean(axis=0) for k in range(model.n_clusters_)])
print(f"rho = {rho:.3f} gives {model.n_clusters_} colours for {len(pixels)} pixels")

# %%
# The photo, and the same photo with the colours of the palette alone.

figure, axes = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
axes[0].imshow(photo)
axes[0].set_title(f"{len(np.unique(pixels, axis=0)):,} colours")
axes[1].imshow(palette[labels].reshape(photo.shape).astype(np.uint8))
axes[1].set_title(f"{model.n_clusters_} colours")
for ax in axes:
    ax.axis("off")
plt.show()

# %%
# The palette, by how many pixels have each colour.

counts = np.bincount(labels, minlength=len(palette))
figure, ax = plt.subplots(figsize=(12, 1), layout="constrained")
left = 0
for k in np.argsort(-counts):
    ax.barh(0, counts[k], left=left, color=palette[k] / 255)
    left += counts[k]
ax.axis("off")
plt.show()
