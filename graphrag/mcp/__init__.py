"""The vault for agents, by the Model Context Protocol."""
