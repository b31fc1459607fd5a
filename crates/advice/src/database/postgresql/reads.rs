//! The cost of reads: sequential and random pages, the number of reads in flight, and space for temporary tables.

use crate::cause::{Cause, Missing};
use crate::caveat::Caveat;
use crate::comparison::Comparison;
use crate::evidence::{Arms, Evidence, Proposal};
use crate::level::{Level, has_all, text};
use crate::setting::{Alternative, Ground, NoAdvice};
use crate::statement::{Arm, Cached, Statement};
use model::Value;
use model::study::AskKind;
use std::collections::BTreeMap;
use verdict::finding::{Outcome, Remark};
use verdict::{Estimate, Figure};

/// A note on `effective_io_concurrency`.
const DEPTH_OF_THE_DISK: Caveat = Caveat::Note(
    "The depth is for the whole disk, but the setting is for one session: concurrent sessions share the disk.",
);
/// Another one.
pub(crate) const BOUND_BY_WORKERS: Caveat = Caveat::Note(
    "In PostgreSQL 18 with io_method = worker, its default, no more reads are in flight at once than \
     io_workers (3): raise it too, or use io_uring. Up to version 17 the setting is the number of pages \
     announced to the kernel in advance (posix_fadvise).",
);

/// A note on `temp_buffers`.
pub(crate) const EACH_SESSION: Caveat = Caveat::Note(
    "Each session has buffers of its own, and what it has taken of them it keeps until it ends: \
     max_connections sessions together can hold max_connections times as much. Set it only in the sessions \
     that need it.",
);

const LATENCY: &str = "completion_latency_mean_us";
/// A cost whose upper bound is more than this multiple of its lower bound decides no plan.
const SPREAD_MAX: f64 = 2.0;
const HITS: &str = "second_read_hit_share";
const PAGE: &str = "8KiB";

/// The cost of a random page, nine of ten cached, relative to a sequential page from the disk: the meaning of the planner's
/// costs. The manual explains its default of 4.0 as random access 40 times slower than sequential, with 90 % of the random
/// reads cached (<https://www.postgresql.org/docs/17/runtime-config-query.html#GUC-RANDOM-PAGE-COST>).
pub(super) fn random_page_cost(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let adjusted = random_over_sequential(evidence, "90", "0")?;
    let Some(((low, high), point)) = adjusted.ratio.interval.zip(adjusted.ratio.point) else {
        return Err(NoAdvice::undecided(Cause::Missing(Missing::PageCosts)));
    };
    let pair = adjusted.pair(Arm::RandomPage { cached_percentage: 90 }, Arm::SequentialPage);
    if high / low > SPREAD_MAX {
        return Err(NoAdvice::undecided(Cause::Wide(pair)));
    }
    let others = [
        (Cached::Nothing, random_over_sequential(evidence, "0", "0").ok()),
        (Cached::NineTenthsOfBoth, random_over_sequential(evidence, "90", "90").ok()),
    ];
    let mut alternatives = Vec::new();
    let mut grounds = vec![adjusted.ground];
    for (cached, other) in others.into_iter().filter_map(|(cached, other)| Some((cached, other?))) {
        alternatives.extend(other.ratio.point.map(|point| Alternative {
            value: cost(point),
            statement: Statement::Cost { cached, ratio: other.ratio.clone() },
            loses: None,
        }));
        grounds.push(other.ground);
    }
    Ok(Proposal {
        estimate: Some(adjusted.ratio),
        alternatives,
        grounds,
        caveats: vec![Caveat::Note(
            "Relative to seq_page_cost = 1.0, one page at a time. The cost changes if more or less than 90 % \
             of the random reads are cached: if all are cached, they cost no more than sequential pages.",
        )],
        ..Proposal::new(cost(point), Statement::of_pair(pair))
    })
}

/// The planner ignores the order of pages below the cost of a sequential page.
fn cost(ratio: f64) -> String {
    let decimals = if ratio >= 10.0 { 1 } else { 2 };
    format!("{:.decimals$}", ratio.max(1.0))
}

