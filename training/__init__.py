"""Where the tables of DensityART's choice come from: run with ``python -m training``.

Labelled sets are made and read (``generate``, ``records``), the choice is judged on sets and on
kinds of sets it has not seen (``validate``), fitted to all of them (``fit``) and written as the
two tables that the engine is compiled with (``tables``). See README.md.
"""
