"""A question and the names of a vault -> what is asked for."""
