//! The object workload's metrics, from what its clients recorded and the kernel counted.

use super::levels::{
    ANY, FAMILIES, FIRST_BYTE, PAGE, PUTS_BYTES_PER_S, PUTS_SECONDS, REACHED_DEVICE, RESTORE_BYTES_PER_S,
    RESTORE_CACHED, RESTORE_SECONDS, Step,
};
use super::machine::ObjectLoad;
use super::moved::Moved;
use super::parameters::Parameters;
use super::size_classes::SizeClasses;
use crate::Evidence;
use crate::distribution::{Metrics, insert_latency, insert_unsupported};
use crate::evidence::{hit_share, ratio};
use driver::Driven;
use model::Nanos;
use model::mechanism::Measured;
use model::object::Requests;
use model::trial::SizeClass;

const NO_TIME: &str = "no time passed";
const NO_OPERATION: &str = "no operation completed";
const NOTHING_READ: &str = "nothing was read";
const NOTHING_WRITTEN: &str = "nothing was written";
const NO_RESTORE: &str = "restore is false";
const NO_DEVICE: &str = "the device of an object store cannot be measured from here";
const NO_PAGES: &str = "the cache of an object store cannot be seen from here";
const NO_SYSTEM_CALLS: &str =
    "the client of an object store makes its system calls in its own code, where they are not counted";
const NO_STORE: &str = "files are read and written once: a failure is not repeated";
const NO_REQUESTS: &str = "files are worked on by system calls, without requests that anybody charges for";

/// What a trial measured, beside its parameters.
#[derive(Debug)]
pub struct ObjectMeasurement<'a> {
    /// What its clients recorded.
    pub team: &'a Driven<Vec<ObjectLoad>>,
    pub evidence: &'a Evidence<'a>,
    /// Requests that repeated failed ones; `None` without a store.
    pub retries: Option<u64>,
    /// Answers of a store that declared itself overloaded; `None` without a store.
    pub overloads: Option<u64>,
    /// Requests that were sent to a store; `None` without one.
    pub requests: Option<Requests>,
}

