//! What reads cost: pages in order and at random, how many to have in flight, and room for temporary tables.

use crate::advice::evidence::{Arms, Contrast, Draft, Evidence, Held, figure, has_all, text};
use crate::advice::setting::{Alternative, Ground, Silence};
use crate::attribution::Footing;
use crate::phrase::{bounds, count, level, ratio};
use crate::verdict::{Answer, Cell};
use std::collections::BTreeMap;

const LATENCY: &str = "completion_latency_mean_us";
/// A cost that may as well be twice as high decides no plan.
const SPREAD_MAX: f64 = 2.0;
const HITS: &str = "second_read_hit_share";

/// A page at random over one in order, both with 90 % of the file in the page cache: what the planner's costs are meant to
/// be, as the manual explains its default of 4.0.
pub(super) fn random_page_cost(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let adjusted = random_over_sequential(evidence, "90")?;
    let Some(((low, high), point)) = adjusted.ratio.interval.zip(adjusted.ratio.point) else {
        return Err(Silence::undecided("the ratio of a random to a sequential page has no interval"));
    };
    let words = adjusted.words("a random page", "a sequential one, 90 % of both in the page cache");
    if high / low > SPREAD_MAX {
        return Err(Silence::undecided(format!("{words}: an interval that wide decides no plan")));
    }
    let raw = random_over_sequential(evidence, "0").ok();
    let cold = |raw: &Contrast| {
        let interval = raw.ratio.interval.map_or_else(String::new, |found| format!(" ({})", bounds(found)));
        Some(Alternative {
            value: cost(raw.ratio.point?),
            statement: format!("raw, with nothing cached: {}{interval}", ratio(raw.ratio.point?)),
            loses: String::new(),
        })
    };
    Ok(Draft {
        value: cost(point),
        loadable: true,
        estimate: Some(adjusted.ratio.clone()),
        statement: words,
        alternatives: raw.as_ref().and_then(cold).into_iter().collect(),
        grounds: std::iter::once(adjusted.ground).chain(raw.map(|raw| raw.ground)).collect(),
        caveats: vec![
            "Relative to seq_page_cost = 1.0, one page at a time. Where other than nine tenths of the pages read are cached, \
             so is the cost another."
                .to_owned(),
        ],
        ..Draft::default()
    })
}

/// Costs below that of a page in order have no meaning to the planner.
fn cost(ratio: f64) -> String {
    let decimals = if ratio >= 10.0 { 1 } else { 2 };
    format!("{:.decimals$}", ratio.max(1.0))
}

fn random_over_sequential(evidence: &Evidence<'_>, cached: &str) -> Result<Contrast, Silence> {
    let held: &[Held<'_>] = &[
        ("bs", "8KiB"),
        ("iodepth", "1"),
        ("mode", "buffered"),
        ("cached_percentage", cached),
        ("filesystem", "host"),
    ];
    let arms = Arms {
        workload: "device",
        held,
        base: &[("rw", "read")],
        other: &[("rw", "randread")],
        across_classes: false,
    };
    evidence.contrast(arms, LATENCY)
}

