"""A question -> an answer: from passages, relations, lists, overviews or rules."""