/// Every metric of the schema, by full name. Operations that failed count in no rate and have no latency.
pub fn metrics(parameters: &Parameters, outcome: &ObjectMeasurement<'_>) -> Metrics {
    let ObjectMeasurement { team, evidence, .. } = outcome;
    let seconds = team.elapsed().seconds();
    let per_second = |figure: f64| ratio(figure, seconds, NO_TIME);
    let sum = |of: fn(&ObjectLoad) -> Moved| team.workload.iter().map(of).fold(Moved::default(), Moved::plus);
    let (moved, measured) = (sum(ObjectLoad::moved), sum(ObjectLoad::measured));
    let failed: u64 = team.workload.iter().map(ObjectLoad::failed).sum();
    let performed = team.recorder.performed(ANY) as f64;
    let process = &evidence.mechanism.process;
    let of_store = |count: Option<u64>| {
        count.map_or_else(|| Measured::unsupported(NO_STORE), |count| Measured::Value(count as f64))
    };
    let sent = |of: fn(Requests) -> u64| match outcome.requests {
        Some(requests) => ratio(of(requests) as f64, performed, NO_OPERATION),
        None => Measured::unsupported(NO_REQUESTS),
    };
    let local = |figure: Measured<f64>, why: &str| {
        if parameters.is_remote() { Measured::unsupported(why) } else { figure }
    };
    let fetched = evidence.mechanism.process_io.map(|io| io.read_bytes as f64);
    let hits = match fetched {
        Measured::Value(fetched) => hit_share(fetched, moved.read_bytes as f64, 0.0, NOTHING_READ),
        unsupported @ Measured::Unsupported { .. } => unsupported,
    };
    let reached = match evidence.mechanism.device.map(|device| device.written_bytes as f64) {
        Measured::Value(reached) => ratio(reached, moved.written_bytes as f64, NOTHING_WRITTEN),
        unsupported @ Measured::Unsupported { .. } => unsupported,
    };
    let writes = parameters.has(Step::writes);
    let of_puts =
        |figure: Measured<f64>| if writes { figure } else { Measured::unsupported(NOTHING_WRITTEN) };
    let puts_s = seconds_in(parameters, team, |moved| moved.writing);
    let plain = [
        ("object_operations_per_s", per_second(team.recorder.completed(ANY) as f64)),
        ("bandwidth_bytes_per_s", per_second(measured.bytes() as f64)),
        ("object_read_bytes_per_s", per_second(measured.read_bytes as f64)),
        ("object_written_bytes_per_s", per_second(measured.written_bytes as f64)),
        ("object_names_per_s", per_second(measured.names as f64)),
        (PUTS_SECONDS, of_puts(Measured::Value(puts_s))),
        (PUTS_BYTES_PER_S, of_puts(ratio(moved.written_bytes as f64, puts_s, NO_TIME))),
        ("failed_operations", Measured::Value(failed as f64)),
        ("request_retries", of_store(outcome.retries)),
        ("overloaded_answers", of_store(outcome.overloads)),
        ("write_requests_per_operation", sent(|requests| requests.writes)),
        ("list_requests_per_operation", sent(|requests| requests.lists)),
        ("read_requests_per_operation", sent(|requests| requests.reads)),
        ("delete_requests_per_operation", sent(|requests| requests.deletes)),
        ("page_cache_hit_share", local(hits, NO_PAGES)),
        (REACHED_DEVICE, local(reached, NO_DEVICE)),
        (
            "cpu_seconds_per_million_operations",
            ratio((process.user_s + process.system_s) * 1e6, performed, NO_OPERATION),
        ),
        (
            "system_calls_per_operation",
            local(ratio(team.system_calls as f64, performed, NO_OPERATION), NO_SYSTEM_CALLS),
        ),
        ("resident_bytes_max", Measured::Value(process.resident_bytes_max as f64)),
        ("instrument_overhead_ns", evidence.instrument_overhead_ns.clone()),
    ];
    let mut metrics: Metrics = plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect();
    for step in Step::ALL {
        let rate = if parameters.has(|other| other == *step) {
            per_second(team.recorder.completed(step.family()) as f64)
        } else {
            Measured::unsupported(format!("the mix has no {step}"))
        };
        metrics.insert(step.rate().to_owned(), rate);
    }
    for family in FAMILIES {
        match (absent(parameters, family), team.recorder.histogram(family)) {
            (Some(why), _) => insert_unsupported(&mut metrics, family, &why),
            (None, Some(histogram)) => insert_latency(&mut metrics, family, histogram),
            (None, None) => {}
        }
    }
    if !parameters.restores() {
        for name in [RESTORE_SECONDS, RESTORE_BYTES_PER_S, RESTORE_CACHED] {
            metrics.insert(name.to_owned(), Measured::unsupported(NO_RESTORE));
        }
    }
    metrics
}

/// The latencies of all clients by size; none if sizes do not vary.
pub fn size_classes(team: &Driven<Vec<ObjectLoad>>) -> Vec<SizeClass> {
    SizeClasses::merged(team.workload.iter().map(ObjectLoad::size_classes))
}

/// The metrics of the restore: the clients read what others have put; `cached` is the share of it that was in memory
/// when they began, 0…1.
pub fn restore_metrics(
    parameters: &Parameters,
    team: &Driven<Vec<ObjectLoad>>,
    cached: Measured<f64>,
) -> Metrics {
    let bytes: u64 = team.workload.iter().map(|client| client.moved().read_bytes).sum();
    let seconds = seconds_in(parameters, team, |moved| moved.reading);
    let plain = [
        (RESTORE_SECONDS, Measured::Value(seconds)),
        (RESTORE_BYTES_PER_S, ratio(bytes as f64, seconds, NO_TIME)),
        (RESTORE_CACHED, cached),
    ];
    plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect()
}

/// Seconds that the slowest client of files spends in operations. A client of a store has several in flight: there it
/// is the time from the first to the last.
fn seconds_in(parameters: &Parameters, team: &Driven<Vec<ObjectLoad>>, spent: fn(Moved) -> Nanos) -> f64 {
    if parameters.is_remote() {
        return team.elapsed().seconds();
    }
    team.workload.iter().map(|client| spent(client.moved())).max().unwrap_or_default().seconds()
}

/// Why a family has no latencies.
fn absent(parameters: &Parameters, family: &str) -> Option<String> {
    let of_step = Step::ALL.iter().find(|step| step.family() == family);
    match of_step {
        Some(step) => (!parameters.has(|other| other == *step)).then(|| format!("the mix has no {step}")),
        None if family == FIRST_BYTE => (!parameters.has(Step::reads)).then(|| NOTHING_READ.to_owned()),
        None if family == PAGE => {
            (!parameters.has(|step| step == Step::List)).then(|| format!("the mix has no {}", Step::List))
        }
        None => None,
    }
}
