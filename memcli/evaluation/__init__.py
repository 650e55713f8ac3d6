"""Honest measurement: benchmarks as haystacks, and metrics."""
