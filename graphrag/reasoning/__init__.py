"""What follows from the notes: Turtle -> `Ontology`, statements -> `Closure` with proofs, labels found in text."""
