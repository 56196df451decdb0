"""`python -m fewest` is the same as the command `fewest`."""

import sys

from fewest.cli import main

if __name__ == "__main__":
    sys.exit(main())
