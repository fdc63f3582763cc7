"""The command line: arguments go in, rendered results and exit codes come out; `main.py` lists the commands.

Each command calls one method of the facade. It never decides what a question means, and never opens a store itself.
"""
