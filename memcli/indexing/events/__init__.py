"""Events: elementary discourse units and structured chunks with their arguments (EMem, §3.2 and appendix A).

A language makes them offline, `by_model` by a language model; `checking` gives the verdict, `runner` runs them.
"""
