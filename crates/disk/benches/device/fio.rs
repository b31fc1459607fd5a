//! fio's side.

use super::{BLOCK, FILE_BYTES, Figures, Job};
use serde_json::Value;
use std::error::Error;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;

/// fio on one file.
pub(crate) struct Fio {
    file: PathBuf,
    /// Every CPU, for fio's own threads: were they on the job's, as this program is, they would interrupt it.
    cpus: String,
}

impl Fio {
    /// Before this program keeps to one CPU.
    pub(crate) fn new(file: &Path) -> Self {
        let last = std::thread::available_parallelism().map_or(1, NonZero::get) - 1;
        Self { file: file.to_owned(), cpus: format!("0-{last}") }
    }

    /// Runs the job with everything that makes fio fast and keeps latencies: total latency, submission to completion.
    pub(crate) fn run(&self, job: &Job) -> Result<Figures, Box<dyn Error>> {
        let mut command = Command::new("taskset");
        command.args(["--cpu-list", &self.cpus, "fio"]);
        command.args([
            "--name=job",
            &format!("--filename={}", self.file.display()),
            &format!("--rw={}", job.rw),
            &format!("--bs={BLOCK}"),
            &format!("--size={FILE_BYTES}"),
            &format!("--iodepth={}", job.depth),
            &format!("--direct={}", u8::from(job.direct)),
            &format!("--runtime={}ms", job.turn.as_millis()),
            "--time_based",
            "--norandommap",
            "--randrepeat=0",
            "--invalidate=0",
            "--overwrite=1",
            "--lat_percentiles=1",
            "--clat_percentiles=0",
            "--thread",
            "--group_reporting",
            "--output-format=json",
            &format!("--numjobs={}", job.jobs),
        ]);
        if job.jobs == 1 {
            command.arg("--cpus_allowed=0");
        } else {
            command.arg(format!("--cpus_allowed=0-{}", job.jobs - 1)).arg("--cpus_allowed_policy=split");
        }
        if job.uring {
            command.args(["--ioengine=io_uring", "--fixedbufs=1", "--registerfiles=1"]);
            if !job.direct {
                command.args([
                    format!("--iodepth_batch_submit={}", job.depth),
                    format!("--iodepth_batch_complete_min={}", job.depth),
                    format!("--iodepth_batch_complete_max={}", job.depth),
                ]);
            }
        } else {
            command.arg("--ioengine=psync");
        }
        let output =
            command.output().map_err(|error| format!("cannot start fio: {error}; run make tools"))?;
        if !output.status.success() {
            return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let text = String::from_utf8(output.stdout)?;
        let value: Value = serde_json::from_str(&text[text.find('{').ok_or("fio printed no JSON")?..])?;
        let direction = &value["jobs"][0][if job.rw.ends_with("read") { "read" } else { "write" }];
        let percentile = |name: &str| {
            direction["lat_ns"]["percentile"][name].as_f64().ok_or("fio gives no latency percentiles")
        };
        Ok(Figures {
            iops: direction["iops"].as_f64().ok_or("fio gives no iops")?,
            p50: percentile("50.000000")? / 1e3,
            p99: percentile("99.000000")? / 1e3,
        })
    }
}
