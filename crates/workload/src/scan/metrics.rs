//! The scan workload's metrics, for each pass and for all passes together.

use super::{AcceleratorTime, FAMILIES, Tally};
use crate::distribution::{Metrics, insert_latency};
use crate::evidence::{self, ratio};
use driver::Recorder;
use model::mechanism::{DeviceCounters, Measured, Mechanism, ProcessIo};
use model::sidecar::{Sidecar, SidecarError};
use model::units::GIB;

const NO_TIME: &str = "no time passed";
const NOTHING_READ: &str = "nothing was read";
const NO_ACCELERATOR: &str = "step_time is 0s: no accelerator waits for what is read";
const ONE_STEP: &str = "the accelerator had one batch only";
const ONE_PASS: &str = "there was one pass only";

/// One pass and what the kernel counted meanwhile.
#[derive(Clone, Debug)]
pub struct Pass {
    /// From the first reader's start to the last one's end, seconds; if the pass takes turns, the sum of its windows.
    pub seconds: f64,
    /// Operations completed in this time.
    pub operations: u64,
    /// What its readers read, in total.
    pub tally: Tally,
    /// What they read in this time.
    pub measured: Tally,
    /// Counters, with the page cache as the pass left it.
    pub mechanism: Mechanism,
    /// System calls that opened, advised, read and closed.
    pub system_calls: Measured<u64>,
    /// Operations in flight, averaged over the pass.
    pub in_flight_mean: f64,
    /// Share of the dataset that was cached when it began, 0…1.
    pub cached_share_before: Measured<f64>,
    /// The same when it ended.
    pub cached_share_after: Measured<f64>,
    /// Requests that repeated failed ones.
    pub retries: Measured<u64>,
    /// The time of the accelerator that the pass was read for; `None` if there is none.
    pub accelerator: Option<AcceleratorTime>,
}

/// Latencies over all passes; they never take more memory than two passes.
#[derive(Clone, Debug)]
pub struct Latencies {
    /// The first pass's recorder, for the operations over time.
    first: Recorder,
    all: Recorder,
}

impl Latencies {
    /// The latencies of the first pass.
    pub fn from_first_pass(first: Recorder) -> Self {
        Self { all: first.clone(), first }
    }

    /// Adds the latencies of a later pass.
    pub fn add(&mut self, later: &Recorder) {
        self.all.merge(later);
    }

    /// The histograms of all passes, with the first pass's operations over time.
    ///
    /// # Errors
    /// A histogram cannot be encoded.
    pub fn sidecar(&self) -> Result<Sidecar, SidecarError> {
        let mut sidecar = self.first.sidecar()?;
        for (family, histogram) in
            FAMILIES.iter().filter_map(|family| Some((family, self.all.histogram(family)?)))
        {
            sidecar.insert(family, histogram)?;
        }
        Ok(sidecar)
    }
}

/// The metrics of every pass, in order. The first pass also has those of all passes together.
pub fn metrics(
    passes: &[Pass],
    latencies: &Latencies,
    instrument_overhead_ns: &Measured<f64>,
) -> Vec<Metrics> {
    let mut of_each: Vec<Metrics> = passes.iter().map(of_pass).collect();
    if let Some(first) = of_each.first_mut() {
        let mut whole = of_all(passes);
        for family in FAMILIES {
            if let Some(histogram) = latencies.all.histogram(family) {
                insert_latency(&mut whole, family, histogram);
            }
        }
        whole.insert("instrument_overhead_ns".to_owned(), instrument_overhead_ns.clone());
        first.append(&mut whole);
    }
    of_each
}

fn of_pass(pass: &Pass) -> Metrics {
    let bytes = pass.tally.bytes as f64;
    let plain = [
        ("pass_read_bytes", Measured::Value(bytes)),
        ("pass_bandwidth_bytes_per_s", ratio(pass.measured.bytes as f64, pass.seconds, NO_TIME)),
        ("pass_hit_share", hit_share(pass.mechanism.process_io.map(|io| io.read_bytes as f64), bytes)),
        ("pass_cached_share_before", pass.cached_share_before.clone()),
    ];
    plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect()
}

