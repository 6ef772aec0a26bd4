"""
All vigilances at once
======================

DDVFA has two vigilances. :class:`~resonart.tuning.VigilancePlane` knows the result of every pair,
in several orders of the rows, at a small part of the cost of fitting each of them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from resonart import DDVFA, plot
from resonart.tuning import VigilancePlane, choose_vigilance

X, y = load_iris(return_X_y=True)
plane = VigilancePlane(DDVFA(), step=0.02, n_orders=5, random_state=0, progress=False).fit(X, y)
print(len(plane.to_frame()), "cells; the best:", plane.best_params_, round(plane.best_score_, 3))

# %%
# Without labels, a pair can be chosen by how its clusters look.

choice = choose_vigilance(X, random_state=0, progress=False)
print(choice)

# %%
# The adjusted Rand index and the number of clusters over the plane. ``rho_lb`` is never larger
# than ``rho_ub``, so that the plane is a triangle.

figure, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
plot.vigilance_plane(plane, "ari", ax=axes[0])
plot.vigilance_plane(plane, "clusters", ax=axes[1])
for ax in axes:
    ax.plot(choice.params["rho_lb"], choice.params["rho_ub"], "*", ms=14, mfc="white", mec="black")
plt.show()

# %%
# The star is the pair that was chosen without labels.
