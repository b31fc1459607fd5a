//! The words about ranks on shared storage that the terminal and the page share.

use crate::quantity;
use fleet::LEVEL;
use fleet::scaling::{LongestTail, RankPart, RanksLevel, Scaling, ScalingOf, Tail};
use model::figure::{count, exact_percent, interval, percent, ratio, ratios, round_figure};
use model::metric::Unit;
use model::shared::Skew;
use stats::knee::KNEE_TOLERANCE;
use stats::{Interval, NoInterval, Ratio};

/// The columns of the table.
pub(crate) const HEADINGS: [&str; 4] =
    ["number of ranks", "operations of all", "of one of them", "one, against the first row"];

/// The report is made from the run directory of rank 0.
const RANK_0: &str = "All other sections of this report show what rank 0 measured. The other ranks have run directories beside it.";

/// `Shared storage: depth, iodepth=32, 1 to 4 ranks at the same time`.
pub(crate) fn title(found: &ScalingOf) -> String {
    let label = if found.label.is_empty() { String::new() } else { format!(", {}", found.label) };
    let ranks = |level: Option<&RanksLevel>| level.map_or(0, |level| level.ranks);
    let levels = &found.scaling.levels;
    let (fewest, most) = (ranks(levels.first()), ranks(levels.last()));
    format!("Shared storage: {}{label}, {fewest} to {most} ranks at the same time", found.study)
}

/// A row of the table.
pub(crate) fn row(level: &RanksLevel) -> [String; 4] {
    let rate = |rate| rated(rate, Unit::PerSecond).unwrap_or_else(|| "–".to_owned());
    let times = level.efficiency.as_ref().map_or_else(|_| "–".to_owned(), times);
    [level.ranks.to_string(), rate(&level.together_per_s), rate(&level.each_per_s), times]
}

/// What follows the table, each sentence with its label.
pub(crate) fn sentences(scaling: &Scaling) -> Vec<(&'static str, String)> {
    let ranks = &scaling.ranks;
    let tails = ranks.tails.iter().map(|tail| ("p99", tail_of(tail, ranks.parts.len())));
    let skew = [("skew", skews(ranks.start_skew, ranks.end_skew))];
    let all = [("knee", knee(scaling)), ("shares", shares(&ranks.parts))];
    let rest = [("rounds", rounds(scaling)), ("rank 0", RANK_0.to_owned())];
    all.into_iter().chain(tails).chain(skew).chain(rest).collect()
}

fn knee(scaling: &Scaling) -> String {
    let knee = match &scaling.knee {
        Ok(knee) => knee,
        Err(why) => return format!("No knee: {why}."),
    };
    let (tolerance, peak) = (exact_percent(KNEE_TOLERANCE), of_ranks(knee.peak_ranks));
    let found = if knee.ranks == knee.peak_ranks {
        format!("{peak} gave the highest rate, and fewer are not proven to give all of it but {tolerance}.")
    } else {
        format!("{} gave all that {peak} gave but {tolerance}.", of_ranks(knee.ranks))
    };
    let beyond = if knee.is_at_edge { " More ranks were not measured, and may give more." } else { "" };
    found + beyond
}

/// The least and the largest part of the operations.
fn shares(parts: &[RankPart]) -> String {
    let known = || parts.iter().filter_map(|part| Some((part, part.share.as_ref().ok()?)));
    let by_share = |one: &(&RankPart, &Interval), other: &(&RankPart, &Interval)| {
        one.1.estimate.total_cmp(&other.1.estimate)
    };
    let (Some(least), Some(most)) = (known().min_by(by_share), known().max_by(by_share)) else {
        let why = parts.iter().find_map(|part| part.share.as_ref().err());
        return why.map_or_else(|| "No rank measured.".to_owned(), |why| format!("Not known: {why}."));
    };
    let of = |share: &Interval| {
        let bounds = interval((share.low.max(0.0), share.high), share.estimate, Unit::Share);
        format!("{} ({bounds})", percent(share.estimate))
    };
    format!(
        "Rank {} completed the fewest operations, {}, and was the last to be done in {} of the turns. Rank {} completed \
         the most, {}. An equal share is {}.",
        least.0.rank,
        of(least.1),
        percent(least.0.last_done),
        most.0.rank,
        of(most.1),
        exact_percent(1.0 / parts.len() as f64)
    )
}

/// How much longer the tail of one rank is.
fn tail_of(tail: &Tail, ranks: usize) -> String {
    let name = format!("{}_p99_us", tail.family);
    let title = quantity::named(&name).title;
    let all = rated(&tail.all_us, Unit::Microseconds);
    let all = all.map_or_else(|| "not known".to_owned(), |all| format!("{all} over the operations of all"));
    let longest = match &tail.longest {
        None => "the ranks are not compared, because one of them completed too few operations".to_owned(),
        Some(LongestTail { times_median: Err(why), .. }) => format!("the ranks are not compared: {why}"),
        Some(LongestTail { rank, times_median: Ok(found) }) => {
            format!("that of rank {rank}, the highest, is {} the median of {ranks} ranks", times(found))
        }
    };
    format!("{title}: {all}; {longest}.")
}

fn skews(start: Skew, end: Skew) -> String {
    let of = |skew: Skew| format!("{} on average and {} at most", seconds(skew.mean_s), seconds(skew.max_s));
    format!(
        "Ranks began a turn within {}, and ended it within {}. Their clocks were compared to within {}.",
        of(start),
        of(end),
        seconds(start.uncertainty_s)
    )
}

fn rounds(scaling: &Scaling) -> String {
    let has_intervals = scaling.levels.iter().any(|level| level.together_per_s.is_ok());
    let intervals =
        if has_intervals { format!(", with {} intervals", exact_percent(LEVEL)) } else { String::new() };
    let whole = format!("{}{intervals}.", count(scaling.rounds, "round"));
    match scaling.incomplete_rounds {
        0 => whole,
        1 => format!("{whole} 1 more lacks a number of ranks and is not counted."),
        more => format!("{whole} {more} more lack a number of ranks and are not counted."),
    }
}

fn of_ranks(ranks: u32) -> String {
    count(ranks as usize, "rank")
}

/// Microseconds are what clocks are compared by.
fn seconds(seconds: f64) -> String {
    round_figure(seconds * 1e6, Unit::Microseconds)
}

/// `12 300/s (12 100–12 500)`.
fn rated(found: &Result<Interval, NoInterval>, unit: Unit) -> Option<String> {
    let found = found.as_ref().ok()?;
    let bounds = interval((found.low.max(0.0), found.high), found.estimate, unit);
    Some(format!("{} ({bounds})", round_figure(found.estimate, unit)))
}

/// `0.52× (0.50–0.54)`.
fn times(found: &Ratio) -> String {
    format!("{} ({})", ratio(found.interval.estimate), ratios((found.interval.low, found.interval.high)))
}
