"""Tokens of a served vault: made, listed, checked."""
