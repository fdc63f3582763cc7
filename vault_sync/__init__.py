"""Follows a vault: a folder goes in; its note files, dates, commits and changes come out.

`leanote/` imports notebooks as Markdown. It never writes to a store, and imports only the domain and the errors.
"""
