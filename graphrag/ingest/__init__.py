"""The write path: bytes become a Note, that cleaned text, that chunks and links, and those a staged snapshot."""
