"""The search: a `QueryPlan` and one open snapshot go in, ranked passages with their reasons come out.

Start reading at `pipeline.py`. It never writes an answer, and never looks at another snapshot during a request.
"""