fn of_all(passes: &[Pass]) -> Metrics {
    let total = passes.iter().fold(Tally::default(), |sum, pass| sum.plus(pass.tally));
    let measured = passes.iter().fold(Tally::default(), |sum, pass| sum.plus(pass.measured));
    let seconds: f64 = passes.iter().map(|pass| pass.seconds).sum();
    let bytes = total.bytes as f64;
    let gib = bytes / GIB as f64;
    let process = |of: fn(&model::mechanism::ProcessCounters) -> f64| -> f64 {
        passes.iter().map(|pass| of(&pass.mechanism.process)).sum()
    };
    let later = passes.get(1..).unwrap_or_default();
    let in_flight = passes.iter().map(|pass| pass.in_flight_mean * pass.seconds).sum::<f64>();
    let plain = [
        ("bandwidth_bytes_per_s", ratio(measured.bytes as f64, seconds, NO_TIME)),
        ("first_pass_bandwidth_bytes_per_s", bandwidth(passes.get(..1).unwrap_or_default())),
        ("later_passes_bandwidth_bytes_per_s", bandwidth(later)),
        ("files_per_s", ratio(measured.files as f64, seconds, NO_TIME)),
        ("minor_faults", Measured::Value(process(|counters| counters.minor_faults as f64))),
        ("major_faults", Measured::Value(process(|counters| counters.major_faults as f64))),
        (
            "cpu_seconds_per_gib",
            ratio(process(|counters| counters.user_s + counters.system_s), gib, NOTHING_READ),
        ),
        ("system_calls_per_gib", per(&sum(passes, |pass| pass.system_calls.clone()), gib)),
        ("page_cache_hit_share", hit_share(sum(passes, fetched).map(|bytes| *bytes as f64), bytes)),
        ("device_read_bytes_per_byte_read", per(&sum(passes, read_by_device), bytes)),
        ("cached_share_after", last(passes, |pass| pass.cached_share_after.clone())),
        (
            "resident_bytes_max",
            last(passes, |pass| Measured::Value(pass.mechanism.process.resident_bytes_max as f64)),
        ),
        ("request_retries", sum(passes, |pass| pass.retries.clone()).map(|retries| *retries as f64)),
        ("in_flight_mean", ratio(in_flight, seconds, NO_TIME)),
        ("accelerator_utilization", utilization(passes)),
    ];
    plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect()
}

/// The share of the accelerators' time in which they worked.
fn utilization(passes: &[Pass]) -> Measured<f64> {
    let mut times = passes.iter().filter_map(|pass| pass.accelerator);
    let Some(first) = times.next() else { return Measured::unsupported(NO_ACCELERATOR) };
    let AcceleratorTime { busy, all } = times.fold(first, AcceleratorTime::plus);
    ratio(busy.seconds(), all.seconds(), ONE_STEP)
}

fn bandwidth(passes: &[Pass]) -> Measured<f64> {
    let bytes: u64 = passes.iter().map(|pass| pass.measured.bytes).sum();
    let seconds: f64 = passes.iter().map(|pass| pass.seconds).sum();
    ratio(bytes as f64, seconds, if passes.is_empty() { ONE_PASS } else { NO_TIME })
}

/// Derived from the bytes that the kernel charged to this process when it sent requests to the device
/// (`task_io_account_read`), including readahead: 1 − these ÷ requested bytes.
fn hit_share(fetched: Measured<f64>, bytes: f64) -> Measured<f64> {
    match fetched {
        Measured::Value(fetched) => evidence::hit_share(fetched, bytes, 0.0, NOTHING_READ),
        unsupported @ Measured::Unsupported { .. } => unsupported,
    }
}

fn fetched(pass: &Pass) -> Measured<u64> {
    pass.mechanism.process_io.map(|io: &ProcessIo| io.read_bytes)
}

fn read_by_device(pass: &Pass) -> Measured<u64> {
    pass.mechanism.device.map(|device: &DeviceCounters| device.read_bytes)
}

/// The sum over passes, or the first reason why one has no value.
fn sum(passes: &[Pass], of: impl Fn(&Pass) -> Measured<u64>) -> Measured<u64> {
    let mut sum = 0;
    for pass in passes {
        match of(pass) {
            Measured::Value(count) => sum += count,
            unsupported @ Measured::Unsupported { .. } => return unsupported,
        }
    }
    Measured::Value(sum)
}

fn per(count: &Measured<u64>, units: f64) -> Measured<f64> {
    match count {
        Measured::Value(count) => ratio(*count as f64, units, NOTHING_READ),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported),
    }
}

fn last(passes: &[Pass], of: impl Fn(&Pass) -> Measured<f64>) -> Measured<f64> {
    passes.last().map_or_else(|| Measured::unsupported("there was no pass"), of)
}
