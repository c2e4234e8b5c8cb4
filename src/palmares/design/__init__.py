"""Planning: campaigns that never happened."""
