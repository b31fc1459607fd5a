//! The number of reads that a session has in flight.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::effect::Effect;
use crate::evidence::{Evidence, Found};
use crate::ground::Ground;
use crate::level::{has_all, on_host, text};
use crate::no_advice::NoAdvice;
use crate::rule::{Decide, Rule, on_postgresql};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use crate::withdrawn::Withdrawn;
use model::study::AskKind;
use model::{IoMode, LoadPart, Value};
use verdict::finding::{Outcome, Remark};
use verdict::{Answer, EQUIVALENCE_MARGIN, Estimate, Finding, StudyVerdict};
use workload::device::{PARAMETERS as DEVICE, Pattern};

pub(super) const RULES: &[Rule] = &[
    Rule {
        facts: Facts::new(
            "effective_io_concurrency",
            ValueKind::Integer,
            DefaultValue::Since { version: "18", value: "16", before: "1" },
            TakesEffect::Session,
            "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-EFFECTIVE-IO-CONCURRENCY",
        )
        .acting_on(&[LoadPart::DataReads])
        .trying(&["1", "32", "64", "200"])
        .provable(),
        source: Some(Source::study("depth", 1)),
        comparisons: 0,
        decide: Decide::Study(effective),
    },
    // What VACUUM and ANALYZE have in flight, on behalf of many sessions. They read a table mostly in order, with gaps,
    // and compete with the sessions, so the depth that serves a query does not answer for them.
    on_postgresql(
        Facts::new(
            "maintenance_io_concurrency",
            ValueKind::Integer,
            DefaultValue::Since { version: "18", value: "16", before: "10" },
            TakesEffect::Session,
            "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-MAINTENANCE-IO-CONCURRENCY",
        )
        .acting_on(&[LoadPart::DataReads])
        .trying(&["1", "32", "64", "200"])
        .provable(),
    ),
];

const DEPTH_OF_THE_DISK: Caveat = Caveat::Note(
    "The depth is for the whole disk, but the setting is for one session: concurrent sessions share the disk.",
);
/// A note on `effective_io_concurrency`.
pub(crate) const BOUND_BY_WORKERS: Caveat = Caveat::Note(
    "In PostgreSQL 18 with io_method = worker, its default, no more reads are in flight at once than \
     io_workers (3): raise it too, or use io_uring. Up to version 17 the setting is the number of pages \
     announced to the kernel in advance (posix_fadvise).",
);
/// Two proofs of 2026-11-23 with PostgreSQL 18 compared 64 with 16, for which the disk predicted 1.14–1.25×.
const WITHDRAWN: Withdrawn = Withdrawn {
    proofs: 2,
    refuted: 2,
    measured: (0.969, 1.043),
    why: "PostgreSQL reads ahead in bitmap heap scans and, since version 18, in sequential scans, with io_method = \
          worker at most io_workers (3) reads at once, and one process handles every page that the disk delivers",
};
const PAGE: &str = "8KiB";
const NO_SEARCH: Cause = Cause::NoStudy("measures the depth at which random reads reach their maximum");
const IOPS: &str = "iops";
const DEPTH: &str = DEVICE.iodepth.name();
/// The setting's range.
const RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

