"""Pure functions of curation: shingles, MinHash, contamination, difficulty, mixture, splits."""
