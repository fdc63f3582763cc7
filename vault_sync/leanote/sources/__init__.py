"""A server, dump or export goes in; a `LeanoteSource` with notebooks, note listings, bodies and files comes out.

`detect.py` chooses the reader. It never writes, never sends a change to a server, and bounds what archives unpack.
"""
