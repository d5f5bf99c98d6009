"""How far verdicts agree with people's labels: agreement statistics, calibration, the command ``agreement``."""
