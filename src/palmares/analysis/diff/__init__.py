"""What changed between two published rankings."""
