//! What one job gave, as plain figures: the input of [`super::write`].

/// A job's figures. What was not measured is `None` and never written as zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobResult {
    pub name: String,
    /// Its options with values, as fio would list them: `rw`, `bs`, `iodepth`, `numjobs`, … Readers such as fio-plot
    /// need those four.
    pub options: Vec<(String, String)>,
    /// 0, or the errno of the operation that ended the job.
    pub error: i32,
    /// Length of the measurement in milliseconds, of one job.
    pub runtime_ms: u64,
    /// Time since the program began, in seconds.
    pub elapsed_s: u64,
    /// Operations in flight of each job, as requested.
    pub iodepth: u64,
    /// Jobs whose figures are added up here.
    pub numjobs: u64,
    /// What was read; `None` if the pattern reads nothing.
    pub read: Option<DirectionResult>,
    /// What was written; `None` if the pattern writes nothing.
    pub write: Option<DirectionResult>,
    /// What was trimmed; `None` if the pattern trims nothing.
    pub trim: Option<DirectionResult>,
    /// Latencies of fdatasync and fsync; `None` if there are none.
    pub sync: Option<Latencies>,
    /// CPU time in user mode, in percent of one CPU and job.
    pub user_cpu_percent: Option<f64>,
    /// CPU time in the kernel, in percent of one CPU and job.
    pub system_cpu_percent: Option<f64>,
    pub context_switches: Option<u64>,
    /// Major page faults.
    pub major_faults: Option<u64>,
    /// Minor page faults.
    pub minor_faults: Option<u64>,
    /// The block device below the files.
    pub disk: Option<DiskFigures>,
}

/// What one direction of a job did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionResult {
    pub operations: u64,
    /// Bytes moved.
    pub bytes: u64,
    pub latencies: Latencies,
    /// Operations per second in equal intervals, in their order: from the 100 ms series. Empty if there is none.
    pub iops_series: Vec<f64>,
}

/// A latency histogram: values in nanoseconds and how often each came, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    counts: Vec<(u64, u64)>,
    operations: u64,
}

/// What `/proc/diskstats` counted on a device during the measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskFigures {
    /// The device: `vda`.
    pub name: String,
    pub reads: u64,
    pub writes: u64,
    /// Reads merged with others, if counted.
    pub reads_merged: Option<u64>,
    /// Writes merged with others, if counted.
    pub writes_merged: Option<u64>,
    /// Milliseconds that reads took, added up, if counted.
    pub read_ticks_ms: Option<u64>,
    /// Milliseconds that writes took, added up, if counted.
    pub write_ticks_ms: Option<u64>,
    /// Milliseconds in flight, added up over operations, if counted.
    pub queue_ms: Option<u64>,
    /// Percent of the time with something in flight, if counted.
    pub utilisation_percent: Option<f64>,
}

impl Latencies {
    /// From pairs of nanoseconds and count in any order, such as the recorded values of an HDR histogram.
    pub fn from_counts(counts: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut sorted: Vec<(u64, u64)> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
        sorted.sort_unstable();
        let operations = sorted.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
        Self { counts: sorted, operations }
    }

    /// Values in nanoseconds and their counts, ascending.
    pub fn counts(&self) -> &[(u64, u64)] {
        &self.counts
    }

    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Mean in nanoseconds.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.operations > 0).then(|| {
            let sum: f64 = self.counts.iter().map(|(value, count)| *value as f64 * *count as f64).sum();
            sum / self.operations as f64
        })
    }

    /// Standard deviation in nanoseconds, of the sample as in fio (n − 1); `None` below two operations.
    pub fn stddev_ns(&self) -> Option<f64> {
        let mean = self.mean_ns().filter(|_| self.operations > 1)?;
        let squares: f64 =
            self.counts.iter().map(|(value, count)| (*value as f64 - mean).powi(2) * *count as f64).sum();
        Some((squares / (self.operations - 1) as f64).sqrt())
    }

    /// The value that `percent` of the operations do not exceed, in nanoseconds; `None` with fewer than 10/(1−q)
    /// operations: so few say nothing of that tail.
    pub fn percentile_ns(&self, percent: f64) -> Option<u64> {
        let quantile = percent / 100.0;
        let needed = 10.0 / (1.0 - quantile);
        if self.operations == 0 || (self.operations as f64) < needed * (1.0 - 1e-9) {
            return None;
        }
        let rank = (self.operations as f64 * quantile).ceil().max(1.0) as u64;
        let mut seen = 0_u64;
        self.counts.iter().find_map(|(value, count)| {
            seen = seen.saturating_add(*count);
            (seen >= rank).then_some(*value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_gives_its_moments_and_only_the_percentiles_it_can() {
        let latencies = Latencies::from_counts((1..=100).rev().map(|value| (value * 1000, 1)));
        assert_eq!((latencies.operations(), latencies.mean_ns()), (100, Some(50_500.0)));
        let stddev = latencies.stddev_ns().unwrap();
        assert!((stddev - 29_011.49).abs() < 0.01, "{stddev}");
        assert_eq!(latencies.percentile_ns(50.0), Some(50_000));
        assert_eq!(latencies.percentile_ns(90.0), Some(90_000));
        assert_eq!(latencies.percentile_ns(99.0), None);
        assert_eq!(Latencies::default().mean_ns(), None);
    }
}
