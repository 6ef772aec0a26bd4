"""
Anomalies in the windows of a time series
=========================================

A machine vibrates in three regular modes. The signal is cut into windows, and a few numbers
describe each window. A model learns the windows of the first half, which are normal. In the
second half two faults occur: a bearing that rattles and a sensor that freezes.
"""

import matplotlib.pyplot as plt
import numpy as np

from resonart import DensityART

rng = np.random.default_rng(0)
WINDOW, N_WINDOWS = 100, 600
mode = np.repeat(rng.integers(0, 3, N_WINDOWS // 10), 10)
t = np.arange(WINDOW)
signal = np.stack(
    [
        np.sin(t * (0.2, 0.35, 0.6)[m]) * (1.0, 1.6, 0.7)[m] + rng.normal(0, 0.1, WINDOW)
        for m in mode
    ]
)
signal[380:388] += rng.normal(0, 1.2, (8, WINDOW))  # the bearing
signal[500:506] = signal[500, 0] + rng.normal(0, 0.01, (6, WINDOW))  # the frozen sensor


# %%
# Three features of a window: its deviation, how often it crosses its mean, and its roughness.


def features(windows):
    centred = windows - windows.mean(axis=1, keepdims=True)
    crossings = (np.diff(np.sign(centred), axis=1) != 0).mean(axis=1)
    roughness = np.abs(np.diff(windows, axis=1)).mean(axis=1)
    return np.column_stack([windows.std(axis=1), crossings, roughness])


X = features(signal)
half = N_WINDOWS // 2
model = DensityART().fit(X[:half])
labels, scores = model.predict(X), model.score_samples(X)
reported = half + np.flatnonzero(labels[half:] == -1)
print(model.n_clusters_, "modes found; windows reported:", reported)

# %%
# The signal, coloured by mode, and the score of each window. Windows that match no mode are
# marked.

figure, (top, bottom) = plt.subplots(2, figsize=(11, 5), sharex=True, layout="constrained")
colours = np.array(["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00"])
for i in range(N_WINDOWS):
    place = i + t / WINDOW
    top.plot(place, signal[i], lw=0.4, color=colours[labels[i]])
bottom.plot(np.arange(N_WINDOWS) + 0.5, scores, ".", ms=3, color="#555555")
bottom.plot(reported + 0.5, scores[reported], "X", ms=8, color="#D55E00", label="no mode matches")
for ax in (top, bottom):
    ax.axvline(half, color="black", lw=1, ls="--")
top.set(ylabel="signal", title="learned (left of the line) and watched (right of it)")
bottom.set(ylabel="match", xlabel="window")
bottom.legend(loc="lower left")
plt.show()
