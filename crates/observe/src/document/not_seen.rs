//! What was not seen.

use crate::missing::MissingTracepoint;
use crate::observation::NotSeen;
use model::figure::{count, elapsed};
use page::{Block, Section, capitalised};

pub(super) fn section(of: &NotSeen) -> Option<Section> {
    let mut remarks = Vec::new();
    if of.lost_records > 0 {
        remarks.push(format!(
            "The rings had no room for {}: the rates are too low. This machine has too little CPU time to read them.",
            count(of.lost_records as usize, "record")
        ));
    }
    let mut add = |number: u64, noun: &str, rest: &str| {
        if number > 0 {
            remarks.push(capitalised(&format!("{} {rest}", count(number as usize, noun))));
        }
    };
    add(of.unnamed_calls, "call", "on descriptors that were closed before Syncline could look them up.");
    add(of.outside_calls, "call", "of processes outside this container, which Syncline cannot look up.");
    add(of.operations_on_other_files, "operation", "on files that have no name here.");
    add(
        of.submitted_requests,
        "request",
        "through io_submit, of which the kernel tells neither size nor end: the disk's requests above have them.",
    );
    add(of.unexplained, "operation", "of which not all events were kept: their time is not explained.");
    if of.unfinished > 0 {
        remarks.push(format!(
            "{} had not ended at the end, the longest after {}.",
            count(of.unfinished as usize, "operation"),
            elapsed(of.unfinished_longest_us)
        ));
    }
    for MissingTracepoint { tracepoint, reason, lost } in &of.missing_tracepoints {
        remarks.push(format!("Not recorded: {tracepoint}: {reason}; {}.", lost.words()));
    }
    let blocks: Vec<Block> = remarks.into_iter().map(Block::remark).collect();
    (!blocks.is_empty()).then(|| Section::new("not-seen", "What was not seen", blocks))
}
