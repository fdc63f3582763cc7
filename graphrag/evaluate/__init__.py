"""Measures a search on questions whose answers are known: cases, metrics, report; it is given the search."""
