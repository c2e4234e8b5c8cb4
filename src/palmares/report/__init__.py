"""From results to what people read: terminal, Markdown, LaTeX, CSV."""
