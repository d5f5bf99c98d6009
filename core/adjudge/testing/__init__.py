"""What plugin authors and our own tests use."""
