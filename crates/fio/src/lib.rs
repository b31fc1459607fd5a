//! fio's job files and JSON: read, written, translated to and from the device workload's parameters.
//!
//! Text and bytes in, values out: nothing here opens a file or starts a process. What fio means by an option was
//! checked against fio 3.33.
//!
//! - [`job`] reads a job file, every option with its line.
//! - [`translate`] turns it into parameters of the workload `device`, or refuses option by option.
//! - [`export`] writes a configuration as a job file.
//! - [`json`] reads and writes fio's `--output-format=json`.

pub mod export;
pub mod job;
pub mod json;
mod options;
pub mod quantity;
pub mod translate;
