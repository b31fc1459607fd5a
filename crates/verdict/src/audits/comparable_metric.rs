//! Whether a compared latency times the same work in both arms. Under `direct` the data is written before the sync's
//! timer starts; under `buffered` the sync writes it. Page 000 read 3.07× off that, where write and sync together differ
//! by 1.06×.

use super::{Context, Judgement};
use crate::phrase::{family, title};
use crate::verdict::Status;
use model::plan::StudyPlan;
use model::study::{Ask, AskKind};

/// Families whose timed region depends on how the log is written.
const PARTIAL: &[&str] = &["sync_latency", "write_latency", "efficiency_share"];

/// Parameters that move work between write and sync, and how.
const MOVES_WORK: &[(&str, &str)] = &[
    ("mode", "under direct the data is written before the sync begins, under buffered the sync writes it"),
    (
        "wal_mode",
        "under direct the data is written before the sync begins, under buffered the sync writes it",
    ),
    ("sync", "dsync makes the write itself durable, the others leave that to the sync"),
    ("ioengine", "io_uring hands a sync to a kernel worker and times the way there, psync does not"),
];

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let plan = context.observations.plan;
    let mut evidence = Vec::new();
    for ask in &plan.asks {
        for metric in &ask.on {
            if let Some(caveat) = caveat(plan, ask, metric)
                && !evidence.contains(&caveat)
            {
                evidence.push(caveat);
            }
        }
    }
    if evidence.is_empty() {
        return Judgement::pass("Every metric that is compared times the same work in all arms.");
    }
    let summary = "A latency is compared across arms in which it times different work.";
    let advice = "Compare commit latency: it runs from the first record's submission to the acknowledgement.";
    Judgement::new(Status::Warn, summary, advice).with(evidence)
}

/// Why this metric does not compare across what this ask compares.
pub(super) fn caveat(plan: &StudyPlan, ask: &Ask, metric: &str) -> Option<String> {
    if !PARTIAL.contains(&family(metric)) {
        return None;
    }
    let compared = match ask.kind {
        AskKind::Compare | AskKind::Rank => &ask.factor,
        AskKind::Crossover => ask.between.as_ref()?,
        AskKind::Trend | AskKind::Knee | AskKind::Threshold => return None,
    };
    let (_, how) = MOVES_WORK.iter().find(|(parameter, _)| moves(plan, compared, parameter))?;
    Some(format!(
        "{} is not comparable across {compared}: {how}. Compare commit latency instead.",
        title(metric)
    ))
}

/// Whether the compared factor changes this parameter: it is the parameter, or the factor is a list of arms that differ
/// in it.
fn moves(plan: &StudyPlan, compared: &str, parameter: &str) -> bool {
    let varies = || {
        let mut values = plan.configurations.iter().map(|configuration| configuration.get(parameter));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    compared == parameter || (compared == "arm" && varies())
}
