//! What of a fleet is not there or not used.

use super::disk;
use crate::wording::counted;
use fleet::{DiskResult, FailedTrials, MissingRanks, Overlap, ROUNDS_MIN, RunUse, Statement, Unread, Unused};
use model::trial::Outcome;

/// Two runs of one disk of which neither is used.
fn overlap(overlap: &Overlap) -> String {
    let Overlap { first, other, is_one_launch } = overlap;
    if *is_one_launch {
        format!(
            "{first} and {other} are two ranks of one launch with the same host and directory: two hosts have one name, or two ranks \
             ran on one host. Neither is used"
        )
    } else {
        format!(
            "{first} and {other} measured one disk at the same time and disturbed each other: neither is used"
        )
    }
}

/// A run directory that is not used.
fn unread(unread: &Unread) -> String {
    match &unread.why {
        Unused::Unreadable { error } => format!("not used: {error}"),
        Unused::Shared => format!(
            "{} is not used, because its ranks measured storage that they share: syncline report prints what all of them did",
            unread.run
        ),
        Unused::MeasuredNothing { disk: of, failed: trials, .. } => {
            let failed = failed(trials).map_or_else(String::new, |failed| format!(": {failed}"));
            format!(
                "{} is not checked, because no trial of {} measured anything{failed}",
                disk(of),
                unread.run
            )
        }
    }
}

/// `2 of the 16 ranks of the launch in fleet that began at 2026-11-21T10:00:00Z have no run that can be read: ranks 3, 7`.
fn missing(ranks: &MissingRanks) -> String {
    let MissingRanks { folder, began_at, size, missing, first, earlier } = ranks;
    let listed = first.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let more = if first.len() < *missing { ", …" } else { "" };
    let lack = match missing {
        1 => format!("has no run that can be read: rank {listed}"),
        _ => format!("have no run that can be read: ranks {listed}{more}"),
    };
    let of = counted(*size as usize, "rank");
    let used = match earlier {
        0 => String::new(),
        1 => "; a run of an earlier launch is used for 1 of them".to_owned(),
        _ => format!("; runs of an earlier launch are used for {earlier} of them"),
    };
    format!("{missing} of the {of} of the launch in {folder} that began at {began_at} {lack}{used}")
}

/// What of the fleet is not used or not there: sentences.
pub(crate) fn gaps(statement: &Statement) -> impl Iterator<Item = String> {
    statement
        .missing_ranks
        .iter()
        .map(missing)
        .chain(statement.overlaps.iter().map(overlap))
        .chain(statement.unread.iter().map(unread))
}

/// Why a disk is not checked, or what its runs lack.
pub(crate) fn lacks(result: &DiskResult) -> String {
    let failed = failed(&result.failed);
    let unanswered = (result.unanswered > 0).then(|| {
        format!(
            "{} of its stratum {} no figure of {ROUNDS_MIN} rounds here",
            counted(result.unanswered, "question"),
            if result.unanswered == 1 { "has" } else { "have" }
        )
    });
    let lacks: Vec<String> = failed.into_iter().chain(unanswered).collect();
    if !lacks.is_empty() {
        return lacks.join("; ");
    }
    let is_used = result.runs.iter().any(|run| run.used == RunUse::First);
    let why = match (is_used, result.judged) {
        (false, _) => "None of its runs is used",
        (true, 0) => "Too few disks of its stratum answer its questions",
        (true, _) => "Its latest run is not used",
    };
    why.to_owned()
}

/// `2 trials failed, the first because …`.
fn failed(trials: &FailedTrials) -> Option<String> {
    let why = match trials.first.as_ref()? {
        Outcome::Failed(why) | Outcome::Unsupported(why) => why.clone(),
        Outcome::Killed(seconds) => format!("killed at its deadline after {seconds:.0} s"),
        Outcome::Ok => return None,
    };
    let first = if trials.count == 1 { "" } else { ", the first" };
    Some(format!("{} failed{first}: {why}", counted(trials.count, "trial")))
}
