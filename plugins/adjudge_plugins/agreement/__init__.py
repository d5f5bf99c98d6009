"""Agreement of verdicts with human labels: statistics, calibration, and the command ``agreement``."""
