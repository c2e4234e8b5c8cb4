"""The web server: pages for judges and organisers, and a JSON interface. It computes nothing: handlers call the store.

`palmares.server.app.create_app` makes the application.
"""
