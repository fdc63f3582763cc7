"""The terms of the project as frozen dataclasses and Protocols. Start reading at `note.py`."""
