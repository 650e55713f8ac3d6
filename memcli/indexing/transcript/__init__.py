"""What was said, indexed: sentences, postings, vectors, rounds, neighbours, a transaction a session."""
