//! The cost of a random page relative to a sequential one.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::comparison::Comparison;
use crate::decision::Alternative;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, on_host};
use crate::no_advice::NoAdvice;
use crate::rule::{Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use model::{IoMode, LoadPart};
use workload::device::{PARAMETERS as DEVICE, Pattern};

pub(super) const RULES: &[Rule] = &[Rule {
    facts: Facts::new(
        "random_page_cost",
        ValueKind::Real,
        DefaultValue::Always("4.0"),
        TakesEffect::Session,
        "https://www.postgresql.org/docs/18/runtime-config-query.html#GUC-RANDOM-PAGE-COST",
    )
    .acting_on(&[LoadPart::DataReads])
    .risks(&["plans change, and a plan depends on the cache too: look at the plans of your own queries"])
    .trying(&["1.1"])
    .provable(),
    source: Some(Source::study("page-cost", 1)),
    comparisons: 3,
    decide: Decide::Study(random_page_cost),
}];

const LATENCY: &str = "completion_latency_mean_us";
const PAGE_BYTES: u32 = 8 << 10;

/// Costs that a DBA would write into a file; the nearest one to the estimate is advised.
const COSTS: &[(f64, &str)] = &[
    (1.0, "1.0"),
    (1.1, "1.1"),
    (1.25, "1.25"),
    (1.5, "1.5"),
    (2.0, "2.0"),
    (3.0, "3.0"),
    (4.0, "4.0"),
    (5.0, "5.0"),
    (6.0, "6.0"),
    (8.0, "8.0"),
    (10.0, "10.0"),
    (15.0, "15.0"),
    (20.0, "20.0"),
    (30.0, "30.0"),
    (40.0, "40.0"),
];

/// The cost of a random page, nine of ten cached, relative to a sequential page from the disk: the meaning of the
/// planner's costs. The manual explains its default of 4.0 as random access 40 times slower than sequential, with 90 %
/// of the random reads cached (<https://www.postgresql.org/docs/17/runtime-config-query.html#GUC-RANDOM-PAGE-COST>).
pub(super) fn random_page_cost(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let adjusted = random_over_sequential(evidence, 90, 0)?;
    let Some((interval, point)) = adjusted.ratio.interval.zip(adjusted.ratio.point) else {
        return Err(NoAdvice::undecided(Cause::Lacking(
            "the ratio of a random to a sequential page has no interval",
        )));
    };
    let pair = adjusted.pair("a random page (90 % of them cached)", "a sequential one (none cached)");
    let others = [
        ("raw, with nothing cached", random_over_sequential(evidence, 0, 0).ok()),
        ("with 90 % of the sequential pages cached too", random_over_sequential(evidence, 90, 90).ok()),
    ];
    let mut alternatives = Vec::new();
    let mut grounds = vec![adjusted.ground];
    for (what, other) in others.into_iter().filter_map(|(what, other)| Some((what, other?))) {
        alternatives.extend(other.ratio.point.map(|point| Alternative {
            value: cost(point),
            statement: Statement::Assuming { what, ratio: other.ratio.clone() },
            loses: None,
        }));
        grounds.push(other.ground);
    }
    let choose = Choose::Estimated {
        estimate: adjusted.ratio,
        nearest: nearest_cost(point, interval),
        among: COSTS.iter().map(|(cost, _)| *cost).collect(),
    };
    Ok(Weighed {
        needs: adjusted.needs,
        alternatives,
        grounds,
        caveats: vec![Caveat::Note(
            "Relative to seq_page_cost = 1.0, one page at a time. The cost changes if more or less than 90 % \
             of the random reads are cached: if all are cached, they cost no more than sequential pages.",
        )],
        ..Weighed::new(choose, Statement::of_pair(pair))
    })
}

/// The usual cost nearest to the estimate, if it lies inside the interval; otherwise the estimate itself. The planner
/// ignores the order of pages below the cost of a sequential page.
fn nearest_cost(point: f64, (low, high): (f64, f64)) -> String {
    let (point, high) = (point.max(1.0), high.max(1.0));
    let is_inside = |(cost, _): &&(f64, &str)| (low..=high).contains(cost);
    let distance = |(cost, _): &(f64, &str)| (cost / point).ln().abs();
    let inside = COSTS.iter().filter(is_inside);
    let nearest = inside.min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or_else(|| cost(point), |(_, text)| (*text).to_owned())
}

/// The planner ignores the order of pages below the cost of a sequential page.
fn cost(ratio: f64) -> String {
    let decimals = if ratio >= 10.0 { 1 } else { 2 };
    format!("{:.decimals$}", ratio.max(1.0))
}

/// Random pages compared with sequential pages, each with this percentage of the file in the page cache.
fn random_over_sequential(
    evidence: &Evidence<'_>,
    random_cached: u64,
    sequential_cached: u64,
) -> Result<Comparison, NoAdvice> {
    let is_alike = random_cached == sequential_cached;
    let cached = |percent| DEVICE.cached_percentage.at(percent);
    let buffered =
        [DEVICE.bs.at(PAGE_BYTES), DEVICE.iodepth.at(1), DEVICE.mode.at(IoMode::Buffered), on_host()];
    let held: Vec<Level> = buffered.into_iter().chain(is_alike.then(|| cached(random_cached))).collect();
    let in_order = [DEVICE.rw.at(Pattern::Read), cached(sequential_cached)];
    let at_random = [DEVICE.rw.at(Pattern::RandRead), cached(random_cached)];
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
