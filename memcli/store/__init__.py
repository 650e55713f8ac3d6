"""One DuckDB file: what was said, and everything that is made from it."""
