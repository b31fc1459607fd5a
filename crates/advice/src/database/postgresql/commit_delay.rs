//! Whether a commit should wait for others before it flushes.
//!
//! `commit_delay` takes effect if at least `commit_siblings` other transactions are open (5 by default). It is in
//! microseconds, at most 100000 (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-COMMIT-DELAY>). The
//! manual's starting point is half of the time of one flush after a write of 8 kB, as pg_test_fsync measures it
//! (<https://www.postgresql.org/docs/18/wal-configuration.html>). Syncline's committers have a log each. If more
//! committers than `commit_siblings` flush without hindering each other, a shared flush has nothing to gain.
//!
//! PostgreSQL shares a flush without the setting too: commits that arrive during a flush wait for the next one, which
//! serves them all (`XLogFlush` in `src/backend/access/transam/xlog.c`). The setting makes the process that flushes
//! sleep first. Linux lets a sleep last up to 50 µs longer than requested (`PR_SET_TIMERSLACK`, prctl(2)). So the
//! manual's starting point lasts longer than the flush that it would save, if a flush takes less than twice that.

use super::wal::COMMITS;
use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, has_all, log};
use crate::no_advice::NoAdvice;
use crate::rule::{Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use crate::withdrawn::Withdrawn;
use model::{Layout, LoadPart, Value};
use verdict::Estimate;
use workload::commit::{PARAMETERS as COMMIT, Sync};

pub(super) const RULES: &[Rule] = &[Rule {
    facts: Facts::new(
        "commit_delay",
        ValueKind::Microseconds,
        DefaultValue::Always("0"),
        TakesEffect::SuperuserSession,
        "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-COMMIT-DELAY",
    )
    .acting_on(&[LoadPart::LogSyncs])
    .requires(&["at least commit_siblings (5) other open transactions"])
    .risks(&["each commit takes up to this much longer"])
    .trying(&["100"])
    .provable(),
    source: Some(Source::study("committers", 1)),
    comparisons: 1,
    decide: Decide::Study(commit_delay),
}];

/// A note on `commit_delay`.
pub(crate) const GAIN_UNKNOWN: Caveat = Caveat::Note(
    "Its gain was not measured: PostgreSQL shares a flush among waiting commits even without it. While at least \
     commit_siblings (5) other transactions are open, a commit takes up to this much longer: try it with your own \
    load.",
);

/// Two proofs of 2026-11-23 with PostgreSQL 18, 8 clients of `insert`, and half of a flush (46 µs in one of them).
const WITHDRAWN: Withdrawn = Withdrawn {
    proofs: 2,
    refuted: 2,
    measured: (0.87, 0.90),
    why: "commits that arrive during a flush share the next one without this setting, and a sleep may last 50 µs longer \
          than requested",
};

/// How much longer than requested a sleep may last by default, µs (prctl(2)).
const TIMER_SLACK_US: f64 = 50.0;
/// Transactions that must be open beside the committing one: the default of `commit_siblings`.
const SIBLINGS: f64 = 5.0;
/// The setting's range.
const DELAY_US: std::ops::RangeInclusive<f64> = 1.0..=100_000.0;
const LATENCY: &str = "commit_latency_mean_us";
const COMMITTERS: &str = COMMIT.committers.name();
/// No study of the run has what the rule compares.
pub(crate) const NO_COMMITTERS: Cause = Cause::NoStudy("varies the number of committers of a buffered log");

fn alone() -> [Level; 1] {
    [COMMIT.committers.at(1)]
}

pub(super) fn commit_delay(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let held = log(&[COMMIT.sync.at(Sync::Fdatasync), COMMIT.wal_layout.at(Layout::Prefilled)]);
    let most = most_committers(evidence, &held)?;
    let arms = Arms {
        workload: "commit",
        held: &held,
        base: &alone(),
        other: &[COMMIT.committers.at(most as u32)],
        across_classes: false,
    };
    let curve = evidence.contrast(arms, COMMITS)?;
    let pair = curve.pair(format!("{most} committers"), "1");
    let Some((low, high)) = curve.ratio.interval else {
        return Err(NoAdvice::undecided(Cause::NoRatio(pair)));
    };
    // Proportional to within the 5 % that count as equal.
    let proportional = most / stats::EQUIVALENCE_MARGIN;
    if low >= proportional {
        let statement = Statement::with(vec![pair], "commits do not wait for each other's flushes");
        let choose = Choose::Guaranteed("0");
        return Ok(Weighed { grounds: vec![curve.ground], ..Weighed::new(choose, statement) });
    }
    let alone_us = flush(evidence, &held)?;
    let Some(delay_us) = half(&alone_us).point else {
        return Err(NoAdvice::unsupported(Cause::Lacking("the time of one commit was not measured")));
    };
    if is_below_the_slack(&alone_us) {
        let statement = Statement::with(
            vec![pair],
            "a sleep of half a flush may last 50 µs longer (timer slack), and so longer than a flush",
        );
        return Ok(Weighed {
            grounds: vec![curve.ground],
            ..Weighed::new(Choose::Guaranteed("0"), statement)
        });
    }
    let statement = if high < proportional {
        Statement::SharedFlush { pair: Box::new(pair), alone_us }
    } else {
        Statement::of_pair(pair)
    };
    Ok(Weighed {
        withdrawn: Some(WITHDRAWN),
        grounds: vec![curve.ground],
        caveats: vec![
            GAIN_UNKNOWN,
            Caveat::Note("Measured with one log for each committer and one record per commit."),
        ],
        // Its gain was not measured, and it can make commits slower.
        ..Weighed::new(Choose::Untried(vec![format!("{delay_us:.0}")]), statement)
    })
}

/// Whether half of a flush and the slack of a sleep together are proven to be longer than the flush.
fn is_below_the_slack(alone_us: &Estimate) -> bool {
    alone_us.interval.is_some_and(|(_, high)| high < 2.0 * TIMER_SLACK_US)
}

/// The largest number of committers of a run, which must exceed the number at which the setting takes effect.
fn most_committers(evidence: &Evidence<'_>, held: &[Level]) -> Result<f64, NoAdvice> {
    let varies = evidence.of_workload("commit").filter(|(_, plan)| {
        plan.factor(COMMITTERS).is_some()
            && plan.configurations.iter().any(|values| has_all(values, held) && has_all(values, &alone()))
    });
    let levels = varies.filter_map(|(_, plan)| {
        plan.factor(COMMITTERS)?.levels.iter().filter_map(Value::number).max_by(f64::total_cmp)
    });
    let most = levels.max_by(f64::total_cmp);
    let most = most.ok_or_else(|| NoAdvice::not_measured(NO_COMMITTERS))?;
    if most <= SIBLINGS {
        return Err(NoAdvice::not_measured(Cause::FewCommitters { most, siblings: SIBLINGS }));
    }
    Ok(most)
}

/// Time of a single commit, write and flush together.
fn flush(evidence: &Evidence<'_>, held: &[Level]) -> Result<Estimate, NoAdvice> {
    let alone = [held, &alone()].concat();
    let found = evidence.cells("commit", &alone)?;
    let cell = found.cells.first();
    let cell = cell.ok_or_else(|| NoAdvice::not_measured(Cause::NoStudy("has one committer")))?;
    Ok(evidence.figure(&found, cell, LATENCY)?.mean.clone())
}

fn half(flush: &Estimate) -> Estimate {
    let of = |us: f64| (us / 2.0).clamp(*DELAY_US.start(), *DELAY_US.end());
    Estimate {
        point: flush.point.map(of),
        interval: flush.interval.map(|(low, high)| (of(low), of(high))),
        ..flush.clone()
    }
}
