"""Material into new material: code operators and rewriting."""
