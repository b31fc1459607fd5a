//! Plan, rounds, worker processes, records: runs an experiment and can be killed at any instant
