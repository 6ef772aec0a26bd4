"""
From a distance in your units to a vigilance
============================================

A vigilance is a number between 0 and 1, and what it means depends on the feature ranges.
:func:`~resonart.tuning.vigilance_for` turns a distance in your own units into a vigilance: no
data are needed, only the ranges. :func:`~resonart.tuning.distance_for` is the way back.
"""

import matplotlib.pyplot as plt
import numpy as np

from resonart import DDVFA, FuzzyART, plot
from resonart.tuning import distance_for, vigilance_for

# %%
# Places in a city of 10 km by 6 km. Boxes are to be no larger than 1 km by 0.6 km.

ranges = ([0, 0], [10, 6])
rho = vigilance_for([1, 0.6], FuzzyART(), bounds=ranges, of="box")
print(f"rho = {rho:.3f}")

# %%
# DDVFA joins boxes into clusters. Places up to 0.5 km apart in each direction belong together.

rho_lb = vigilance_for(0.5, DDVFA(), bounds=ranges)
rho_ub = vigilance_for([0.5, 0.5], DDVFA(), bounds=ranges, of="box")
print(f"rho_lb = {rho_lb:.3f}, rho_ub = {rho_ub:.3f}")
print("in one direction alone:", distance_for(rho_lb, DDVFA(), bounds=ranges, alone=True).round(2))

# %%
# Now the data arrive: stops along three streets and a market place.

rng = np.random.default_rng(0)
s = rng.random(250)
X = np.concatenate(
    [
        np.column_stack([0.8 + 4 * s, 1 + 0.8 * np.sin(4 * s)]),
        np.column_stack([1 + 5 * s, 4.2 + s]),
        np.column_stack([6.5 + 0.4 * np.cos(5 * s), 0.5 + 3 * s]),
        rng.normal([8.7, 4.4], 0.35, (250, 2)),
    ]
)
X = rng.permutation(X + rng.normal(0, 0.06, X.shape)).clip(ranges[0], ranges[1])

boxes = FuzzyART(rho=rho, bounds=ranges).fit(X)
places = DDVFA(rho_lb=rho_lb, rho_ub=rho_ub, bounds=ranges).fit(X)
largest = (boxes.boxes_.upper - boxes.boxes_.lower).max(axis=0)
print("largest sides of a box:", largest.round(2), "km;", places.n_clusters_, "clusters of DDVFA")

figure, axes = plt.subplots(1, 2, figsize=(12, 4), layout="constrained", sharey=True)
plot.categories(boxes, X, ax=axes[0], legend=False)
axes[0].set(title=f"fuzzy ART, rho={rho:.3f}: {boxes.n_clusters_} boxes", xlabel="km", ylabel="km")
plot.categories(places, X, ax=axes[1], legend=False)
axes[1].set(title=f"DDVFA: {places.n_clusters_} clusters", xlabel="km", ylabel="")
plt.show()

# %%
# The differences of all features add up, so a box that is narrow in one feature may be longer
# than 1 km in the other. The sum of its sides, as shares of the ranges, is at most 0.2.
