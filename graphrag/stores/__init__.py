"""What lies on disk: chunks and vectors, the graph, cached embeddings, and the manifests that bind them."""
