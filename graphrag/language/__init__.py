"""Dates, numbers, units, negation, sentences and marks of Chinese and English text."""
