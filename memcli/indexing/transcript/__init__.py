"""What was said, indexed: sentences, postings, vectors, rounds, neighbours, a few sessions a transaction."""
