"""The read path: a question becomes a plan, candidates, a context, and an answer whose citations were checked."""
