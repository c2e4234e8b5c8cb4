"""Compiled inner loops (numba): pure functions on arrays of codes, imported only by the models that run them."""
