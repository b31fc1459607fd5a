//! The device workload's metrics, from what a team of jobs recorded and the kernel counted.

use super::levels::Beside;
use super::moved::Moved;
use super::parameters::Parameters;
use super::{Device, FAMILIES};
use crate::Evidence;
use crate::distribution::{Metrics, insert_latency, insert_unsupported};
use crate::evidence::{self, ratio};
use driver::{Driven, Recorder};
use model::mechanism::{DeviceCounters, Measured, ProcessIo};

const NO_TIME: &str = "no time passed";
const NO_OPERATION: &str = "no operation completed";
const NO_READS: &str = "nothing is read";
const NO_WRITES: &str = "nothing is written";
const NO_TRIMS: &str = "nothing is trimmed";
const NO_SYNCS: &str = "without fdatasync or end_fsync there is no sync";
const NO_DATA: &str = "a hole in a file moves no data";

/// Every metric of the schema, by full name. An operation is a read, a write or a trim; syncs are counted by
/// themselves.
pub fn metrics(parameters: &Parameters, team: &Driven<Vec<Device>>, evidence: &Evidence<'_>) -> Metrics {
    let seconds = team.elapsed().seconds();
    let reads = count(parameters, team, Recorder::completed, Parameters::reads, "read_latency");
    let writes = count(parameters, team, Recorder::completed, Parameters::writes, "write_latency");
    let trims = count(parameters, team, Recorder::completed, Parameters::trims, "trim_latency");
    let operations = (reads + writes + trims) as f64;
    let performed_reads = count(parameters, team, Recorder::performed, Parameters::reads, "read_latency");
    let performed_writes = count(parameters, team, Recorder::performed, Parameters::writes, "write_latency");
    let performed_trims = count(parameters, team, Recorder::performed, Parameters::trims, "trim_latency");
    let performed = (performed_reads + performed_writes + performed_trims) as f64;
    let bytes = Bytes::of(parameters, team);
    let (read_bytes, performed_read_bytes) = bytes.read(reads, performed_reads);
    let (written_bytes, performed_written_bytes) = bytes.written(writes, performed_writes);
    let per_second = |figure: f64| ratio(figure, seconds, NO_TIME);
    let per_operation = |figure: f64| ratio(figure, performed, NO_OPERATION);
    let where_it_is = |happens: bool, why: &str, figure: Measured<f64>| {
        if happens { figure } else { Measured::unsupported(why) }
    };
    let moves = parameters.reads() || parameters.writes();
    let syncs = team.recorder.completed("sync_latency");
    let process = &evidence.mechanism.process;
    let device = &evidence.mechanism.device;

    let plain = [
        ("iops", per_second(operations)),
        ("read_iops", where_it_is(parameters.reads(), NO_READS, per_second(reads as f64))),
        ("write_iops", where_it_is(parameters.writes(), NO_WRITES, per_second(writes as f64))),
        ("trim_iops", where_it_is(parameters.trims(), NO_TRIMS, per_second(trims as f64))),
        ("syncs_per_s", where_it_is(parameters.syncs(), NO_SYNCS, per_second(syncs as f64))),
        (
            "bytes_per_operation",
            where_it_is(
                moves,
                NO_DATA,
                ratio(read_bytes + written_bytes, (reads + writes) as f64, NO_OPERATION),
            ),
        ),
        ("bandwidth_bytes_per_s", where_it_is(moves, NO_DATA, per_second(read_bytes + written_bytes))),
        ("page_cache_hit_share", hit_share(parameters, &evidence.mechanism.process_io, performed_read_bytes)),
        ("device_written_bytes_per_written_byte", amplification(parameters, device, performed_written_bytes)),
        (
            "device_queue_depth_mean",
            and_then(device, |device| ratio(device.queue_s, team.counted().seconds(), NO_TIME)),
        ),
        ("system_calls_per_operation", per_operation(team.system_calls as f64)),
        ("minor_faults_per_operation", per_operation(process.minor_faults as f64)),
        ("major_faults_per_operation", per_operation(process.major_faults as f64)),
        ("cpu_seconds_per_million_operations", per_operation((process.user_s + process.system_s) * 1e6)),
        ("in_flight_mean", Measured::Value(team.in_flight_mean)),
        ("instrument_overhead_ns", evidence.instrument_overhead_ns.clone()),
    ];
    let mut metrics: Metrics = plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect();
    for family in FAMILIES {
        match (unsupported_family(parameters, family), team.recorder.histogram(family)) {
            (Some(why), _) => insert_unsupported(&mut metrics, family, why),
            (None, Some(histogram)) => insert_latency(&mut metrics, family, histogram),
            (None, None) => {}
        }
    }
    metrics
}

