//! Where the time of operations went, in words.

use crate::explained::{ExplainedArm, ExplainedFamily, Part, Shares};
use model::figure::{count, elapsed};
use model::traced::Stage;
use model::units::format_significant;

/// Segments that a sentence names.
const NAMED_MAX: usize = 4;
/// Share of the time below which a sentence does not name a segment.
const NAMED_MIN: f64 = 0.03;
/// Fewer operations have no percentile of this kind, and no slowest hundredth worth the name.
const OPERATIONS_MIN: u64 = 200;

/// `p99 is 243 µs. The mean commit (98.1 µs; 101 µs while traced): flush in the device 61 %, waiting to run 22 %, …;
/// the slowest 1 % (52 of 5198 commits, 310 µs on average): …`.
pub fn sentence(family: &ExplainedFamily) -> String {
    let operation = family.operation();
    let p99 = family.latency_p99_us.map(|us| format!("p99 is {}. ", elapsed(us))).unwrap_or_default();
    let mean = match family.latency_mean_us {
        Some(us) => format!("{}; {} while traced", elapsed(us), elapsed(family.all.traced_mean_us)),
        None => format!("{} while traced", elapsed(family.all.traced_mean_us)),
    };
    let all = parts(&family.all);
    let counted = |operations: u64| count(usize::try_from(operations).unwrap_or(usize::MAX), &operation);
    let slowest = if family.all.operations < OPERATIONS_MIN {
        format!("{} were traced, too few for the slowest 1 %", counted(family.all.operations))
    } else {
        format!(
            "the slowest 1 % ({} of {}, {} on average): {}",
            family.slowest.operations,
            counted(family.all.operations),
            elapsed(family.slowest.traced_mean_us),
            parts(&family.slowest)
        )
    };
    format!("{p99}The mean {operation} ({mean}): {all}; {slowest}.")
}

/// A configuration in words: its operations, and what its traces do not show.
pub fn arm_in_words(arm: &ExplainedArm) -> String {
    sentences(arm).join(" ")
}

/// The same, one by one.
pub(super) fn sentences(arm: &ExplainedArm) -> Vec<String> {
    let mut said: Vec<String> = arm.families.iter().map(sentence).collect();
    if said.is_empty() {
        said.push("No operation was traced.".to_owned());
    }
    said.extend(limits(arm));
    said
}

/// What the traces of an arm do not show, each in a sentence.
fn limits(arm: &ExplainedArm) -> Vec<String> {
    let mut said = Vec::new();
    if arm.lost_records > 0 {
        said.push(format!(
            "The kernel lost {} of {} records of the trace; what they would have shown is in the unknown time.",
            grouped(arm.lost_records),
            grouped(arm.lost_records.saturating_add(arm.events))
        ));
    }
    if arm.events_beyond_limit > 0 {
        said.push(format!("{} events were beyond the limit of memory.", grouped(arm.events_beyond_limit)));
    }
    let sum = |of: fn(&ExplainedFamily) -> u64| arm.families.iter().map(of).fold(0, u64::saturating_add);
    let (unmatched, unstamped) = (sum(|family| family.unmatched), sum(|family| family.unstamped));
    if unmatched > 0 {
        let unmatched = grouped(unmatched);
        said.push(format!("The traces do not cover {unmatched} operations, which are not counted here."));
    }
    if unstamped > 0 {
        let unstamped = grouped(unstamped);
        said.push(format!(
            "{unstamped} operations were beyond the limit of stamps, and are not counted here."
        ));
    }
    if arm.is_overlapping {
        said.push(
            "A thread had several operations in flight: the segments are what the thread waited for, not the way of \
             each request."
                .to_owned(),
        );
    }
    if !arm.missing_tracepoints.is_empty() {
        said.push(format!("This kernel lacks tracepoints: {}.", arm.missing_tracepoints.join("; ")));
    }
    said.extend(arm.failures.iter().map(|why| format!("A trial has no trace: {why}")));
    said
}

fn grouped(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format_significant(number as f64) }
}

/// A share in whole percent.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 1.0 { "< 1 %".to_owned() } else { format!("{percent:.0} %") }
}

/// The largest segments, the unknown time however small, and the rest.
fn parts(shares: &Shares) -> String {
    let is_unknown = |part: &&Part| part.segment.stage == Stage::Unknown && !part.segment.journal;
    let mut named: Vec<&Part> = shares
        .parts
        .iter()
        .filter(|part| !is_unknown(part) && part.share >= NAMED_MIN)
        .take(NAMED_MAX)
        .collect();
    named.extend(shares.parts.iter().filter(is_unknown).filter(|part| part.share >= 0.005));
    named.sort_by(|one, other| other.share.total_cmp(&one.share));
    let rest = 1.0 - named.iter().map(|part| part.share).sum::<f64>();
    let mut words: Vec<String> =
        named.iter().map(|part| format!("{} {}", part.segment.name(), percent(part.share))).collect();
    if rest >= 0.01 {
        words.push(format!("the rest {}", percent(rest)));
    }
    words.join(", ")
}
