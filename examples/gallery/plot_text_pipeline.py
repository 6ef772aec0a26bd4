"""
Support tickets: a pipeline with text columns
=============================================

Text becomes numbers in a pipeline, and a clusterer ends it. Here short tickets go through TF-IDF
and a truncated SVD, next to a numeric column and a column of names.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from resonart import DensityART

rng = np.random.default_rng(0)
topics = {
    "delivery": "parcel late courier tracking address delivery lost door week waiting",
    "invoice": "invoice charge twice refund card payment bank amount wrong tax",
    "login": "password login reset account email locked code phone browser error",
}
hours = {"delivery": 30, "invoice": 12, "login": 2}
plans = {"delivery": "basic", "invoice": "business", "login": "basic"}
rows = []
for topic in rng.choice(list(topics), 360):
    words = rng.choice(topics[topic].split(), 4, replace=False)
    stray = rng.choice(" ".join(topics.values()).split(), 2)
    usual = rng.random() < 0.8
    rows.append(
        {
            "text": " ".join([*words, *stray, rng.choice(["please", "help", "hello"])]),
            "hours_open": rng.lognormal(np.log(hours[topic]), 0.3),
            "plan": plans[topic] if usual else "business",
            "topic": topic,
        }
    )
tickets = pd.DataFrame(rows)
print(tickets.head(3).to_string())

# %%
# The parts of the pipeline. The weights say how much each part counts: the text most, the two
# other columns less. ``scaling="given"`` keeps them; otherwise DensityART may choose another
# scaling.

columns = ColumnTransformer(
    [
        ("text", make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0)), "text"),
        ("hours", StandardScaler(), ["hours_open"]),
        ("plan", OneHotEncoder(sparse_output=False), ["plan"]),
    ],
    transformer_weights={"text": 3.0, "hours": 0.3, "plan": 0.3},
)
model = make_pipeline(columns, DensityART(min_cluster_size=20, scaling="given"))
labels = model.fit_predict(tickets)
print(pd.crosstab(tickets["topic"], labels, colnames=["cluster"]))

# %%
# The tickets in the plane of two SVD components, and the words that are most common in each
# cluster.

points = columns.transform(tickets)
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
colours = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#882255"]
for label in np.unique(labels):
    own = labels == label
    words = " ".join(tickets["text"][own]).split()
    common = pd.Series(words).value_counts().index[:3]
    name = "noise" if label < 0 else f"cluster {label}: " + ", ".join(common)
    colour = "#8C8C8C" if label < 0 else colours[label % len(colours)]
    ax.scatter(points[own, 1], points[own, 2], s=18, color=colour, label=name)
ax.set(xlabel="second component of the text", ylabel="third component of the text")
ax.legend()
plt.show()
