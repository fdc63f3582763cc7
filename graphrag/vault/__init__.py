"""One opened vault: settings and files go in; snapshots, visible lines, history and neighbourhoods come out.

`resources.py` builds the parts, `open_snapshot.py` hands out a snapshot. It never shows what the vault
no longer holds.
"""
