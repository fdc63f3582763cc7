"""Checks an answer: its sentences and the passages it cites go in, flags, citations and conflicts come out.

`verify.py` checks a model's reply, `conflict.py` compares sources. It never searches and never rewrites a sentence.
"""
