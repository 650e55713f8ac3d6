"""A store as arrays: what strategies score over and the graph page draws, one module for each kind of thing."""
