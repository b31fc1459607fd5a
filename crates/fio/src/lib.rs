//! fio's job files and JSON: read, written, translated to and from the parameters of the device workload.
//!
//! This crate is pure: text and bytes in, values out. It opens no file and starts no process; the binary resolves paths
//! and knows what ran. The meaning of each option was checked against fio 3.33.
//!
//! - [`job`] reads a job file, or options as on fio's command line, every option with its line.
//! - [`expand`] puts the values of variables in their places.
//! - [`translate`] turns it into parameters of the workload `device`, or refuses option by option.
//! - [`export`] writes a configuration as a job file.
//! - [`json`] reads and writes fio's `--output-format=json`.

pub mod export;
pub mod job;
pub mod json;
mod options;
pub mod quantity;
pub mod translate;
mod variables;

pub use variables::expand;
