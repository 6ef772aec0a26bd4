"""How fast, how lean, and next to whom: run with ``python -m benchmarks.run``."""
