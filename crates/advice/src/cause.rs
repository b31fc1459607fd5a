//! Why nothing is advised.

use crate::compared::Compared;
use crate::statement::Statement;
use crate::syncs::Syncs;
use crate::withdrawn::Withdrawn;
use model::figure::{percent, ratio};
use model::metric::Unit;
use page::quantity::named;
use serde::Serialize;
use settings::Versions;
use verdict::finding::{Group, Opposing, Reason};
use verdict::quantity::{ratio_with_bounds, with_interval};
use verdict::{Declared, Estimate};

/// A parameter and its level.
pub type Levels = Vec<(String, String)>;

/// Why nothing is advised.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No study runs the workload at these levels.
    NoCells { workload: String, held: Levels },
    /// No study has the two arms beside each other.
    NoArms { workload: String, held: Levels, base: Levels, other: Levels },
    /// No study has what the rule needs: what it `has`, `syncs` or `compares`, as a clause of the rule.
    NoStudy(&'static str),
    /// The studies lack a figure that the rule needs: a clause of the rule.
    Lacking(&'static str),
    /// The most committers are too few for the setting to act.
    FewCommitters {
        most: f64,
        /// Transactions that have to be open beside the one that commits.
        siblings: f64,
    },
    /// No trial of a configuration succeeded.
    NoTrial { configuration: String },
    /// A configuration lacks a metric.
    NoFigure {
        configuration: String,
        metric: String,
        /// What its records say, where they say anything.
        why: Option<String>,
    },
    /// The comparison in a study cannot be carried out.
    NotCompared(Reason),
    /// The comparison in a study gives no interval.
    NoInterval { study: String, why: Reason },
    /// A pair has a ratio without an interval.
    NoRatio(Compared),
    /// Cells point different ways.
    DependsOn { study: String, metric: String, opposing: Opposing },
    /// A finding of the same run proves the opposite.
    AgainstFinding {
        study: String,
        /// The finding, `compare block_size`.
        finding: String,
        /// What the finding proves: its ratio.
        found: Estimate,
        /// What the rule compared.
        compared: Estimate,
    },
    /// The arms promise different things: each configuration with its durability class.
    UnlikePromises { one: (String, Declared), other: (String, Declared) },
    /// One side read from the page cache.
    FromCache {
        pair: Compared,
        /// Share of its bytes.
        share: f64,
    },
    /// The arm that reads the fastest may be slower than another one.
    MayBeSlower(Compared),
    /// How many reads are enough cannot be assessed.
    ReadsNotAssessable(Reason),
    /// Too few rounds of what the rule rests on.
    FewRounds {
        needed: usize,
        /// What it rests on, as a noun.
        of: &'static str,
    },
    /// A table did not fit into the most buffers that were measured.
    DidNotFit {
        /// Its pages.
        pages: u64,
    },
    /// Most trials keep the limit of their syncs, and not all do.
    SomeAbove(Syncs),
    /// Whether most trials keep the limit of their syncs is open.
    MajorityOpen(Syncs),
    /// An audit failed that it rests on.
    AuditFailed { study: String, audit: String, summary: String },
    /// An audit that it requires could not be carried out.
    NotProven {
        study: String,
        /// What the audit leaves open, in its own words.
        question: String,
    },
    /// No study of a disk shows what the setting does.
    OnlyTheDatabase,
    /// Nothing was measured.
    NothingMeasured,
    /// The value in use was not among those that were compared.
    InUseNotCompared {
        /// The value in use.
        in_use: String,
    },
    /// No value was read, and the default was not among those that were compared.
    DefaultNotCompared {
        /// The default of the newest version.
        default: String,
    },
    /// No value was read, and the program has no default.
    InUseUnknown,
    /// The interval of the estimate includes the value in use and others, so it decides between none of them.
    TooWide {
        estimate: Estimate,
        /// The value in use.
        in_use: String,
        /// Other values that it includes.
        others: Vec<String>,
    },
    /// The value in use guarantees less than this one.
    GuaranteesLess {
        /// The value that guarantees more.
        safe: &'static str,
    },
    /// Other values may be better, and only the database itself shows which.
    Untried {
        statement: Statement,
        /// The value to be tried first.
        value: String,
        /// Why the rule predicts no gain, if its predictions failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        withdrawn: Option<Withdrawn>,
    },
    /// The version of the database lacks the setting.
    NotInVersion {
        program: &'static str,
        /// The versions that have it.
        versions: Versions,
    },
    /// The version of the database is not known, and not every version has the setting.
    VersionUnknown {
        program: &'static str,
        /// The versions that have it.
        versions: Versions,
    },
    /// The database ignores it, because another setting has this value.
    Overridden { program: &'static str, setting: String, value: String },
    /// The value depends on what the user stores.
    DependsOnData { setting: String, value: String },
}

impl Cause {
    /// Whether the run lacks the configurations that the rule needs, rather than a figure of them.
    pub fn is_about_the_plan(&self) -> bool {
        match self {
            Self::NoCells { .. } | Self::NoArms { .. } | Self::NoStudy(_) | Self::FewCommitters { .. } => {
                true
            }
            Self::Lacking(_)
            | Self::NoTrial { .. }
            | Self::NoFigure { .. }
            | Self::NotCompared(_)
            | Self::NoInterval { .. }
            | Self::NoRatio(_)
            | Self::DependsOn { .. }
            | Self::AgainstFinding { .. }
            | Self::UnlikePromises { .. }
            | Self::FromCache { .. }
            | Self::MayBeSlower(_)
            | Self::ReadsNotAssessable(_)
            | Self::FewRounds { .. }
            | Self::DidNotFit { .. }
            | Self::SomeAbove(_)
            | Self::MajorityOpen(_)
            | Self::AuditFailed { .. }
            | Self::NotProven { .. }
            | Self::OnlyTheDatabase
            | Self::NothingMeasured
            | Self::InUseNotCompared { .. }
            | Self::DefaultNotCompared { .. }
            | Self::InUseUnknown
            | Self::TooWide { .. }
            | Self::GuaranteesLess { .. }
            | Self::Untried { .. }
            | Self::NotInVersion { .. }
            | Self::VersionUnknown { .. }
            | Self::Overridden { .. }
            | Self::DependsOnData { .. } => false,
        }
    }

    /// A clause without a full stop, except where an audit's own words end it.
    pub fn text(&self) -> String {
        match self {
            Self::NoCells { workload, held } => format!("{NO_STUDY} has {}", workload_at(workload, held)),
            Self::NoArms { workload, held, base, other } => {
                let (other, base) = (listed(other), listed(base));
                format!("{NO_STUDY} has {other} beside {base}, {}", workload_at(workload, held))
            }
            Self::NoStudy(clause) => format!("{NO_STUDY} {clause}"),
            Self::Lacking(clause) => (*clause).to_owned(),
            Self::FewCommitters { most, siblings } => format!(
                "this run has at most {most} committers, and commit_delay takes effect only if {siblings} \
                 others are open (commit_siblings)"
            ),
            Self::NoTrial { configuration } => format!("{configuration}: no trial succeeded"),
            Self::NoFigure { configuration, metric, why } => {
                let title = named(metric).title;
                match why {
                    Some(why) => format!("{configuration}: {title} cannot be measured here: {why}"),
                    None => format!("{configuration}: {title} was not measured"),
                }
            }
            Self::NotCompared(why) => why.to_string(),
            Self::NoInterval { study, why } => {
                format!("the comparison in study {study} has no interval: {why}")
            }
            Self::NoRatio(pair) => pair.text(),
            Self::DependsOn { study, metric, opposing } => {
                format!("{} in study {study} {}", named(metric).title, depends(opposing))
            }
            Self::AgainstFinding { study, finding, found, compared } => format!(
                "the finding {finding} of study {study} proves the opposite: {}, against {} in the cells that \
                 resemble the database",
                ratio_with_bounds(found),
                ratio_with_bounds(compared)
            ),
            Self::UnlikePromises { one: (one, weaker), other: (other, class) } => {
                format!("the arms differ in their durability: {one} has class {weaker}, {other} has {class}")
            }
            Self::FromCache { pair, share } => format!(
                "{}, but {} of the buffered arm's bytes came from the page cache: InnoDB could use that memory \
                 for its own \
                 buffer pool",
                pair.text(),
                percent(*share)
            ),
            Self::MayBeSlower(pair) => {
                format!("{}: the trials do not exclude that the fastest is more than 5 % slower", pair.text())
            }
            Self::ReadsNotAssessable(why) => format!("how many reads are enough: {why}"),
            Self::FewRounds { needed, of } => {
                format!("fewer than {needed} rounds of {of} were measured")
            }
            Self::DidNotFit { pages } => {
                format!("a table of {pages} pages did not fit even at the largest measured headroom")
            }
            Self::NotInVersion { program, versions: of } => format!("{program} {}", of.text()),
            Self::VersionUnknown { program, versions: of } => {
                format!("{program} {}, and the version of this server is not known", of.text())
            }
            Self::Overridden { program, setting, value } => {
                format!("{program} ignores it with {setting} = {value}")
            }
            Self::SomeAbove(found) => format!("{}: most trials keep the limit, but not all", found.text()),
            Self::MajorityOpen(found) => {
                format!(
                    "{}: it is not proven whether more than half of all trials keep the limit",
                    found.text()
                )
            }
            Self::AuditFailed { study, audit, summary } => {
                format!("It rests on the failed audit {audit} of study {study}: {summary}")
            }
            Self::NotProven { study, question } => format!("It is not proven: in study {study}, {question}"),
            Self::OnlyTheDatabase => "no study of a disk shows what this does".to_owned(),
            Self::NothingMeasured => "nothing was measured".to_owned(),
            Self::InUseNotCompared { in_use } => {
                format!("the value in use, {in_use}, was not measured")
            }
            Self::DefaultNotCompared { default } => format!("the default, {default}, was not measured"),
            Self::InUseUnknown => "the value in use is not known".to_owned(),
            Self::TooWide { estimate, in_use, others } => format!(
                "measured {}, which includes {in_use} and also {}",
                with_interval(estimate, Unit::Count),
                spanned(others)
            ),
            Self::GuaranteesLess { safe } => format!("the value in use guarantees less than {safe}"),
            Self::Untried { statement, withdrawn: None, .. } => {
                format!("{}: only the database itself shows whether it helps", statement.text())
            }
            Self::Untried { statement, withdrawn: Some(withdrawn), .. } => {
                format!("{}; {}", statement.text(), withdrawn.text())
            }
            Self::DependsOnData { setting, value } => {
                format!("it depends on the data: {setting} = {value}")
            }
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
