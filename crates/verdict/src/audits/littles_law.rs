//! Little's law: operations per second × mean latency = operations in flight (Little 1961, "A Proof for the Queuing
//! Formula L = λW", Operations Research 9).
//!
//! The law and its limit are those of published tables (`laws`). Here the left side comes from the latency
//! histograms, the right side from the driver's own integral over time. Both come from the same clock reads, so a
//! wrong clock is wrong on both sides and is not caught. The audit catches operations that are counted twice or
//! lost, a latency that omits a wait (or includes one without an operation in flight), and more operations in
//! flight than the depth allows: page 000 published a product of read IOPS and latency above its reads in flight.
//!
//! A trial that takes turns has the latencies that began inside its windows, and the rate of what ended inside
//! them. At a window's edges these are different operations, so the two may differ by one latency per window. A
//! long operation is more often in flight at an edge than a short one: the one that is there takes E\[L²\] ÷ E\[L\]
//! on average (the inspection paradox; Feller 1971, *An Introduction to Probability Theory* II, I.4). Trials of so
//! few operations that this alone may hide or make a failure are left out.
//!
//! In an open loop the latency counts from the intended start, so it includes a wait that is in no queue of the
//! driver, and the law does not hold between the two.
//!
//! The device's own queue is independent of that clock (`/proc/diskstats`, kernel
//! `Documentation/admin-guide/iostats.rst`, field 11): if every operation is direct, it should hold no more than
//! the driver has in flight. Journal writes, split requests and other processes add to it, so it is reported as
//! evidence and decides nothing.

use super::tally::{Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::described;
use crate::observations::value;
use crate::phrase::{count, limit};
use crate::verdict::Status;
use laws::list::littles_law::{FAIL_BEYOND, LAW, WARN_BEYOND};
use laws::{Circumstances, Claim, Latency};
use model::trial::TrialRecord;
use model::units::format_significant;

/// How far the latencies' account may be off, as a share: histograms hold three digits, and an operation ends a
/// little before it is reaped.
const UNCERTAIN: f64 = 0.02;
/// Requests that the file system's journal may have in flight beside Syncline's.
const JOURNAL_REQUESTS: f64 = 1.0;
/// Operations over the edges of windows that may hide or make a failure, as a share.
const EDGES_MAX: f64 = 0.10;

pub(super) const CHECK: Check = Check {
    name: "littles-law",
    bearing,
    moot: "The law does not apply: an open loop counts latency from the intended start, which includes a wait outside \
        the driver's queue, and a workload of several phases does not count operations in flight for each.",
    judge: check,
};

/// It applies to a closed loop with a count of operations in flight.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let is_closed = used.description.arrivals.is_none();
    (used.is_timed() && is_closed && used.description.figures.counts_in_flight).then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    // A stall at the end of a trial can make the three figures of one trial disagree; an unreliable method makes them
    // disagree repeatedly.
    let tally = Tally::by_law(context, Rule::MoreThanATenth, &LAW, claim);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass(format!(
            "Throughput × mean latency agrees with the operations in flight within {} in every trial. Both come from \
             one clock: that rules out lost, repeated and unstamped operations, not a wrong clock.",
            limit(UNCERTAIN + WARN_BEYOND)
        )),
        Status::NotAssessable | Status::NotApplicable if is_all_open(context) => Judgement::not_assessable(
            "Every trial is an open loop: its latency counts from the intended start, so it includes a wait outside \
             the driver's queue, and the law does not apply.",
        ),
        Status::NotAssessable | Status::NotApplicable => Judgement::not_assessable(
            "No trial reports rates, mean latencies and operations in flight together, in turns that are long enough \
             for its operations.",
        ),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!(
                "Throughput × mean latency disagrees with the operations in flight in {}.",
                tally.share()
            ),
            "Do not quote these latencies together with these rates: one of them is wrong. Report this \
             with the run directory.",
        ),
    };
    tally.tell(judgement).with(open_loops(context)).with(short_windows(context)).with(device_queue(context))
}

/// Requests in the device's queue compared with operations in flight, over the trials in which the two are comparable.
fn device_queue(context: &Context<'_>) -> Option<String> {
    let pair = |trial: &Trial<'_>| Some((queue_mean(trial)?, value(trial.record, "in_flight_mean")?));
    let pairs: Vec<(&TrialRecord, f64, f64)> = context
        .trials
        .iter()
        .flatten()
        .filter_map(|trial| pair(trial).map(|(queue, in_flight)| (trial.record, queue, in_flight)))
        .collect();
    let is_more = |(_, queue, in_flight): &&(_, f64, f64)| {
        *queue > in_flight * (1.0 + UNCERTAIN + FAIL_BEYOND) + JOURNAL_REQUESTS
    };
    let more = pairs.iter().filter(is_more).count();
    let excess = |(_, queue, in_flight): &(_, f64, f64)| queue - in_flight;
    let (record, queue, in_flight) = pairs.iter().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let label = context.observations.plan.label(record.key.configuration);
    let trial = format!("{label} round {}", record.key.round);
    let most = format!(
        "{} requests against {} operations, {}",
        format_significant(*queue),
        format_significant(*in_flight),
        trial.trim_start()
    );
    let direct = count(pairs.len(), "direct trial");
    Some(if more == 0 {
        format!(
            "The device's own queue, by the kernel's clock, fits the driver's count in {direct}; closest to exceeding \
             it: {most}."
        )
    } else {
        format!(
            "The device's own queue held more than the driver in {more} of {direct} ({most}): its journal, split \
             requests or other processes add to it, or the driver counts too few."
        )
    })
}

