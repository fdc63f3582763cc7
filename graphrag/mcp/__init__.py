"""The vault for agents, by the Model Context Protocol: tool arguments go in, short results come out.

It calls the facade, over stdio or mounted in the HTTP server. It never writes, unless `--allow-write` adds one tool.
"""
