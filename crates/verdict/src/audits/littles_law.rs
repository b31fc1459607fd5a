//! Little's law: operations per second × mean latency = operations in flight (Little 1961, "A Proof for the Queuing
//! Formula L = λW", Operations Research 9).
//!
//! The left side comes from the latency histograms, the right side from the driver's own integral over time, so a timer
//! in the wrong place or operations counted twice show up here. Page 000 published more read IOPS × latency than it
//! had reads in flight.

use super::tally::{Reading, Tally};
use super::{Context, Judgement};
use crate::observations::value;
use crate::phrase::limit;
use crate::verdict::Status;
use model::trial::TrialRecord;
use model::units::format_significant;
use stats::littles_law::littles_law;

/// Disagreement that is rounding: histograms hold three digits, and an operation ends a little before it is reaped.
const PASS_WITHIN: f64 = 0.05;
/// Disagreement beyond which one of the two figures is wrong.
const FAIL_BEYOND: f64 = 0.10;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let tally = Tally::of(context, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass(format!(
            "Throughput × mean latency agrees with the operations in flight within {} in every trial.",
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
    judgement.with(tally.evidence())
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
