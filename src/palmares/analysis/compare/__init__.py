"""How well models predict judgments that they have not seen."""
