"""Reads a question: its text and the names of a vault go in, a `QueryPlan` comes out. Start reading at `plan.py`.

The other modules each read one kind of question. It never reads a file or a store, and never calls a model.
"""
