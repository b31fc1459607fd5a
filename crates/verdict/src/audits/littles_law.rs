//! Little's law: operations per second × mean latency = operations in flight (Little 1961, "A Proof for the Queuing
//! Formula L = λW", Operations Research 9).
//!
//! The left side comes from the latency histograms, the right side from the driver's own integral over time. Both come
//! from the same clock reads, so a clock that is wrong is wrong on both sides and is not caught. What can be caught is
//! operations that are counted twice or lost, a latency that leaves out a wait (or holds one that nobody was in flight
//! for), and more in flight than the depth allows: page 000 published more read IOPS × latency than it had reads in
//! flight.
//!
//! Independent of that clock is the device's own queue (`/proc/diskstats`, kernel `Documentation/admin-guide/iostats.rst`,
//! field 11): where every operation is direct, it should hold no more than the driver has in flight. Journal writes,
//! requests that are split and other processes add to it, so it is told as evidence and decides nothing.

use super::tally::{Reading, Tally};
use super::{Context, Judgement};
use crate::observations::value;
use crate::phrase::{count, limit};
use crate::verdict::Status;
use model::trial::TrialRecord;
use model::units::format_significant;
use stats::littles_law::littles_law;

/// Disagreement that is rounding: histograms hold three digits, and an operation ends a little before it is reaped.
const PASS_WITHIN: f64 = 0.05;
/// Requests that the file system's journal may have in flight beside ours.
const JOURNAL_REQUESTS: f64 = 1.0;
/// Disagreement beyond which one of the two figures is wrong.
const FAIL_BEYOND: f64 = 0.10;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let tally = Tally::of(context, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass(format!(
            "Throughput × mean latency agrees with the operations in flight within {} in every trial. Both come from one \
             clock: that rules out lost, repeated and unstamped operations, not a wrong clock.",
            limit(PASS_WITHIN)
        )),
        Status::NotAssessable => Judgement::not_assessable(
            "No trial reports rates, mean latencies and operations in flight together.",
        ),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!(
                "Throughput × mean latency disagrees with the operations in flight in {}.",
                tally.share()
            ),
            "Do not quote these latencies together with these rates: one of them counts something else. Report it \
             with the run directory.",
        ),
    };
    judgement.with(tally.evidence()).with(device_queue(context))
}

/// Requests in the device's queue against operations in flight, over the trials where the two are comparable.
fn device_queue(context: &Context<'_>) -> Option<String> {
    let pair = |record| Some((record, queue_mean(record)?, value(record, "in_flight_mean")?));
    let pairs: Vec<(&TrialRecord, f64, f64)> = context.observations.analysed().filter_map(pair).collect();
    let is_more =
        |(_, queue, in_flight): &&(_, f64, f64)| *queue > in_flight * (1.0 + FAIL_BEYOND) + JOURNAL_REQUESTS;
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
            "The device's own queue, by the kernel's clock, fits the driver's count in {direct}; closest to exceeding it: {most}."
        )
    } else {
        format!(
            "The device's own queue held more than the driver in {more} of {direct} ({most}): its journal, split \
             requests or other processes add to it, or the driver counts too few."
        )
    })
}

/// Requests in the device's queue, averaged over the phase. `None` where the page cache stands between operations and
/// requests: it reads ahead and writes back on its own.
fn queue_mean(record: &TrialRecord) -> Option<f64> {
    let values = &record.values;
    let is_direct = |own: &str| values.is(if values.is(own, "same") { "mode" } else { own }, "direct");
    let has_reads = values.count("read_depth").is_ok_and(|depth| depth > 0);
    if !is_direct("wal_mode") || (has_reads && !is_direct("data_mode")) {
        return None;
    }
    let phase = record.measurement.as_ref()?.phases.first()?;
    let queue = phase.mechanism.device.value()?.queue_s / phase.duration_s;
    queue.is_finite().then_some(queue)
}

/// What a trial's latencies account for: operations per second, and the operations in flight at least and at most.
struct Accounted {
    per_second: f64,
    low: f64,
    high: f64,
}

impl Accounted {
    /// Implied ÷ stated operations in flight.
    fn ratio(&self, implied: f64, stated: f64) -> Option<f64> {
        let law = littles_law(self.per_second, implied / self.per_second, stated, PASS_WITHIN)?;
        Some(law.ratio)
    }
}

fn read(record: &TrialRecord) -> Option<Reading> {
    let values = &record.values;
    let committers = values.count("committers").unwrap_or(1) as f64;
    let read_depth = values.count("read_depth").unwrap_or(0) as f64;
    let writes = if values.is("group_write", "coalesced") {
        1.0
    } else {
        values.count("group_size").unwrap_or(1).max(1) as f64
    };
    let in_flight = value(record, "in_flight_mean")?;
    let accounted = accounted(record, read_depth, writes)?;
    // Each committer has reads and a log of its own.
    let bound = committers * (read_depth + writes);
    let too_many = accounted.ratio(accounted.low, in_flight)? - 1.0;
    let too_few = 1.0 / accounted.ratio(accounted.high, in_flight)? - 1.0;
    let impossible = accounted.ratio(accounted.low, bound)? - 1.0;
    let severity = too_many.max(too_few).max(impossible).max(0.0);
    let span = if accounted.high > accounted.low * 1.001 {
        format!("{} to {}", format_significant(accounted.low), format_significant(accounted.high))
    } else {
        format_significant(accounted.low)
    };
    let text = format!(
        "latencies account for {span} operations in flight, the driver counted {}, {} are possible",
        format_significant(in_flight),
        format_significant(bound)
    );
    Some(Reading::judged(severity, PASS_WITHIN, FAIL_BEYOND, text))
}

/// Reads, writes and syncs. A group of separate writes has one latency, from the first's submission to the last's
/// completion: its writes account for that span once at least, and once each at most.
fn accounted(record: &TrialRecord, read_depth: f64, writes: f64) -> Option<Accounted> {
    let in_flight = |rate: f64, latency: &str| value(record, latency).map(|mean_us| rate * mean_us / 1e6);
    let commits = value(record, "commits_per_s")?;
    let write = in_flight(commits, "write_latency_mean_us")?;
    let syncs = matches!(record.values.text("sync").as_deref(), Ok("fdatasync" | "fsync"));
    let sync = if syncs { in_flight(commits, "sync_latency_mean_us")? } else { 0.0 };
    let reads = if read_depth > 0.0 { value(record, "reads_per_s")? } else { 0.0 };
    let read = if read_depth > 0.0 { in_flight(reads, "read_latency_mean_us")? } else { 0.0 };
    let per_second = reads + commits * (writes + f64::from(u8::from(syncs)));
    Some(Accounted { per_second, low: read + write + sync, high: read + write * writes + sync })
}
