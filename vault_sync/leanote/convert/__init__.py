"""A note's body as Leanote stores it goes in; Markdown that Obsidian shows the same way comes out.

`body.py` chooses: `dialect.py` for Markdown notes, `rich_text.py` for rich text. It never reads or writes a file.
"""
