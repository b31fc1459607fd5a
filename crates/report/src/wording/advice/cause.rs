//! Why nothing is advised.

use super::statement::{compared, measured, syncs};
use super::versions;
use crate::quantity;
use advice::{Cause, Levels, Missing};
use model::figure::{percent, ratio};
use model::metric::Unit;
use verdict::finding::{Group, Opposing};

/// Why nothing is advised: a clause without a full stop, except where an audit's own words end it.
pub fn cause(cause: &Cause) -> String {
    match cause {
        Cause::NoCells { workload, held } => format!("{NO_STUDY} has {}", workload_at(workload, held)),
        Cause::NoArms { workload, held, base, other } => {
            let (other, base) = (listed(other), listed(base));
            format!("{NO_STUDY} has {other} beside {base}, {}", workload_at(workload, held))
        }
        Cause::Missing(what) => missing(*what),
        Cause::FewCommitters { most, siblings } => format!(
            "this run has at most {most} committers, and commit_delay takes effect only if {siblings} others are open (commit_siblings)"
        ),
        Cause::NoTrial { configuration } => format!("{configuration}: no trial succeeded"),
        Cause::NoFigure { configuration, metric, why } => {
            let title = quantity::named(metric).title;
            match why {
                Some(why) => format!("{configuration}: {title} cannot be measured here: {why}"),
                None => format!("{configuration}: {title} was not measured"),
            }
        }
        Cause::NotCompared(why) => why.to_string(),
        Cause::NoInterval { study, why } => format!("the comparison in study {study} has no interval: {why}"),
        Cause::NoRatio(pair) => compared(pair),
        Cause::DependsOn { study, metric, opposing } => {
            format!("{} in study {study} {}", quantity::named(metric).title, depends(opposing))
        }
        Cause::AgainstFinding { study, finding, found, compared } => format!(
            "the finding {finding} of study {study} proves the opposite: {}, against {} in the cells that resemble the database",
            quantity::ratio_with_bounds(found),
            quantity::ratio_with_bounds(compared)
        ),
        Cause::UnlikePromises { one: (one, weaker), other: (other, class) } => {
            format!("the arms differ in their durability: {one} has class {weaker}, {other} has {class}")
        }
        Cause::FromCache { pair, share } => format!(
            "{}, but {} of the buffered arm's bytes came from the page cache: InnoDB could use that memory for its own \
             buffer pool",
            compared(pair),
            percent(*share)
        ),
        Cause::MayBeSlower(pair) => {
            format!("{}: the fastest is not proven to lose at most 5 %", compared(pair))
        }
        Cause::ReadsNotAssessable(why) => format!("how many reads are enough: {why}"),
        Cause::FewRounds { needed } => {
            format!("fewer than {needed} rounds with PostgreSQL's temporary tables were measured")
        }
        Cause::DidNotFit { pages } => {
            format!("a table of {pages} pages did not fit even at the largest measured headroom")
        }
        Cause::NotInVersion { program, versions: of } => format!("{program} {}", versions(*of)),
        Cause::VersionUnknown { program, versions: of } => {
            format!("{program} {}, and the version of this server is not known", versions(*of))
        }
        Cause::Overridden { program, setting, value } => {
            format!("{program} ignores it with {setting} = {value}")
        }
        Cause::SomeAbove(found) => format!("{}: most trials keep the limit, but not all", syncs(found)),
        Cause::MajorityOpen(found) => {
            format!("{}: it is not proven whether more than half of all trials keep the limit", syncs(found))
        }
        Cause::AuditFailed { study, audit, summary } => {
            format!("It rests on the failed audit {audit} of study {study}: {summary}")
        }
        Cause::NotProven { study, question } => format!("It is not proven: in study {study}, {question}"),
        Cause::OnlyTheDatabase => "no study of a disk shows what this does".to_owned(),
        Cause::NothingMeasured => "nothing was measured".to_owned(),
        Cause::InUseNotCompared { in_use: Some(in_use) } => {
            format!("the value in use, {in_use}, was not measured")
        }
        Cause::InUseNotCompared { in_use: None } => "the value in use is not known".to_owned(),
        Cause::TooWide { estimate, in_use, others } => format!(
            "measured {}, which includes {in_use} and also {}",
            quantity::with_interval(estimate, Unit::Count),
            spanned(others)
        ),
        Cause::GuaranteesLess { safe } => format!("the value in use guarantees less than {safe}"),
        Cause::Untried(statement) => {
            format!("{}: only the database itself shows whether it helps", measured(statement))
        }
        Cause::DependsOnData { setting, value } => {
            format!("it depends on the data: {setting} = {value}")
        }
    }
}

/// `1.1 to 5`.
fn spanned(values: &[String]) -> String {
    match values {
        [] => String::new(),
        [only] => only.clone(),
        [first, .., last] => format!("{first} to {last}"),
    }
}

const NO_STUDY: &str = "no study of this run";

fn missing(what: Missing) -> String {
    match what {
        Missing::BlocksAndHints => format!("{NO_STUDY} compares block sizes and hints"),
        Missing::SecondReader => format!("{NO_STUDY} has a second block size or hint to compare with"),
        Missing::SyncedLog => format!("{NO_STUDY} syncs a log by fdatasync"),
        Missing::Committers => {
            format!("{NO_STUDY} varies the number of committers of a buffered log")
        }
        Missing::OneCommitter => format!("{NO_STUDY} has one committer"),
        Missing::RandomWrites => format!("{NO_STUDY} has random writes"),
        Missing::DepthSearch => {
            format!("{NO_STUDY} measures the depth at which random reads reach their maximum")
        }
        Missing::CommitTime => "the time of one commit was not measured".to_owned(),
        Missing::PageCosts => "the ratio of a random to a sequential page has no interval".to_owned(),
    }
}

/// `the workload commit at sync = dsync`.
fn workload_at(workload: &str, held: &Levels) -> String {
    if held.is_empty() {
        return format!("the workload {workload}");
    }
    format!("the workload {workload} at {}", listed(held))
}

/// `sync = dsync, committers = 1`.
fn listed(levels: &Levels) -> String {
    levels.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
}

/// Where cells point different ways: `depends on group_size: 2.00× at 1; 0.700× at 4`.
fn depends(opposing: &Opposing) -> String {
    let on = opposing.factor.as_deref().unwrap_or("the cell");
    let group = |group: &Group| {
        let (least, most) = group.ratios;
        let ratios = if least < most { format!("{} to {}", ratio(least), ratio(most)) } else { ratio(least) };
        format!("{ratios} at {}", group.level)
    };
    let groups: Vec<String> = opposing.groups.iter().map(group).collect();
    format!("depends on {on}: {}", groups.join("; "))
}
