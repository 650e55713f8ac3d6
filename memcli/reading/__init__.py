"""Reading: ranked hits into a context, a short answer and its evidence. A search needs the evidence alone."""
