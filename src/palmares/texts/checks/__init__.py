"""Checks of a test set before it is used, one module a family; `palmares.texts.TEXT_CHECKS` lists them."""
