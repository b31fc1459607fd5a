//! fio's job files and JSON: read, written, translated to and from the device workload's parameters.
