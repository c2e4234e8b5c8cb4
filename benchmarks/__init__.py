"""Benchmarks: every figure is a ratio within one run, against a named peer or the bare loop."""
