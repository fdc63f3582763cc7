"""Converted notes -> files of the vault, incrementally."""
