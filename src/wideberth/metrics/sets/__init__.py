"""Sets, weighted sets and fingerprints."""
