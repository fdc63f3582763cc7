"""A question goes in, an `Answer` with citations comes out; `dispatch.py` tries the readings of the question's plan.

One `Answerer` a kind: passages, relations, lists, overviews, direct replies. `conversation.py` reads follow-ups.
It never writes to a store; only `saved_answer.py` writes into the vault, always a new note.
"""