fn is_all_open(context: &Context<'_>) -> bool {
    let mut trials = context.trials.iter().flatten().peekable();
    trials.peek().is_some() && trials.all(|trial| trial.description.arrivals.is_some())
}

/// Trials to which the law does not apply.
fn open_loops(context: &Context<'_>) -> Option<String> {
    let is_open = |trial: &&Trial<'_>| trial.description.arrivals.is_some();
    let open = context.trials.iter().flatten().filter(is_open).count();
    (open > 0).then(|| {
        format!(
            "Left out: {} in an open loop, where latency counts from the intended start and not from the submission.",
            count(open, "trial")
        )
    })
}

/// Trials whose windows hold too few operations for the law.
fn short_windows(context: &Context<'_>) -> Option<String> {
    let is_short = |trial: &&Trial<'_>| {
        let accounted = Accounted::in_trial(trial);
        accounted.is_some_and(|accounted| accounted.share_at_edges(trial.record) > EDGES_MAX)
    };
    let short = context.trials.iter().flatten().filter(is_short).count();
    (short > 0).then(|| {
        format!(
            "Left out: {} in turns so short that operations over the edges of their windows may differ by more than \
             {}.",
            count(short, "trial"),
            limit(EDGES_MAX)
        )
    })
}

/// Requests in the device's queue, averaged over the time that the kernel counted. `None` if the page cache is
/// between operations and requests: it reads ahead and writes back by itself.
fn queue_mean(trial: &Trial<'_>) -> Option<f64> {
    if !trial.description.is_all_direct() {
        return None;
    }
    let phase = trial.record.measurement.as_ref()?.phases.first()?;
    let queue = phase.mechanism.device.value()?.queue_s / phase.counted_s();
    queue.is_finite().then_some(queue)
}

/// What a trial's latencies account for: operations per second, and the lower and upper bound of operations in flight.
struct Accounted {
    per_second: f64,
    low: f64,
    high: f64,
    /// Mean latency of the operations in flight at a moment, times `low`.
    at_a_moment: f64,
}

impl Accounted {
    fn in_trial(trial: &Trial<'_>) -> Option<Self> {
        let mut accounted = Self { per_second: 0.0, low: 0.0, high: 0.0, at_a_moment: 0.0 };
        let streams = described::streams(trial.record);
        for stream in streams {
            let in_flight = stream.latencies_per_s * stream.latency_mean_s;
            accounted.per_second += stream.latencies_per_s;
            accounted.low += in_flight;
            accounted.high += in_flight * stream.overlapping_max as f64;
            let square = stream.latency_mean_s.powi(2) + stream.latency_sd_s.unwrap_or(0.0).powi(2);
            accounted.at_a_moment += stream.latencies_per_s * square;
        }
        (!streams.is_empty()).then_some(accounted)
    }

    /// The mean latency of what is in flight at the edge of a window ÷ the mean window; 0 if the trial took no turns.
    fn share_at_edges(&self, record: &TrialRecord) -> f64 {
        let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
        let windows = phases.filter_map(|phase| Some((phase.duration_s, phase.turns.as_ref()?.slices)));
        let (seconds, slices) =
            windows.fold((0.0, 0), |(seconds, slices), window| (seconds + window.0, slices + window.1));
        let at_an_edge_s = self.at_a_moment / self.low;
        if slices > 0 { at_an_edge_s * f64::from(slices) / seconds } else { 0.0 }
    }
}

/// What a trial claims of its operations in flight.
fn claim(trial: &Trial<'_>) -> Option<Claim> {
    let accounted = Accounted::in_trial(trial)?;
    let at_edges = accounted.share_at_edges(trial.record);
    if trial.description.arrivals.is_some() || at_edges > EDGES_MAX {
        return None;
    }
    let mean_ns = accounted.low / accounted.per_second * 1e9;
    Some(Claim {
        operations_per_s: Some(accounted.per_second),
        latency: Latency { mean_ns: Some(mean_ns), ..Latency::default() },
        in_flight_accounted: Some((accounted.low, accounted.high)),
        in_flight_counted: Some(value(trial.record, "in_flight_mean")?),
        uncertainties: [("in flight".to_owned(), accounted.low * (UNCERTAIN + at_edges))].into(),
        setting: Circumstances {
            in_flight: Some(trial.description.in_flight_max.max(1)),
            ..Circumstances::default()
        },
        ..Claim::default()
    })
}