/// Bytes of operations: each has `bs`, or the jobs counted them.
struct Bytes<'a> {
    parameters: &'a Parameters,
    counted: Option<(Moved, Moved)>,
}

impl<'a> Bytes<'a> {
    fn of(parameters: &'a Parameters, team: &Driven<Vec<Device>>) -> Self {
        let own = || team.workload.iter().filter(|job| job.counts_bytes());
        let counted = own().next().is_some().then(|| {
            let sum = |moved: fn(&Device) -> Moved| own().map(moved).fold(Moved::default(), Moved::with);
            (sum(|job| job.reads), sum(|job| job.writes))
        });
        Self { parameters, counted }
    }

    /// Bytes of the reads that a rate counts, and of all.
    fn read(&self, completed: u64, performed: u64) -> (f64, f64) {
        match (&self.counted, self.parameters.beside) {
            (Some((reads, _)), Beside::None) => (reads.bytes_completed as f64, reads.bytes as f64),
            (Some(_) | None, Beside::Read | Beside::RandRead) => {
                each(self.parameters.beside_bs, completed, performed)
            }
            (None, Beside::None) => each(self.parameters.bs, completed, performed),
        }
    }

    /// Bytes of the writes that a rate counts, and of all.
    fn written(&self, completed: u64, performed: u64) -> (f64, f64) {
        match &self.counted {
            Some((_, writes)) => (writes.bytes_completed as f64, writes.bytes as f64),
            None => each(self.parameters.bs, completed, performed),
        }
    }
}

fn each(bs: u32, completed: u64, performed: u64) -> (f64, f64) {
    (completed as f64 * f64::from(bs), performed as f64 * f64::from(bs))
}

/// Reads or writes, counted by the latencies of their own family if there are both, and by those of all operations
/// otherwise.
fn count(
    parameters: &Parameters,
    team: &Driven<Vec<Device>>,
    counted: impl Fn(&Recorder, &str) -> u64,
    happens: impl Fn(&Parameters) -> bool,
    family: &str,
) -> u64 {
    match (happens(parameters), parameters.mixes()) {
        (false, _) => 0,
        (true, true) => counted(&team.recorder, family),
        (true, false) => counted(&team.recorder, "completion_latency"),
    }
}

fn unsupported_family(parameters: &Parameters, family: &str) -> Option<&'static str> {
    match family {
        "sync_file_range_latency" if !parameters.syncs_ranges() => {
            Some("without sync_file_range there is no call of it")
        }
        "sync_latency" if !parameters.syncs() => Some(NO_SYNCS),
        "read_latency" | "write_latency" | "trim_latency" => no_family(parameters, family),
        _ => None,
    }
}

/// Why reads, writes or trims have no latencies of their own.
fn no_family(parameters: &Parameters, family: &str) -> Option<&'static str> {
    let (reads, writes, trims) = (parameters.reads(), parameters.writes(), parameters.trims());
    match (reads, writes, trims) {
        (true, false, false) => Some("every operation is a read: see completion_latency"),
        (false, true, false) => Some("every operation is a write: see completion_latency"),
        (false, false, true) => Some("every operation is a trim: see completion_latency"),
        _ => match family {
            "read_latency" => (!reads).then_some(NO_READS),
            "write_latency" => (!writes).then_some(NO_WRITES),
            _ => (!trims).then_some(NO_TRIMS),
        },
    }
}

fn and_then<T>(counters: &Measured<T>, figure: impl FnOnce(&T) -> Measured<f64>) -> Measured<f64> {
    match counters {
        Measured::Value(counters) => figure(counters),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported),
    }
}

/// Derived from the bytes that the kernel charged to this process when it sent requests to the device
/// (`task_io_account_read`), including readahead and page faults. The device's own counters would include other
/// programs' reads.
fn hit_share(parameters: &Parameters, process_io: &Measured<ProcessIo>, read_bytes: f64) -> Measured<f64> {
    if !parameters.reads() {
        return Measured::unsupported(NO_READS);
    }
    let cut_off_bytes = parameters.read_bytes_in_flight_max() as f64;
    and_then(process_io, |io| {
        evidence::hit_share(io.read_bytes as f64, read_bytes, cut_off_bytes, "no read completed")
    })
}

fn amplification(
    parameters: &Parameters,
    device: &Measured<DeviceCounters>,
    written_bytes: f64,
) -> Measured<f64> {
    if !parameters.writes() {
        return Measured::unsupported(NO_WRITES);
    }
    and_then(device, |device| ratio(device.written_bytes as f64, written_bytes, "no write completed"))
}
