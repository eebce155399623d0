"""`python -m ce` is `ce`."""

from __future__ import annotations

import sys

from ce.faces.cli import main

if __name__ == "__main__":
    sys.exit(main())
