"""Collect judgments: a campaign's definition, its store, who may do what, and what is asked next.

Nothing here knows of the web. The store is one database (SQLite or PostgreSQL) that may hold several campaigns;
judgments and the journal are only ever added to.
"""
