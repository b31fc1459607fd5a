//! A comparison of two runs in words.

use crate::quantity;
use model::figure::count;
use verdict::RunRemark;
use verdict::compare::{ComparisonRemark, Doubts, Lone, Machines, RowReason, Unjudged};

/// Names of configurations that one side lacks which are printed.
const NAMED_MAX: usize = 3;

/// Why a row of this metric has no answer, or what limits it: a clause.
pub(crate) fn row_reason(reason: &RowReason, metric: &str) -> String {
    match reason {
        RowReason::NoValue { side, why } => format!("no value in {side}: {why}"),
        RowReason::UnlikeDurability { a, b } => {
            format!("the durability class differs: {a} in A, {b} in B")
        }
        RowReason::NoInterval(why) => why.to_string(),
        RowReason::InsideNoise => {
            format!("{} differs by less than the baseline differs from itself", quantity::named(metric).title)
        }
        RowReason::Withheld(doubts) => {
            let doubts: Vec<String> = doubts.iter().map(doubt).collect();
            format!("withheld: audit {}", doubts.join("; "))
        }
        RowReason::Disagree => "the configurations disagree: read them one by one".to_owned(),
    }
}

/// Why rows of this metric cannot be judged.
pub fn unjudged(unjudged: &Unjudged, metric: &str) -> String {
    unjudged.why.as_ref().map_or_else(|| "there is no interval".to_owned(), |why| row_reason(why, metric))
}

/// `littles-law failed, cold-cache could not be carried out in B`.
fn doubt(Doubts { side, failed, open }: &Doubts) -> String {
    let failed = failed.iter().map(|audit| format!("{audit} failed"));
    let open = open.iter().map(|audit| format!("{audit} could not be carried out"));
    let audits: Vec<String> = failed.chain(open).collect();
    format!("{} in {side}", audits.join(", "))
}

/// What a reader has to know: a sentence or two.
pub(crate) fn remark(remark: &ComparisonRemark) -> String {
    match remark {
        ComparisonRemark::OneRunEach => {
            "Each side is one run: what changes from run to run on one machine (placement of the files, temperature, the day) \
             is not inside the intervals. Compare two runs of A to see how much that is."
                .to_owned()
        }
        ComparisonRemark::OfRun { side, remark } => format!("{side}: {}", run_remark(remark)),
        ComparisonRemark::StudiesOf(Lone { side, names }) => format!("Only {side} has {}.", names.join(", ")),
    }
}

/// Configurations that one side has alone: the first few, and how many more there are.
pub(crate) fn left_out(Lone { side, names }: &Lone) -> String {
    let shown: Vec<&str> = names
        .iter()
        .take(NAMED_MAX)
        .map(|name| if name.is_empty() { "its one configuration" } else { name.as_str() })
        .collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("Only {side} has {}{more}.", shown.join(", "))
}

/// Which machines and disks these are, in a sentence or two.
pub(crate) fn machines(Machines { hosts: (ours, theirs), disks }: &Machines) -> String {
    let hosts = if ours == theirs {
        format!("Both runs were made on {ours}.")
    } else {
        format!("Two machines: A was made on {ours}, B on {theirs}.")
    };
    let disks = match disks {
        (Some(ours), Some(theirs)) if ours == theirs => format!("Both on {ours}."),
        (Some(ours), Some(theirs)) => format!("Two disks or file systems: A on {ours}, B on {theirs}."),
        (None, _) => "A measured nothing.".to_owned(),
        (_, None) => "B measured nothing.".to_owned(),
    };
    format!("{hosts} {disks}")
}

/// What a reader has to know about a run as a whole: a sentence.
pub(crate) fn run_remark(remark: &RunRemark) -> String {
    match remark {
        RunRemark::Read(remark) => remark.clone(),
        RunRemark::Resumed { sessions } => {
            format!("The run was resumed: its trials come from {sessions} sessions.")
        }
        RunRemark::Missing { study, trials, of_trials, is_resumable } => {
            let way_out = if *is_resumable { "; resume the run to run them" } else { "" };
            format!("{study}: {trials} of {} have no record{way_out}.", count(*of_trials, "trial"))
        }
        RunRemark::Repeated { study, records } => {
            format!(
                "{study}: {} of an already recorded trial; one record counts for each trial.",
                count(*records, "record")
            )
        }
        RunRemark::Unplanned { study, records } => format!(
            "{study}: {} with a round or configuration that is not in the plan, left out.",
            count(*records, "record")
        ),
        RunRemark::Skipped { study, why } => format!("{study} was skipped: {why}"),
        RunRemark::OfNoStudy { records } => {
            format!("{} of a study that is not in the plan, left out.", count(*records, "record"))
        }
    }
}
