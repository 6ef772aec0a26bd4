"""
Web sessions: a stream with dates
=================================

Sessions of a web shop arrive over four weeks. In the third week a crawler appears; a little later
the shop closes its old checkout, and the sessions that used it end. A model with a half-life of
two days follows, and its diary says when each change happened.
"""

import matplotlib.pyplot as plt
import numpy as np

from resonart import DensityART, plot

# %%
# The stream: minutes on the site and pages seen, both on a logarithmic scale, and a time for each
# session.

rng = np.random.default_rng(0)
n = 9_000
day = np.sort(rng.uniform(0, 28, n))
kinds = {  # minutes, pages, first day, last day, share
    "readers": (8.0, 5, 0, 28, 4),
    "buyers": (20.0, 24, 0, 28, 2),
    "old checkout": (45.0, 9, 0, 18, 2),
    "crawler": (1.2, 80, 15, 28, 2),
}
weights = np.stack([np.where((day >= k[2]) & (day < k[3]), k[4], 0) for k in kinds.values()], 1)
kind = [rng.choice(len(kinds), p=w / w.sum()) for w in weights]
centres = np.log([[k[0], k[1]] for k in kinds.values()])
X = rng.normal(centres[kind], 0.18)
time = np.datetime64("2026-03-01") + (day * 86_400).astype("timedelta64[s]")

# %%
# Sessions are learned in the order in which they arrive. With dates as ``time``, a half-life can be
# a duration, and events have dates.

model = DensityART(half_life="2D")
for rows in np.array_split(np.arange(n), 100):
    model.partial_fit(X[rows], time=time[rows])
for event in model.events_:
    minutes, pages = np.exp(list(event.place.values()))
    when = event.time.astype("datetime64[m]")
    print(f"{when}: cluster {event.label} {event.kind}, {minutes:.0f} minutes, {pages:.0f} pages")

# %%
# Each band is a cluster, as wide as the sessions that count at that moment. A circle is a birth,
# a cross a death.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(12, 4.6), layout="constrained", width_ratios=[2, 1.2]
)
plot.history(model, ax=left)
recent = day > 21
plot.categories(model, X[recent], ax=right)
right.set(title="sessions of the last week", xlabel="log minutes", ylabel="log pages")
plt.show()
