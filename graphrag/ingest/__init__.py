"""The write path: bytes become a Note, the note cleaned text, the text chunks and links, and those a staged snapshot."""
