"""Follows a vault: which files there are, when they changed, and at which commit. It never writes to a store."""
