//! etcd: whether the disk is fast enough for it.
//!
//! The rule is etcd's own: the 99th percentile of `etcd_disk_wal_fsync_duration_seconds` should be below 10 ms
//! (<https://etcd.io/docs/v3.5/faq/>, "What does the etcd warning ... mean"). In other words, fewer than 1 % of the
//! syncs may take longer. etcd allocates its log in segments in advance (`server/storage/wal`), writes through the page
//! cache and calls fdatasync. The metric times only the fdatasync.
//!
//! A trial either keeps that limit or does not, so n counts trials and the bound is the exact binomial one, whatever
//! the distribution of the syncs. An interval of the mean of a few skewed percentiles reached below zero, and declared
//! a disk at the limit fit in 17 % of studies. A disk is fit if no trial exceeded the limit and more than half of all
//! trials are proven to keep it; the rule also states the share of trials that could still exceed it.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::evidence::Evidence;
use crate::ground::Ground;
use crate::level::log;
use crate::log::Log;
use crate::no_advice::NoAdvice;
use crate::rule::{Database, Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::signs::Signs;
use crate::source::Source;
use crate::statement::Statement;
use crate::syncs::Syncs;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use model::{Layout, LoadPart};
use settings::Syntax;
use stats::proportion::{Count, Majority, fewest_for_majority, one_sided};
use workload::commit::{PARAMETERS as COMMIT, Sync};

const LIMIT_US: f64 = 10_000.0;
const SYNC: &str = "sync_latency_p99_us";

pub(super) const DATABASE: Database = Database {
    name: "etcd",
    program: "etcd",
    id: "etcd",
    aliases: &[],
    fragment: "etcd.txt",
    syntax: Syntax::Text,
    names: None,
    families: &[&[Rule {
        facts: Facts::new(
            "disk",
            ValueKind::Fitness,
            DefaultValue::None("etcd recommends a WAL fsync p99 below 10 ms"),
            TakesEffect::Never,
            "https://etcd.io/docs/v3.5/faq/",
        )
        .acting_on(&[LoadPart::LogSyncs]),
        source: Some(Source::study("wal-layout", 1)),
        comparisons: 1,
        decide: Decide::Study(fitness),
    }]],
    of_itself: &[],
    hazards: &[],
    signs: Signs { programs: &["etcd"], sockets: &[], data_directories: &["/var/lib/etcd"] },
};

fn fitness(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let with = |layout| {
        log(&[COMMIT.sync.at(Sync::Fdatasync), COMMIT.committers.at(1), COMMIT.wal_layout.at(layout)])
    };
    // Allocated in advance, as etcd's own log; a prefilled log is faster.
    let (log, found) = match evidence.cells("commit", &with(Layout::Fallocated)) {
        Ok(found) => (Log::Allocated, found),
        Err(_) => (Log::Written, evidence.cells("commit", &with(Layout::Prefilled))?),
    };
    let Some(cell) = found.cells.first() else {
        return Err(NoAdvice::not_measured(Cause::NoStudy("syncs a log by fdatasync")));
    };
    let figure = evidence.figure(&found, cell, SYNC)?;
    let p99: Vec<f64> = figure.values.iter().filter_map(|(_, value)| *value).collect();
    let Some(highest) = p99.iter().copied().reduce(f64::max) else {
        return Err(NoAdvice::unsupported(Cause::NoFigure {
            configuration: cell.label.clone(),
            metric: SYNC.to_owned(),
            why: None,
        }));
    };
    let above = Count { of: p99.iter().filter(|p99| **p99 >= LIMIT_US).count(), n: p99.len() };
    let level = evidence.level(found.study);
    // The bound that decides is the one that is stated.
    let at = one_sided(level);
    let syncs = Syncs {
        study: found.study.name.clone(),
        log,
        trials: above.n,
        above: above.of,
        highest_us: highest,
        share_above_at_most: above.share_at_most(at),
        level: at,
    };
    let value = match above.majority(level) {
        Majority::HaveNot if above.of == 0 => "fit for etcd",
        Majority::Have => "not fit for etcd",
        Majority::HaveNot => return Err(NoAdvice::undecided(Cause::SomeAbove(syncs))),
        Majority::Open => {
            let is_alike = above.of == 0 || above.of == above.n;
            let rounds = fewest_for_majority(level).filter(|rounds| is_alike && *rounds > above.n);
            let needs = rounds.and_then(|rounds| evidence.needs(found.study, rounds));
            return Err(NoAdvice { needs, ..NoAdvice::undecided(Cause::MajorityOpen(syncs)) });
        }
    };
    // The median with its order-statistic interval, which lies between two trials' values and is never below zero.
    let choose = Choose::Said { words: value.to_owned(), estimate: Some(figure.median.clone()) };
    Ok(Weighed {
        grounds: vec![Ground {
            study: found.study.name.clone(),
            finding: cell.label.clone(),
            metric: SYNC.to_owned(),
            trials: cell.n,
        }],
        caveats: vec![Caveat::Note("Measured on an idle disk: other load on the same disk adds to this.")],
        ..Weighed::new(choose, Statement::Syncs(syncs))
    })
}
