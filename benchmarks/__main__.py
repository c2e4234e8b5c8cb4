"""``python -m benchmarks [NAME …]``: run all that measure speed, or those named.

Some studies take options of their own: ``python -m benchmarks uncertainty --help``.
"""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = (
    "startup",
    "resampling",
    "models",
    "judges_differ",
    "next_choice",
    "scores",
    "report",
    "scan",
    "server",
    "watched",
    "browser",
    "live_results",
)
#: Long, and not of speed: run by name only; some take options of their own.
WITH_OPTIONS = ("active", "judge_coverage", "judge_recovery", "noise", "uncertainty")
STUDIES = (
    "active_campaign",
    "assignment",
    "coverage",
    "effects",
    "forced_ties",
    "judge_flags",
    "kappa",
    "planning",
    "simulation",
    "simulation_like",
    "stopping",
    "weighing",
    *WITH_OPTIONS,
)


def main() -> None:
    if sys.argv[1:2] and sys.argv[1] in WITH_OPTIONS:
        import_module(f".{sys.argv[1]}", __package__).main(sys.argv[2:])
        return
    for name in sys.argv[1:] or NAMES:
        if name not in (*NAMES, *STUDIES):
            sys.exit(f"unknown benchmark {name!r}; there are: {', '.join((*NAMES, *STUDIES))}")
        import_module(f".{name}", __package__).main()


if __name__ == "__main__":
    main()
