"""The analysis of campaigns while they run, in one process for a database.

It reads new answers as they come, keeps counts and a fit, and writes snapshots: what to ask next, where the stopping
rule stands, what is still open. Web workers read these (`campaign.snapshots`) and compute nothing.
"""
