"""``python -m benchmarks [NAME …]``: run all that measure speed, or those named.

The study of uncertainty takes options of its own: ``python -m benchmarks uncertainty --help``.
"""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("startup", "resampling", "models", "judges_differ", "scan", "server", "browser")
#: Long, and not of speed: run by name only.
STUDIES = ("coverage", "effects", "forced_ties", "kappa", "uncertainty", "weighing")


def main() -> None:
    if sys.argv[1:2] == ["uncertainty"]:
        from .uncertainty import main as study

        study(sys.argv[2:])
        return
    for name in sys.argv[1:] or NAMES:
        if name not in (*NAMES, *STUDIES):
            sys.exit(f"unknown benchmark {name!r}; there are: {', '.join((*NAMES, *STUDIES))}")
        import_module(f".{name}", __package__).main()


if __name__ == "__main__":
    main()