/// The depths that were measured, each compared with the smallest one that is proven to be enough. A depth at which the
/// disk gains nothing gains nothing in PostgreSQL; a depth at which it gains is to be tried ([`WITHDRAWN`]).
///
/// Since version 13 the number is the reads that a session has in flight
/// (<https://www.postgresql.org/docs/15/runtime-config-resource.html#GUC-EFFECTIVE-IO-CONCURRENCY>). Up to version 17
/// it is the number of pages that bitmap heap scans announce to the kernel by posix_fadvise. In 18 it bounds
/// asynchronous reads, and with io_method = worker the server has no more workers than io_workers, 3 by default
/// (<https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-IO-METHOD>).
pub(super) fn effective(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let held = [DEVICE.rw.at(Pattern::RandRead), DEVICE.mode.at(IoMode::Direct), on_host()];
    let found = evidence.of_workload("device").find_map(|(study, plan)| {
        let values = plan.configurations.iter().find(|values| has_all(values, &held))?;
        let bs = text(values, DEVICE.bs.name()).filter(|bs| bs != PAGE);
        Some((study, plan, bs, evidence.finding(study, (AskKind::Knee, DEPTH), IOPS)?))
    });
    let (study, plan, bs, knee) = found.ok_or_else(|| NoAdvice::not_measured(NO_SEARCH))?;
    let (enough, best) = match &knee.outcome {
        Outcome::Enough { level, best } => (level, best),
        Outcome::OnlyBest { best, .. } | Outcome::EnoughUndecided { best } => (best, best),
        Outcome::NotAssessable(why) => {
            return Err(NoAdvice::undecided(Cause::ReadsNotAssessable(why.clone())));
        }
        Outcome::Different { .. }
        | Outcome::Equivalent
        | Outcome::Undecided
        | Outcome::DependsOnCell(_)
        | Outcome::ChangePlaces { .. }
        | Outcome::KeepPlaces { .. }
        | Outcome::ChangePlacesOften { .. }
        | Outcome::Keeps { .. }
        | Outcome::NoneKeeps { .. }
        | Outcome::KeepsUndecided { .. }
        | Outcome::Ranked(_)
        | Outcome::Typical { .. } => {
            return Err(NoAdvice::not_measured(NO_SEARCH));
        }
    };
    let levels = plan.factor(DEPTH).map_or(&[][..], |factor| &factor.levels);
    let cells = evidence.cells("device", &held)?;
    let figures = |level: &Value| figure(evidence, &cells, level).zip(Some(enough.figure));
    let others = levels.iter().filter(|level| **level != enough.level);
    let effects: Vec<Effect> = others
        .filter_map(|level| {
            let ratio = over(knee, level, (&enough.level, &best.level))?;
            let (value, over) = (number(level)?, number(&enough.level)?);
            let answer = answer(&ratio, floor(study, IOPS));
            Some(Effect {
                value,
                over,
                metric: IOPS.to_owned(),
                ratio,
                figures: figures(level),
                conditions: None,
                answer,
            })
        })
        .collect();
    let mut caveats = vec![DEPTH_OF_THE_DISK, BOUND_BY_WORKERS];
    caveats.extend(bs.map(|measured| Caveat::OtherReadSize { measured, page: PAGE }));
    caveats.extend(knee.remarks.contains(&Remark::BestIsLast).then_some(Caveat::DeepestIsBest));
    let of_best = knee.at_level(&enough.level).filter(|_| enough.level != best.level).cloned();
    let depth = enough.level.number().unwrap_or(1.0);
    let statement = Statement::Depth { depth, reads_per_s: enough.figure, of_best };
    Ok(Weighed {
        effects,
        withdrawn: Some(WITHDRAWN),
        needs: knee.rounds_needed().and_then(|more| evidence.needs(study, knee.proof.rounds + more)),
        grounds: vec![Ground {
            study: study.name.clone(),
            finding: knee.ask.name(),
            metric: knee.metric.clone(),
            trials: knee.proof.trials,
        }],
        caveats,
        ..Weighed::new(Choose::Compared, statement)
    })
}

/// A depth's reads per second ÷ those of the depth that is enough. The study gives both over the best one's, at a
/// simultaneous level, so the bounds of the quotient hold together.
fn over(knee: &Finding, level: &Value, (enough, best): (&Value, &Value)) -> Option<Estimate> {
    let level = knee.at_level(level).filter(|found| found.interval.is_some())?;
    if enough == best {
        return Some(level.clone());
    }
    let enough = knee.at_level(enough)?;
    let (low, high) = level.interval?;
    let (enough_low, enough_high) = enough.interval?;
    Some(Estimate {
        point: level.point.zip(enough.point).map(|(level, enough)| level / enough),
        interval: Some((low / enough_high, high / enough_low)),
        ..level.clone()
    })
}

/// The same rule as for every comparison: a difference lies beyond the noise floor, and equal is within 5 %.
fn answer(ratio: &Estimate, floor: f64) -> Answer {
    let Some(((low, high), point)) = ratio.interval.zip(ratio.point) else { return Answer::NotAssessable };
    let is_beyond_noise = point > floor || point < floor.recip();
    if (high < 1.0 || low > 1.0) && is_beyond_noise {
        Answer::Different
    } else if low >= EQUIVALENCE_MARGIN.recip() && high <= EQUIVALENCE_MARGIN {
        Answer::Equivalent
    } else {
        Answer::Undecided
    }
}

fn number(level: &Value) -> Option<String> {
    level.number().filter(|depth| RANGE.contains(depth)).map(|depth| format!("{depth:.0}"))
}

/// Reads per second at a depth.
fn figure<'a>(evidence: &Evidence<'a>, cells: &Found<'a>, level: &Value) -> Option<f64> {
    let is_at = |values: &model::Configuration| values.get(DEPTH) == Some(level);
    let cell = cells.cells.iter().find(|cell| is_at(&cells.plan.configurations[cell.configuration]))?;
    evidence.figure(cells, cell, IOPS).ok()?.mean.point
}

fn floor(study: &StudyVerdict, metric: &str) -> f64 {
    study.noise.get(metric).and_then(|noise| noise.floor()).map_or(1.0, |floor| floor.max(1.0))
}
