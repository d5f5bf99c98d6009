"""AI Judge's services (seed 003, section 4): sub-tasks, the choice of a granularity, aggregation, judging."""
