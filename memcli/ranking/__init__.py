"""Pure functions from arrays to arrays: BM25, signals, gates and fusion."""
