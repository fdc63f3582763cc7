"""Converted notes go in, files of the vault come out, and an import state for the next run. Start at `importer.py`.

Only what changed since the last run is written. It never overwrites a note that the user edited;
a notebook that became private only adds `rag: false` to it.
"""
