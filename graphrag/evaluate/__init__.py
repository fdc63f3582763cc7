"""Measures a search or an answer: cases with known answers go in, metrics and reports come out.

It also makes cases from a vault and finds the vault's threshold for refusing. It never changes the index.
"""
