//! The kv workload's metrics, from what its phases recorded, what the kernel counted, and what the engine reported.

use super::machine::KvPhase;
use super::parameters::Parameters;
use super::phase::Phase;
use crate::distribution::{Metrics, insert_latency, insert_unsupported};
use crate::evidence::ratio;
use driver::Driven;
use model::mechanism::{Measured, Mechanism};

const NO_TIME: &str = "no time passed";
const NO_OPERATION: &str = "no operation completed";
const FROM_CACHES: &str = "caches served more than half of the gets";
const NOT_RUN: &str = "this phase was not run";

/// A phase that has ended.
#[derive(Debug)]
pub struct Run {
    pub phase: Phase,
    /// What its threads recorded.
    pub team: Driven<Vec<KvPhase>>,
    /// Mechanism counters over the phase.
    pub mechanism: Mechanism,
}

/// What a trial measured, beside its parameters.
#[derive(Debug)]
pub struct KvMeasurement<'a> {
    /// Its phases, each at most once.
    pub runs: &'a [Run],
    /// Mechanism counters from the start of the load until the drain had ended and everything the store had written was
    /// on the device.
    pub load_and_drain: &'a Mechanism,
    /// How long the engine took to drain after the load, in seconds, or why there was nothing to wait for.
    pub drain_s: Measured<f64>,
    /// Time that writers were held up during load and drain, in seconds, summed over writers.
    pub write_stall_s: Measured<f64>,
    /// Space that the store took after the drain, in bytes.
    pub disk_bytes: Measured<u64>,
    /// Cost of one operation on the engine that does nothing, in nanoseconds.
    pub instrument_overhead_ns: Measured<f64>,
}

impl KvMeasurement<'_> {
    fn run(&self, phase: Phase) -> Option<&Run> {
        self.runs.iter().find(|run| run.phase == phase)
    }
}

impl Run {
    /// Operations, also those outside the windows of turns.
    fn performed(&self) -> f64 {
        self.team.workload.iter().map(KvPhase::operations).sum::<u64>() as f64
    }
}

/// The result that contradicts the load, as one sentence. It fails the trial: the speed of an engine that does not find
/// its keys means nothing.
pub fn defect(runs: &[Run]) -> Option<String> {
    runs.iter().find_map(|run| {
        let unexpected: u64 = run.team.workload.iter().map(KvPhase::unexpected).sum();
        let what = match run.phase {
            Phase::Load | Phase::ReadHit | Phase::Mixed | Phase::ReadWhileWriting => {
                "reads did not find a key that was loaded"
            }
            Phase::ReadMiss => "reads found a key that was never loaded",
            Phase::Scan => "scans did not find the loaded key where they began",
        };
        let (phase, all) = (run.phase.name(), run.performed());
        (unexpected > 0).then(|| format!("phase {phase}: {unexpected} of {all} operations: {what}"))
    })
}

/// Every metric of the schema, by full name.
pub fn metrics(parameters: &Parameters, outcome: &KvMeasurement<'_>) -> Metrics {
    let mut metrics = Metrics::new();
    for phase in Phase::ALL {
        insert_phase(&mut metrics, *phase, outcome.run(*phase));
    }
    let user_bytes = parameters.user_bytes() as f64;
    let over_user_bytes = |bytes: Measured<u64>| match bytes {
        Measured::Value(bytes) => ratio(bytes as f64, user_bytes, "nothing was loaded"),
        Measured::Unsupported { unsupported } => Measured::Unsupported { unsupported },
    };
    let written_bytes = outcome.load_and_drain.device.map(|device| device.written_bytes);
    let process = outcome.runs.iter().map(|run| run.mechanism.process.resident_bytes_max);
    let resident = process.chain([outcome.load_and_drain.process.resident_bytes_max]).max().unwrap_or(0);
    let plain = [
        ("load_and_drain_operations_per_s", load_and_drain(outcome)),
        ("drain_s", outcome.drain_s.clone()),
        ("write_stall_s", outcome.write_stall_s.clone()),
        ("write_amplification", over_user_bytes(written_bytes)),
        ("device_flushes_per_put", flushes_per_put(outcome)),
        ("space_amplification", over_user_bytes(outcome.disk_bytes.clone())),
        ("load_cpu_seconds_per_million_operations", load_cpu(outcome)),
        ("hit_cpu_seconds_per_million_operations", hit_cpu(outcome)),
        ("cpu_seconds_per_million_operations", whole_cpu(outcome)),
        ("resident_bytes_max", Measured::Value(resident as f64)),
        ("load_page_cache_bytes", cached_bytes(outcome.load_and_drain)),
        ("hit_page_cache_bytes", hit_page_cache(outcome)),
        ("hit_device_reads_in_flight", hit_device_depth(outcome)),
        ("instrument_overhead_ns", outcome.instrument_overhead_ns.clone()),
    ];
    metrics.extend(plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)));
    metrics
}

