"""vault-graphrag answers questions from a Markdown vault, along its links, on the user's machine.

A vault and its settings come in; answers with citations go out. `app.py` is the facade, `domain/` has the terms.
Importing it loads no engine and no model library.
"""
