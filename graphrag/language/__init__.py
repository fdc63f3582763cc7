"""Reads Chinese and English text: dates, numbers, units, negation, identifiers, sentences, Markdown marks.

Text goes in, values with their positions come out. It never knows a vault, and imports nothing of the project.
"""
