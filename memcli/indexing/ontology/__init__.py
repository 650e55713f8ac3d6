"""What turns assert of their speakers, and the topics learned from it: an ontology of each person."""
