//! A report of fio, as far as checks of published numbers need it. What fio did not say is `None`.

use model::Nanos;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioOutput {
    /// `fio version`: `fio-3.33`; empty if it is missing.
    pub version: String,
    /// Seconds since 1970.
    pub timestamp: Option<u64>,
    /// `global options`, which apply to every job. Bare switches such as `group_reporting` are not in fio's report.
    pub global_options: Arc<BTreeMap<String, String>>,
    /// Its jobs; under `group_reporting` one for each group. A client's report ends with `All clients`, the sum.
    pub jobs: Vec<FioJob>,
    /// `disk_util`.
    pub disks: Vec<FioDisk>,
    /// Reports in the file: with `--status-interval` fio writes several, and the last, which covers all, is read.
    pub reports: usize,
}

/// One job's figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioJob {
    /// `jobname`.
    pub name: String,
    /// `hostname`: whose job it is, in a client's report.
    pub host: Option<String>,
    /// `groupid`.
    pub group: Option<u64>,
    /// `error`: an errno, 0 for success.
    pub error: Option<i64>,
    /// The job's own options; [`FioJob::option`] looks in both.
    pub options: BTreeMap<String, String>,
    /// The report's [`FioOutput::global_options`].
    pub global_options: Arc<BTreeMap<String, String>>,
    /// Reads; `None` if there were none.
    pub read: Option<FioDirection>,
    /// Writes; `None` if there were none.
    pub write: Option<FioDirection>,
    /// Trims; `None` if there were none.
    pub trim: Option<FioDirection>,
    /// Latency of fsync and fdatasync.
    pub sync: Option<FioLatency>,
    /// `usr_cpu`: percent of the job's time.
    pub user_cpu_percent: Option<f64>,
    /// `sys_cpu`: percent of the job's time.
    pub system_cpu_percent: Option<f64>,
    /// `majf`.
    pub major_faults: Option<u64>,
    /// `minf`.
    pub minor_faults: Option<u64>,
    /// `ctx`.
    pub context_switches: Option<u64>,
    /// Whether figures of several jobs are added up: `numjobs` is above one and the group has not an entry for each.
    /// (fio leaves the bare switch `group_reporting` out of its report; merged reports have an entry for each run.)
    pub is_group: bool,
}

/// What one direction of a job did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioDirection {
    /// Operations per second.
    pub iops: Option<f64>,
    /// Bytes per second.
    pub bytes_per_s: Option<f64>,
    /// Bytes moved.
    pub bytes: Option<u64>,
    /// `total_ios`.
    pub operations: Option<u64>,
    /// `runtime`, in milliseconds.
    pub runtime_ms: Option<u64>,
    /// Operations that moved less than requested.
    pub short_operations: Option<u64>,
    /// Operations that were dropped.
    pub dropped_operations: Option<u64>,
    pub submission: Option<FioLatency>,
    /// Completion latency (`clat`): from submission to completion.
    pub completion: Option<FioLatency>,
    /// Total latency (`lat`).
    pub total: Option<FioLatency>,
    /// `iops_mean` over fio's samples (each 500 ms by default).
    pub iops_mean: Option<f64>,
    /// `iops_stddev` over fio's samples.
    pub iops_stddev: Option<f64>,
    /// `iops_samples`.
    pub iops_samples: Option<u64>,
}

/// A latency distribution, in nanoseconds whatever fio's version wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioLatency {
    pub min_ns: Option<f64>,
    pub max_ns: Option<f64>,
    pub mean_ns: Option<f64>,
    pub stddev_ns: Option<f64>,
    /// `N`; fio 2.x does not say it.
    pub operations: Option<u64>,
    /// Percent and value in nanoseconds, ascending.
    pub percentiles: Vec<(f64, f64)>,
    /// json+: value in nanoseconds and count, ascending.
    pub bins: Vec<(u64, u64)>,
}

/// A block device during the report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioDisk {
    /// `vda`.
    pub name: String,
    pub reads: Option<u64>,
    pub writes: Option<u64>,
    /// Percent of the time with something in flight.
    pub utilisation_percent: Option<f64>,
}

impl FioJob {
    /// An option's value: the job's own, or the global one.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).or_else(|| self.global_options.get(name)).map(String::as_str)
    }

    /// An option's value as a count: `iodepth`, `numjobs`.
    pub fn count(&self, option: &str) -> Option<u64> {
        self.option(option)?.parse().ok()
    }

    /// An option's value as a size in bytes: `bs`, `size`.
    pub fn size(&self, option: &str) -> Option<u64> {
        crate::quantity::parse_size(self.option(option)?).ok()
    }

    /// An option's value as a time: `runtime`, `ramp_time`.
    pub fn time(&self, option: &str) -> Option<Nanos> {
        crate::quantity::parse_time(self.option(option)?).ok()
    }

    /// Operations in flight of each job: one if the option is absent, as in fio; `None` if it is not a count.
    pub fn iodepth(&self) -> Option<u64> {
        self.count_or_one("iodepth")
    }

    /// Jobs of this section: one if the option is absent, as in fio; `None` if it is not a count.
    pub fn numjobs(&self) -> Option<u64> {
        self.count_or_one("numjobs")
    }

    fn count_or_one(&self, option: &str) -> Option<u64> {
        if self.option(option).is_some() { self.count(option) } else { Some(1) }
    }
}
