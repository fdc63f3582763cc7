"""The write path: files of the vault go in, a published snapshot comes out. Start reading at `indexer.py`.

file -> `Note` -> `CleanText` -> `Chunk` and `ResolvedLink` -> stores. It never writes to the vault, and never passes
a private note to a store.
"""
