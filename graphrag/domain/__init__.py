"""The terms of the project as frozen dataclasses, and the ports as Protocols. Start reading at `note.py`.

Every other package takes these in and hands them out. It never reads a file, a store or a model.
"""
