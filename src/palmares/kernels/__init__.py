"""Compiled inner loops: pure functions on arrays, nothing else."""
