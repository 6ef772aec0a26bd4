"""
Customer segments as rules
==========================

Clusters are sets of boxes in your own units, so that a segment can be written as a rule.
``describe`` and :func:`~resonart.export_text` write the rules, and ``explain`` says why a
customer is in a segment.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from resonart import DDVFA, export_text, plot

rng = np.random.default_rng(4)
segments = [  # age, orders per year, spent per order, customers
    ((24, 3), (14, 2.5), (25, 6), 160),
    ((41, 5), (5, 1.5), (120, 18), 140),
    ((66, 5), (9, 2), (55, 10), 120),
]
customers = pd.concat(
    [
        pd.DataFrame(
            {
                "age": rng.normal(*age, n).round(),
                "orders": rng.normal(*orders, n).round().clip(1),
                "basket": rng.normal(*basket, n).round(2).clip(1),
            }
        )
        for age, orders, basket, n in segments
    ],
    ignore_index=True,
)

model = DDVFA(random_state=0, verbose=False).fit(customers)
print(export_text(model, max_categories=1, max_clusters=3))

# %%
# Why is this customer in that segment, and what would be the next best?

print(model.explain({"age": 47, "orders": 6, "basket": 101.0}))

# %%
# The boxes of two features, over the customers.

figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
for ax, features in zip(axes, [("age", "basket"), ("age", "orders")], strict=True):
    plot.categories(model, customers, labels=model.labels_, features=features, ax=ax, legend=False)
plt.show()
