"""How well rows match each cluster, as a frame, and the best few where clusters are many.

Run it with ``python examples/sklearn_matches.py`` (needs pandas).
"""

from __future__ import annotations

from sklearn.datasets import load_iris

from resonart import DDVFA


def main() -> None:
    X = load_iris(as_frame=True).data
    model = DDVFA(rho_lb=0.5, rho_ub=0.7).set_output(transform="pandas").fit(X)
    asked = X.iloc[[0, 60, 120]]
    print(model.transform(asked).round(2))

    labels, matches = model.nearest_clusters(asked, 1)
    print("nearest:", labels.ravel(), "by a match of", matches.ravel().round(2))
    print("as predicted:", model.predict(asked), "with", model.score_samples(asked).round(2))


if __name__ == "__main__":
    main()
