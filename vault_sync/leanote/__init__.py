"""Brings a Leanote account into a vault: a server, dump or export goes in, Markdown files come out.

    sources/  reads the account: server, MongoDB dump, `.leanote`, exporters' folders, HTML, Evernote files
      -> `account.py`  notebooks, listings, bodies and files in one form; `names.py`, `links.py`, `pictures.py`
    convert/  turns a body, Markdown or rich text, into Markdown for Obsidian
    write/    decides what is new, moved, edited or removed, and writes the files

Sources only read; only `write/vault_writer.py` writes, and never outside the vault.
"""
