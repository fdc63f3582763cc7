"""Infers relations: Turtle and the notes' statements go in, a `Closure` with a proof for each fact comes out.

It also finds the ontology's names in text. It never reads a note or a store, and never asserts a contradiction.
"""
