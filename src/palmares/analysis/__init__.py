"""What can be asked of judgments beyond a ranking: one room a command."""
