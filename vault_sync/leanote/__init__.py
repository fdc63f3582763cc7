"""Brings a Leanote account into a vault: from a server, a database dump, or what the apps and exporters write.

source -> notebooks, listings, bodies, files (`account.py`) -> names -> Markdown -> files of the vault, once each.
Sources only read; only `vault_writer.py` writes, and never outside the vault.
"""
