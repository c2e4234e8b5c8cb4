"""Checks of a test set before it is used: `base` runs them, and each family has a module (`TEXT_CHECKS` lists them)."""
