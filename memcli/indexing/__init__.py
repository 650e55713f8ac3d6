"""From turns to units, postings, vectors and edges, incrementally."""