/// The smallest depth that gives all the disk has, for random reads around the page cache.
pub(super) fn io_concurrency(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let held: &[Held<'_>] = &[("rw", "randread"), ("mode", "direct"), ("filesystem", "host")];
    let found = evidence.of_workload("device").find_map(|(study, plan)| {
        if !plan.configurations.iter().any(|values| has_all(values, held)) {
            return None;
        }
        let mut findings = study.findings.iter();
        Some((study, findings.find(|found| found.ask == "knee iodepth" && found.metric == "iops")?))
    });
    let (study, knee) = found.ok_or_else(|| {
        Silence::not_measured(
            "no study of this run looks for the depth at which random reads give all there is",
        )
    })?;
    let depth = knee.level.as_ref().and_then(|level| level.point);
    let depth = match (knee.answer, depth) {
        (Answer::Different | Answer::Equivalent, Some(depth)) => depth,
        (Answer::NotAssessable, _) => return Err(Silence::unsupported(knee.statement.clone())),
        _ => return Err(Silence::undecided(knee.statement.clone())),
    };
    let near = knee.by_cell.iter().find(|(label, _)| *label == format!("iodepth={depth}"));
    let near = near.and_then(|(_, near)| Some((near.point?, near.interval?, near.level?)));
    let near = near.map_or_else(String::new, |(point, interval, at)| {
        format!(" It gives {} of the best depth's IOPS ({}, {}).", ratio(point), bounds(interval), level(at))
    });
    Ok(Draft {
        // The setting's range is 1 to 1000.
        value: format!("{:.0}", depth.clamp(1.0, 1000.0)),
        loadable: true,
        statement: format!("{}{near}", knee.statement),
        grounds: vec![Ground {
            study: study.name.clone(),
            finding: format!("{}, {}", knee.ask, knee.subject),
            metric: knee.metric.clone(),
            trials: knee.trials,
            rests_on: knee.rests_on.clone(),
        }],
        caveats: std::iter::once(
            "The depth is the disk's, and the setting one session's: sessions that read at the same time share the disk."
                .to_owned(),
        )
        .chain(knee.caveats.iter().cloned())
        .collect(),
        ..Draft::default()
    })
}

/// The smallest headroom at which every trial of PostgreSQL found its whole table in the buffers, for the most demanding
/// size of table.
pub(super) fn temp_buffers(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let held: &[Held<'_>] = &[("subject", "postgres"), ("access", "sequential"), ("filesystem", "host")];
    let found = evidence.cells("pool", held)?;
    // By pages of the table: headrooms, and whether one was enough.
    let mut by_size: BTreeMap<u64, Vec<(f64, bool)>> = BTreeMap::new();
    let mut trials = 0;
    for cell in &found.cells {
        let values = &found.plan.configurations[cell.configuration];
        if text(values, "table").is_some_and(|table| table != "temporary") {
            continue;
        }
        let (Ok(blocks), Some(headroom)) =
            (values.count("blocks"), values.get("headroom").and_then(model::Value::number))
        else {
            continue;
        };
        let Some(whole) = is_whole(cell)? else { continue };
        trials += cell.n;
        by_size.entry(blocks).or_default().push((headroom, whole));
    }
    if trials == 0 {
        return Err(Silence::undecided(format!(
            "fewer than {} rounds of PostgreSQL's temporary tables were measured",
            stats::TRIALS_MIN
        )));
    }
    let mut enough: f64 = 0.0;
    for (blocks, headrooms) in &mut by_size {
        headrooms.sort_by(|a, b| a.0.total_cmp(&b.0));
        // From there on: a smaller one that happened to be enough is none to rely on.
        let last_short = headrooms.iter().rposition(|(_, whole)| !whole);
        let first = headrooms.get(last_short.map_or(0, |short| short + 1));
        let Some((headroom, _)) = first else {
            return Err(Silence::undecided(format!(
                "a table of {blocks} pages did not fit at the largest headroom that was measured"
            )));
        };
        enough = enough.max(*headroom);
    }
    let sizes: Vec<String> = by_size.keys().map(u64::to_string).collect();
    Ok(Draft {
        value: format!("{enough} × the pages of the largest temporary table that is read more than once"),
        statement: format!(
            "with temp_buffers of {enough} times the table, or more, a second read found every page in them, in each of {} \
             with tables of {} pages",
            count(trials, "trial"),
            sizes.join(", ")
        ),
        grounds: vec![Ground {
            study: found.study.name.clone(),
            finding: "subject = postgres, headroom by blocks".to_owned(),
            metric: HITS.to_owned(),
            trials,
            rests_on: Footing::new(
                found.cells.iter().map(|cell| cell.configuration),
                vec!["headroom".to_owned()],
            ),
        }],
        caveats: vec![
            "A page has 8 KiB. temp_buffers can be set in a session until its first temporary table is used."
                .to_owned(),
        ],
        ..Draft::default()
    })
}

/// Whether every trial found every page; `None` with too few trials.
fn is_whole(cell: &Cell) -> Result<Option<bool>, Silence> {
    let shares: Vec<f64> = figure(cell, HITS)?.values.iter().filter_map(|(_, value)| *value).collect();
    Ok((shares.len() >= stats::TRIALS_MIN).then(|| shares.iter().all(|share| *share >= 1.0)))
}