/// Random pages compared with sequential pages, each with this percentage of the file in the page cache.
fn random_over_sequential(
    evidence: &Evidence<'_>,
    random_cached: &str,
    sequential_cached: &str,
) -> Result<Comparison, NoAdvice> {
    let buffered: &[Level<'_>] =
        &[("bs", PAGE), ("iodepth", "1"), ("mode", "buffered"), ("filesystem", "host")];
    let cached = ("cached_percentage", random_cached);
    let is_alike = random_cached == sequential_cached;
    let held: Vec<Level<'_>> = buffered.iter().copied().chain(is_alike.then_some(cached)).collect();
    let (in_order, at_random) =
        ([("rw", "read"), ("cached_percentage", sequential_cached)], [("rw", "randread"), cached]);
    let compared = if is_alike { 1 } else { 2 };
    let arms = Arms {
        workload: "device",
        held: &held,
        base: &in_order[..compared],
        other: &at_random[..compared],
        across_classes: false,
    };
    evidence.contrast(arms, LATENCY)
}

/// The smallest depth at which direct random reads reach the disk's maximum.
///
/// Since version 13 the number is the reads that a session has in flight
/// (<https://www.postgresql.org/docs/15/runtime-config-resource.html#GUC-EFFECTIVE-IO-CONCURRENCY>). Up to version 17 it is
/// the number of pages that bitmap heap scans announce to the kernel by posix_fadvise. In 18 it bounds asynchronous reads,
/// and with io_method = worker the server has no more workers than io_workers, 3 by default
/// (<https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-IO-METHOD>).
pub(super) fn io_concurrency(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let held: &[Level<'_>] = &[("rw", "randread"), ("mode", "direct"), ("filesystem", "host")];
    let found = evidence.of_workload("device").find_map(|(study, plan)| {
        let values = plan.configurations.iter().find(|values| has_all(values, held))?;
        let bs = text(values, "bs").filter(|bs| bs != PAGE);
        Some((study, plan, bs, evidence.finding(study, (AskKind::Knee, "iodepth"), "iops")?))
    });
    let (study, plan, bs, knee) =
        found.ok_or_else(|| NoAdvice::not_measured(Cause::Missing(Missing::DepthSearch)))?;
    let answer = knee.outcome.level().and_then(|at| Some((&at.level, at.level.number()?, at.figure)));
    let Some((enough, depth, reads_per_s)) = answer else {
        return Err(match &knee.outcome {
            Outcome::NotAssessable(why) => NoAdvice::unsupported(Cause::ReadsNotAssessable(why.clone())),
            _ => NoAdvice::undecided(Cause::FewerReads),
        });
    };
    let of_best = |depth: &Value| knee.at_level(depth).filter(|near| near.point.is_some()).cloned();
    let bounds = |estimate: &Estimate| estimate.interval.filter(|_| estimate.level.is_some());
    let levels = plan.factor("iodepth").map_or(&[][..], |factor| &factor.levels);
    let smaller = levels.iter().filter_map(|level| Some((level, level.number()?)));
    let shallower = smaller.filter(|(_, level)| *level < depth).max_by(|(_, a), (_, b)| a.total_cmp(b));
    // A smaller depth that may be within 5 % of the best as well.
    let rival = shallower.and_then(|(level, shallower)| {
        let found = of_best(level)?;
        (bounds(&found)?.1 >= 1.0 / stats::EQUIVALENCE_MARGIN).then_some((shallower, found))
    });
    let is_proven_enough = of_best(enough).as_ref().and_then(bounds).is_some_and(|(low, high)| low < high);
    if let (Some((smaller, of_best)), false) = (&rival, is_proven_enough) {
        let of_best = of_best.clone();
        return Err(NoAdvice::undecided(Cause::MaybeEnough { depth, smaller: *smaller, of_best }));
    }
    let mut caveats = vec![DEPTH_OF_THE_DISK, BOUND_BY_WORKERS];
    caveats.extend(rival.map(|(depth, of_best)| Caveat::MaybeEnough { depth, of_best }));
    caveats.extend(bs.map(|measured| Caveat::OtherReadSize { measured, page: PAGE }));
    caveats.extend(knee.remarks.contains(&Remark::BestIsLast).then_some(Caveat::DeepestIsBest));
    let near = of_best(enough).filter(|near| bounds(near).is_some());
    // The setting's range is 1 to 1000.
    let value = format!("{:.0}", depth.clamp(1.0, 1000.0));
    Ok(Proposal {
        grounds: vec![Ground {
            study: study.name.clone(),
            finding: knee.ask.name(),
            metric: knee.metric.clone(),
            trials: knee.proof.trials,
        }],
        caveats,
        ..Proposal::new(value, Statement::Depth { depth, reads_per_s, of_best: near })
    })
}

/// The smallest headroom at which every trial of PostgreSQL found its whole table in the buffers, for the table size that
/// needs most.
pub(super) fn temp_buffers(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let held: &[Level<'_>] = &[("subject", "postgres"), ("access", "sequential"), ("filesystem", "host")];
    let found = evidence.cells("pool", held)?;
    // By pages of the table: headrooms, whether each was enough, and trials.
    let mut by_size: BTreeMap<u64, Vec<(f64, bool, usize)>> = BTreeMap::new();
    for cell in &found.cells {
        let values = &found.plan.configurations[cell.configuration];
        if text(values, "table").is_some_and(|table| table != "temporary") {
            continue;
        }
        let (Ok(blocks), Some(headroom)) =
            (values.count("blocks"), values.get("headroom").and_then(Value::number))
        else {
            continue;
        };
        let Some(whole) = is_whole(evidence.figure(&found, cell, HITS)?) else { continue };
        by_size.entry(blocks).or_default().push((headroom, whole, cell.n));
    }
    if by_size.is_empty() {
        return Err(NoAdvice::undecided(Cause::FewRounds { needed: stats::TRIALS_MIN }));
    }
    let mut enough: f64 = 0.0;
    for (blocks, headrooms) in &mut by_size {
        headrooms.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Only headrooms above the last failure count: a smaller one that was enough by chance is unreliable.
        let last_short = headrooms.iter().rposition(|(_, whole, _)| !whole);
        let first = headrooms.get(last_short.map_or(0, |short| short + 1));
        let Some((headroom, _, _)) = first else {
            return Err(NoAdvice::undecided(Cause::DidNotFit { pages: *blocks }));
        };
        enough = enough.max(*headroom);
    }
    let with_room = by_size.values().flatten().filter(|(headroom, _, _)| *headroom >= enough);
    let trials = with_room.map(|(_, _, n)| n).sum();
    let statement = Statement::Buffers {
        headroom: enough,
        table_pages: by_size.keys().copied().collect(),
        trials,
        share_missing_at_most: stats::Count { of: 0, n: trials }.share_at_most(0.95),
    };
    let value = format!("{enough} × the pages of the largest temporary table that is read repeatedly");
    Ok(Proposal {
        loadable: false,
        grounds: vec![Ground {
            study: found.study.name.clone(),
            finding: "subject = postgres, headroom by blocks".to_owned(),
            metric: HITS.to_owned(),
            trials,
        }],
        caveats: vec![
            Caveat::Note(
                "A page has 8 KiB, and PostgreSQL takes no less than 800kB. temp_buffers can be set in a \
                 session until its first access to a temporary table.",
            ),
            EACH_SESSION,
        ],
        ..Proposal::new(value, statement)
    })
}

/// Whether every trial found every page; `None` if there are too few trials.
fn is_whole(hits: &Figure) -> Option<bool> {
    let shares: Vec<f64> = hits.values.iter().filter_map(|(_, value)| *value).collect();
    (shares.len() >= stats::TRIALS_MIN).then(|| shares.iter().all(|share| *share >= 1.0))
}
