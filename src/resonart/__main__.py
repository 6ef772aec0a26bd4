"""``python -m resonart`` is ``resonart``."""

from __future__ import annotations

import sys

from resonart.cli import main

if __name__ == "__main__":
    sys.exit(main())
