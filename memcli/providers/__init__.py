"""Models behind seams: embedders, and fakes for tests."""
