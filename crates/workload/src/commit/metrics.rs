//! The commit workload's metrics, from what a team of committers recorded and the kernel counted.

use super::levels::Sync;
use super::parameters::Parameters;
use super::{Commit, FAMILIES};
use crate::Evidence;
use crate::distribution::{Metrics, insert_latency, insert_unsupported};
use crate::evidence::ratio;
use driver::Driven;
use model::mechanism::{DeviceCounters, Measured};

/// Every metric of the schema, by full name.
pub fn metrics(parameters: &Parameters, team: &Driven<Vec<Commit>>, evidence: &Evidence<'_>) -> Metrics {
    let seconds = team.elapsed().seconds();
    let commits = team.recorder.completed("commit_latency");
    let device = &evidence.mechanism.device;
    let mut metrics = Metrics::new();

    let rate = |count: u64| ratio(count as f64, seconds, "no time passed");
    metrics.insert("commits_per_s".to_owned(), rate(commits));
    metrics.insert("transactions_per_s".to_owned(), rate(commits * u64::from(parameters.group_size)));
    for family in FAMILIES {
        match (unsupported_family(parameters, family), team.recorder.histogram(family)) {
            (Some(why), _) => insert_unsupported(&mut metrics, family, why),
            (None, Some(histogram)) => insert_latency(&mut metrics, family, histogram),
            (None, None) => {}
        }
    }
    insert_reads(&mut metrics, parameters, device, team);
    insert_device(&mut metrics, device, team.recorder.performed("commit_latency"));
    metrics.insert("efficiency_share".to_owned(), efficiency(parameters, team, commits));
    metrics.insert("in_flight_mean".to_owned(), Measured::Value(team.in_flight_mean));
    let process = &evidence.mechanism.process;
    let cpu_s = process.user_s + process.system_s;
    metrics.insert(
        "cpu_seconds_per_million_operations".to_owned(),
        ratio(cpu_s * 1e6, team.performed as f64, "no operation completed"),
    );
    metrics.insert("instrument_overhead_ns".to_owned(), evidence.instrument_overhead_ns.clone());
    metrics
}

fn unsupported_family(parameters: &Parameters, family: &str) -> Option<&'static str> {
    match (family, parameters.sync) {
        ("sync_latency", Sync::Dsync) => Some("with sync = dsync the sync is part of the write"),
        ("sync_latency", Sync::None) => Some("with sync = none there is no sync"),
        ("read_latency", _) if parameters.read_depth == 0 => Some(NO_READS),
        _ => None,
    }
}

const NO_READS: &str = "with read_depth = 0 there are no reads";

fn insert_reads(
    metrics: &mut Metrics,
    parameters: &Parameters,
    device: &Measured<DeviceCounters>,
    team: &Driven<Vec<Commit>>,
) {
    let names = ["reads_per_s", "realised_reads_per_commit", "device_read_bytes_per_read"];
    if parameters.read_depth == 0 {
        metrics.extend(names.map(|name| (name.to_owned(), Measured::unsupported(NO_READS))));
        return;
    }
    let recorder = &team.recorder;
    let (commits, reads) = (recorder.completed("commit_latency"), recorder.completed("read_latency") as f64);
    metrics.insert(names[0].to_owned(), ratio(reads, team.elapsed().seconds(), "no time passed"));
    metrics.insert(names[1].to_owned(), ratio(reads, commits as f64, "no commit was acknowledged"));
    let performed = recorder.performed("read_latency") as f64;
    let device_bytes = match device {
        Measured::Value(device) => ratio(device.read_bytes as f64, performed, "no read completed"),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported),
    };
    metrics.insert(names[2].to_owned(), device_bytes);
}

fn insert_device(metrics: &mut Metrics, device: &Measured<DeviceCounters>, commits: u64) {
    let per_commit = |count: Measured<u64>| match count {
        Measured::Value(count) => ratio(count as f64, commits as f64, "no commit was acknowledged"),
        Measured::Unsupported { unsupported } => Measured::Unsupported { unsupported },
    };
    let flushes = match device {
        Measured::Value(device) => device.flushes.clone(),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported),
    };
    metrics.insert("device_writes_per_commit".to_owned(), per_commit(device.map(|device| device.writes)));
    metrics.insert(
        "device_written_bytes_per_commit".to_owned(),
        per_commit(device.map(|device| device.written_bytes)),
    );
    metrics.insert("device_flushes_per_commit".to_owned(), per_commit(flushes));
}

/// Share of the committers' time spent inside the sync: commits/s relative to what 1 ÷ sync latency would allow.
fn efficiency(parameters: &Parameters, team: &Driven<Vec<Commit>>, commits: u64) -> Measured<f64> {
    if let Some(why) = unsupported_family(parameters, "sync_latency") {
        return Measured::unsupported(why);
    }
    let sync_mean_s = team.recorder.histogram("sync_latency").map_or(0.0, |histogram| histogram.mean() / 1e9);
    let committers = f64::from(parameters.committers);
    ratio(commits as f64 * sync_mean_s, team.elapsed().seconds() * committers, "no time passed")
}
