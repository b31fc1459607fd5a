//! fio's `--output-format=json`: written so that fio's readers take it, read as fio 2.x and 3.x wrote it.

mod output;
mod raw;
mod read;
mod result;
mod write;

pub use output::{FioDirection, FioDisk, FioJob, FioLatency, FioOutput};
pub use read::{ReadError, read};
pub use result::{DirectionResult, DiskFigures, JobResult, Latencies};
pub use write::write;
