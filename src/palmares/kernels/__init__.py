"""Compiled inner loops: pure functions on arrays, and nothing else.

The only room that imports numba. A kernel is imported inside the function of a model that needs it, so that models
without one never wait for the compiler.
"""
