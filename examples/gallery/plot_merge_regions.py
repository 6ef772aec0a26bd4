"""
Merging the models of four regions
==================================

Four regions learn their own rows and share models, not rows. :func:`~resonart.merge_models` makes
one model of them. Clusters that cross a border are found as one.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score

from resonart import DensityART, merge_models, plot

X, y = make_circles(2400, factor=0.5, noise=0.04, random_state=0)
bounds = ([-1.3, -1.3], [1.3, 1.3])
regions = {
    "north-west": (X[:, 0] < 0) & (X[:, 1] >= 0),
    "north-east": (X[:, 0] >= 0) & (X[:, 1] >= 0),
    "south-west": (X[:, 0] < 0) & (X[:, 1] < 0),
    "south-east": (X[:, 0] >= 0) & (X[:, 1] < 0),
}

# %%
# Each region learns at most 250 boxes. That is all it hands on.

models = {
    name: DensityART(bounds=bounds, max_categories=250).fit(X[here])
    for name, here in regions.items()
}
merged = merge_models(list(models.values()))
print({name: model.n_clusters_ for name, model in models.items()}, "->", merged.n_clusters_)
print("agreement with the rings:", round(adjusted_rand_score(y, merged.predict(X)), 3))

# %%
# ``label_maps_`` says which cluster of the merged model each old cluster has become.

for name, label_map in zip(models, merged.label_maps_, strict=True):
    print(name, label_map)

# %%
# The boxes of the four regions, and the merged model.

figure = plt.figure(figsize=(11, 5.4), layout="constrained")
left, right = figure.subfigures(1, 2)
small = left.subplots(2, 2)
for ax, (name, model) in zip(small.flat, models.items(), strict=True):
    plot.categories(model, X[regions[name]], ax=ax, legend=False)
    ax.set(title=name, xlabel="", ylabel="", xticks=[], yticks=[])
ax = right.subplots()
plot.categories(merged, X, ax=ax)
ax.set(title="merged", xlabel="", ylabel="", aspect="equal")
plt.show()
