"""The index on disk: chunks, vectors, graph and caches go in and come out; manifests bind them to one snapshot.

One module owns each engine. It never reads a note file, and never changes what a published manifest names.
"""
