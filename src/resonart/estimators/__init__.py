"""The estimators: scikit-learn shells over one native model each."""
