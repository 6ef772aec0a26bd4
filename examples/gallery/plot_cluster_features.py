"""
Clusters as features of a classifier
====================================

``transform`` gives the match of each row with each cluster. As features, these matches let a
linear classifier draw curved borders. Here it learns to tell two spirals apart.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from resonart import ClusterMatches, FuzzyART

rng = np.random.default_rng(0)
turn = np.sqrt(rng.uniform(0.03, 1, 1200)) * 2.6 * np.pi
y = rng.integers(0, 2, len(turn))
X = np.column_stack([turn * np.cos(turn + y * np.pi), turn * np.sin(turn + y * np.pi)])
X += rng.normal(0, 0.3, X.shape)

pipelines = {
    "the rows alone": make_pipeline(StandardScaler(), LogisticRegression()),
    "matches with the 3 nearest clusters": make_pipeline(
        StandardScaler(), ClusterMatches(FuzzyART(rho=0.93), top=3), LogisticRegression(C=10)
    ),
}

# %%
# Both classifiers are linear. Only the features differ.

side = np.linspace(-9.5, 9.5, 200)
grid = np.array([[a, b] for b in side for a in side])
figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for ax, (name, pipeline) in zip(axes, pipelines.items(), strict=True):
    score = cross_val_score(pipeline, X, y).mean()
    answer = pipeline.fit(X, y).predict_proba(grid)[:, 1].reshape(len(side), -1)
    ax.contourf(side, side, answer, levels=20, cmap="coolwarm", alpha=0.7)
    ax.scatter(*X.T, s=6, c=np.where(y, "#8B0000", "#00008B"))
    ax.set(title=f"{name}: {score:.0%} right", aspect="equal", xticks=[], yticks=[])
plt.show()
