//! Seeded state machines that emit operations: no I/O, no clock
