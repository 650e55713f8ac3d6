"""English as far as rules over words know it: verbs and their forms, words that say little, noun phrases. No parser."""
