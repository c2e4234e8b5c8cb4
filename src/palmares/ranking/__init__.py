"""How sure a ranking is: resampling, rank ranges, clusters, sign tests, head-to-head tables."""
