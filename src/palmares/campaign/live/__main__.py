"""``python -m palmares.campaign.live``."""

from .process import main

main()
