"""What was measured, kept between runs: a cache, never truth."""
