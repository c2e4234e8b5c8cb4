"""Campaigns before they happen: simulated ones, how far ranges can be trusted in them, what to ask next, when to stop.

All of it is pure: no database, no web. `campaign` brings the counts of its store to `next` and `stopping`; a plan
that simulates a campaign brings its own.
"""
