"""The vault over HTTP: requests with a token go in, JSON, event streams and the page come out.

It alone is asynchronous; the library runs in threads. It never answers without a valid token or outside its limit.
"""