fn insert_phase(metrics: &mut Metrics, phase: Phase, run: Option<&Run>) {
    for (rate, family) in phase.rates().iter().zip(phase.families()) {
        let figure = match run {
            None => Measured::unsupported(NOT_RUN),
            // What others do beside these operations is not in their rate.
            Some(Run { team, .. }) => {
                ratio(team.recorder.completed(family) as f64, team.elapsed().seconds(), NO_TIME)
            }
        };
        metrics.insert((*rate).to_owned(), figure);
        match run.and_then(|run| run.team.recorder.histogram(family)) {
            None => insert_unsupported(metrics, family, NOT_RUN),
            Some(histogram) => insert_latency(metrics, family, histogram),
        }
    }
}

/// An engine without a drain has done all its work when the load ends.
fn load_and_drain(outcome: &KvMeasurement<'_>) -> Measured<f64> {
    let Some(load) = outcome.run(Phase::Load) else { return Measured::unsupported(NOT_RUN) };
    let drain_s = outcome.drain_s.value().copied().unwrap_or(0.0);
    ratio(load.performed(), load.team.elapsed().seconds() + drain_s, NO_TIME)
}

/// Only the load counts: what drains is acknowledged already.
fn flushes_per_put(outcome: &KvMeasurement<'_>) -> Measured<f64> {
    let Some(load) = outcome.run(Phase::Load) else { return Measured::unsupported(NOT_RUN) };
    let flushes = match &load.mechanism.device {
        Measured::Value(device) => &device.flushes,
        Measured::Unsupported { unsupported } => return Measured::unsupported(unsupported.clone()),
    };
    match flushes {
        Measured::Value(flushes) => ratio(*flushes as f64, load.performed(), NO_OPERATION),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    }
}

fn cpu_s(mechanism: &Mechanism) -> f64 {
    mechanism.process.user_s + mechanism.process.system_s
}

fn load_cpu(outcome: &KvMeasurement<'_>) -> Measured<f64> {
    let Some(load) = outcome.run(Phase::Load) else { return Measured::unsupported(NOT_RUN) };
    ratio(cpu_s(outcome.load_and_drain) * 1e6, load.performed(), NO_OPERATION)
}

fn hit_cpu(outcome: &KvMeasurement<'_>) -> Measured<f64> {
    let Some(hit) = outcome.run(Phase::ReadHit) else { return Measured::unsupported(NOT_RUN) };
    ratio(cpu_s(&hit.mechanism) * 1e6, hit.performed(), NO_OPERATION)
}

fn whole_cpu(outcome: &KvMeasurement<'_>) -> Measured<f64> {
    let after_load = outcome.runs.iter().filter(|run| run.phase != Phase::Load);
    let cpu_s = cpu_s(outcome.load_and_drain) + after_load.map(|run| cpu_s(&run.mechanism)).sum::<f64>();
    let operations: f64 = outcome.runs.iter().map(Run::performed).sum();
    ratio(cpu_s * 1e6, operations, NO_OPERATION)
}

fn hit_page_cache(outcome: &KvMeasurement<'_>) -> Measured<f64> {
    outcome
        .run(Phase::ReadHit)
        .map_or_else(|| Measured::unsupported(NOT_RUN), |hit| cached_bytes(&hit.mechanism))
}

/// Little's law: reads per second × seconds of each in the device's queue.
fn hit_device_depth(outcome: &KvMeasurement<'_>) -> Measured<f64> {
    let Some(hit) = outcome.run(Phase::ReadHit) else { return Measured::unsupported(NOT_RUN) };
    match &hit.mechanism.device {
        Measured::Value(device) if (device.reads as f64) < hit.performed() / 2.0 => {
            Measured::unsupported(FROM_CACHES)
        }
        Measured::Value(device) => ratio(device.queue_s, hit.team.counted().seconds(), NO_TIME),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported),
    }
}

/// What a phase left in the page cache.
fn cached_bytes(mechanism: &Mechanism) -> Measured<f64> {
    mechanism.page_cache.map(|cache| cache.cached_bytes as f64)
}
