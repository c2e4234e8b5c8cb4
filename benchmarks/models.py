"""The preference models, each against its peer in the same run."""

from __future__ import annotations

from . import bradley_terry, gibbs, trueskill


def main() -> None:
    bradley_terry.main()
    trueskill.main()
    gibbs.main()


if __name__ == "__main__":
    main()
