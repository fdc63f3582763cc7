"""Versions of the steps whose results the stores hold: raise one whenever its step gives other results than before."""

PARSER = "4"
CLEANER = "2"
CHUNKER = "2"
