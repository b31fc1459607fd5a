//! InnoDB's writes of pages: how many a second it may assume, whether neighbours are written together, and the
//! doublewrite buffer.
//!
//! InnoDB's pages have 16 KiB by default, and it writes them at random. Meanings:
//! <https://dev.mysql.com/doc/refman/8.4/en/innodb-configuring-io-capacity.html>,
//! <https://dev.mysql.com/doc/refman/8.4/en/innodb-doublewrite-buffer.html>.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::compared::Compared;
use crate::comparison::Comparison;
use crate::decision::{Alternative, Loss};
use crate::effect::Standing;
use crate::evidence::{Arms, Evidence};
use crate::ground::Ground;
use crate::level::{Level, on_host};
use crate::no_advice::NoAdvice;
use crate::rule::{Decide, Rule};
use crate::setting::Facts;
use crate::source::Source;
use crate::statement::Statement;
use crate::weighed::{Choose, Weighed};
use model::IoMode;
use workload::device::{PARAMETERS as DEVICE, Pattern};

const IOPS: &str = "iops";
const PAGE: &str = "16KiB";
const PAGE_BYTES: u32 = 16 << 10;

/// The smallest value of both settings (the manual): a slower disk has to be given that.
const CAPACITY_MIN: f64 = 100.0;
pub(crate) const FEWER_THAN_MIN: Caveat = Caveat::Note(
    "The disk makes fewer random writes than 100 a second, which is the smallest value that InnoDB takes.",
);

const SOURCE: Option<Source> = Some(Source {
    study: "device",
    vary: &[
        (DEVICE.rw.name(), &[Pattern::Write.name(), Pattern::RandWrite.name()]),
        (DEVICE.mode.name(), &[IoMode::Direct.name()]),
        (DEVICE.bs.name(), &[PAGE]),
    ],
    minutes: 1,
});

fn writes() -> [Level; 3] {
    [DEVICE.mode.at(IoMode::Direct), DEVICE.bs.at(PAGE_BYTES), on_host()]
}

const ALONE: Caveat = Caveat::Note(
    "Measured with writes that no flush follows, and nothing else on the disk: reads and the log take their part.",
);

/// `innodb_io_capacity` and `innodb_io_capacity_max`.
pub(in crate::database) const fn io_capacity(facts: Facts) -> Rule {
    Rule { facts, source: SOURCE, comparisons: 0, decide: Decide::Study(capacity) }
}

/// `innodb_flush_neighbors`.
pub(in crate::database) const fn flush_neighbors(facts: Facts) -> Rule {
    Rule { facts, source: SOURCE, comparisons: 1, decide: Decide::Study(neighbors) }
}

/// `innodb_doublewrite`, by the comparison of [`flush_neighbors`].
pub(in crate::database) const fn doublewrite(facts: Facts) -> Rule {
    Rule { facts, source: SOURCE, comparisons: 0, decide: Decide::Study(pages_twice) }
}

pub(in crate::database) const CAPACITY_RISKS: &[&str] =
    &["a low value lets dirty pages pile up, and then sessions have to write them"];
pub(in crate::database) const CAPACITY_MAX_REQUIRES: &[&str] =
    &["a value that is not below innodb_io_capacity"];
pub(in crate::database) const NEIGHBORS_RISK: &[&str] = &["pages are written that did not have to be yet"];

/// The setting is the number of pages that InnoDB may write a second in the background. A disk that cannot do that many
/// refutes it; what a disk can do refutes no smaller value.
fn capacity(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let found = evidence.cells("device", &[&writes()[..], &[DEVICE.rw.at(Pattern::RandWrite)]].concat())?;
    let none = || NoAdvice::not_measured(Cause::NoStudy("has random writes"));
    let cell = found.cells.first().ok_or_else(none)?;
    let estimate = evidence.figure(&found, cell, IOPS)?.mean.clone();
    let Some(point) = estimate.point.filter(|_| estimate.interval.is_some()) else {
        return Err(NoAdvice::undecided(Cause::FewRounds { needed: stats::TRIALS_MIN, of: "random writes" }));
    };
    let statement = Statement::WritesPerSecond { block: PAGE.to_owned(), iops: estimate.clone() };
    Ok(Weighed {
        grounds: vec![Ground {
            study: found.study.name.clone(),
            finding: cell.label.clone(),
            metric: IOPS.to_owned(),
            trials: cell.n,
        }],
        caveats: (point < CAPACITY_MIN).then_some(FEWER_THAN_MIN).into_iter().chain([ALONE]).collect(),
        ..Weighed::new(Choose::AtMost { estimate, nearest: below(point) }, statement)
    })
}

/// Two digits, rounded down, and at least what InnoDB takes.
fn below(iops: f64) -> String {
    let step = 10_f64.powf(iops.max(10.0).log10().floor() - 1.0);
    format!("{:.0}", ((iops / step).floor() * step).max(CAPACITY_MIN))
}

fn in_order(evidence: &Evidence<'_>) -> Result<Comparison, NoAdvice> {
    let arms = Arms {
        workload: "device",
        held: &writes(),
        base: &[DEVICE.rw.at(Pattern::RandWrite)],
        other: &[DEVICE.rw.at(Pattern::Write)],
        across_classes: false,
    };
    evidence.contrast(arms, IOPS)
}

fn pair(in_order: &Comparison) -> Compared {
    in_order.pair(format!("writes of {PAGE} in order"), format!("writes of {PAGE} at random"))
}

/// Neighbours are written together so that a disk writes them in order. If order gains nothing, they cost without a
/// gain.
fn neighbors(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let in_order = in_order(evidence)?;
    let pair = pair(&in_order);
    let (choose, statement) = match in_order.outcome {
        Standing::Worse | Standing::Equal => {
            (Choose::Favoured("0"), Statement::with(vec![pair], "writing pages in order gains nothing here"))
        }
        // By how much depends on how many neighbours of a page are dirty.
        Standing::Better => (Choose::Favoured("1"), Statement::of_pair(pair)),
        Standing::Open => (Choose::Untried(vec!["1".to_owned()]), Statement::of_pair(pair)),
    };
    Ok(Weighed { needs: in_order.needs, grounds: vec![in_order.ground], ..Weighed::new(choose, statement) })
}

/// InnoDB writes each page to the doublewrite buffer, in order and many at once, before it writes it to its place.
fn pages_twice(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let in_order = in_order(evidence)?;
    Ok(Weighed {
        alternatives: vec![Alternative {
            value: "OFF".to_owned(),
            statement: Statement::of_pair(pair(&in_order)),
            loses: Some(Loss::Note(
                "pages that a power loss tears, unless drive and file system write 16 KiB atomically, which was not \
                 checked",
            )),
        }],
        stronger: &["DETECT_AND_RECOVER"],
        grounds: vec![in_order.ground],
        ..Weighed::new(
            Choose::Guaranteed("ON"),
            Statement::Keeps("pages survive a power loss while they are written"),
        )
    })
}
