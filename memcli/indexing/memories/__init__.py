"""Generated memory: what a session leaves behind beside its own words.

Pure functions over one session: `summary` and `keywords`, and a language's `facts`; `insights` over facts of several.
What they make is in the words of its sources, and `verify` holds anything generated, also by a language model
(`by_model`), against them. `runner` runs them over the sessions that lack it.
"""
