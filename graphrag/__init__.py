"""vault-graphrag: answers from your own Markdown vault, along its links, on your own machine."""
