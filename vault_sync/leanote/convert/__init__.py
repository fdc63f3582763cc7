"""A note's body as Leanote stores it -> Markdown that Obsidian shows the same way."""
