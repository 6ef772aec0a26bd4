"""The experiments of the DDVFA paper: ``python -m paper run`` makes them, ``report`` shows them.

Methods, data sets, the runner, results, statistics and figures are kept apart. A method or a data
set more is one small file in ``methods/`` or ``data_sets/``.
"""
