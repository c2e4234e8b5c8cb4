"""``python -m palmares``."""

from .cli import main

main()
