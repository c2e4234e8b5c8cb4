"""A small campaign that comes with the package: made-up texts, simulated judges, and a place for a visitor."""

from __future__ import annotations

from .build import NAME, SETTINGS, Demo, demo_texts, make_demo

__all__ = ["NAME", "SETTINGS", "Demo", "demo_texts", "make_demo"]
