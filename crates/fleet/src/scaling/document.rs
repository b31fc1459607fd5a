//! What a shared volume gives to more and more ranks, as sections of a document.

use super::{LastDone, LongestTail, RankPart, Ranks, RanksKnee, RanksLevel, Scaling, ScalingOf, Tail};
use crate::rule::LEVEL;
use model::figure::{count, exact_percent, interval, percent, ratio, ratios, round_figure};
use model::metric::Unit;
use model::shared::Skew;
use model::trial::TrialOutcome;
use page::{Block, Cell, Column, Item, List, Section, Table, quantity};
use stats::knee::KNEE_TOLERANCE;
use stats::{Interval, NoInterval, Ratio};

/// Slow ranks that are listed; a thousand of them would fill a page.
const LISTED_MAX: usize = 8;

/// Completions of different kinds do not add up.
const NO_RATE: &str = "The study is about no rate, so no rate of all ranks is reported.";

/// The report is made from the run directory of rank 0.
const RANK_0: &str = "All other sections of this report show what rank 0 measured. The other ranks have run \
    directories beside it.";

/// A section for each configuration of a shared run; empty if it was not shared.
pub fn sections(found: &[ScalingOf]) -> Vec<Section> {
    found.iter().enumerate().map(|(place, one)| section(one, place)).collect()
}

fn section(found: &ScalingOf, place: usize) -> Section {
    let title = title(found);
    let mut blocks = Vec::new();
    for rate in &found.rates {
        blocks.push(Block::Table(table(&title, rate)));
        blocks.push(Block::List(List::of(of_rate(rate))));
    }
    blocks.push(Block::List(List::of(of_turns(found))));
    let anchor = if place == 0 { "shared".to_owned() } else { format!("shared-{place}") };
    Section::new(anchor, title, blocks).with_kicker("All ranks together")
}

/// `Shared storage: depth, iodepth=32, 1 to 4 ranks at the same time`.
fn title(found: &ScalingOf) -> String {
    let label = if found.label.is_empty() { String::new() } else { format!(", {}", found.label) };
    let (fewest, most) =
        (found.numbers.first().copied().unwrap_or(0), found.numbers.last().copied().unwrap_or(0));
    let ranks = if fewest == most { of_ranks(most) } else { format!("{fewest} to {}", of_ranks(most)) };
    format!("Shared storage: {}{label}, {ranks} at the same time", found.study)
}

/// What each number of ranks gives of a rate. The heading has the unit of what is counted; bytes have theirs behind
/// each figure.
fn table(title: &str, scaling: &Scaling) -> Table {
    let named = quantity::named(&scaling.metric);
    let unit = named.unit_in_heading();
    let separator = if unit.is_empty() { "" } else { ", " };
    let all = format!("{} of all{separator}{unit}", named.title);
    let name = format!("{title}: {all}");
    let headings = ["number of ranks", &all, "per rank", "per rank, relative to the first row"];
    let mut table = Table::new(name, headings.map(|heading| Column::Figures(heading.into())).to_vec());
    let unit = if named.unit == Unit::PerSecond { Unit::Count } else { named.unit };
    let rate = |rate| rated(rate, unit).unwrap_or_else(|| "–".to_owned());
    for level in &scaling.levels {
        let times = level.efficiency.as_ref().map_or_else(|_| "–".to_owned(), times);
        let cells = [level.ranks.to_string(), rate(&level.together_per_s), rate(&level.each_per_s), times];
        table.row(cells.map(Cell::of).to_vec());
    }
    table
}

/// What follows that table.
fn of_rate(scaling: &Scaling) -> Vec<Item> {
    let missed = |level: &RanksLevel| {
        let why = level.missed.as_ref().map(how)?;
        Some(Item::labelled("no figure", format!("{}, the first trial: {why}.", of_ranks(level.ranks))))
    };
    let mut all: Vec<Item> = scaling.levels.iter().filter_map(missed).collect();
    all.extend(scaling.knee.as_ref().map(|found| Item::labelled("knee", knee(found))));
    // One rank has nothing to be compared with.
    if scaling.parts.len() > 1 {
        let title = quantity::named(&scaling.metric).title;
        all.push(Item::labelled("shares", shares(&scaling.parts, &title)));
    }
    all.push(Item::labelled("rounds", rounds(scaling)));
    all
}

/// What follows all tables of a configuration.
fn of_turns(found: &ScalingOf) -> Vec<Item> {
    let ranks = &found.ranks;
    let mut all = Vec::new();
    if found.rates.is_empty() {
        all.push(Item::labelled("rates", NO_RATE));
    }
    let number = ranks.last_done.len();
    all.extend(ranks.tails.iter().map(|tail| Item::labelled("p99", tail_of(tail, number))));
    if number > 1 {
        all.extend(last_done(&ranks.last_done).map(|last| Item::labelled("last", last)));
        all.push(Item::labelled("skew", skews(ranks)));
    }
    all.push(Item::labelled("rank 0", RANK_0));
    all
}

fn knee(found: &Result<RanksKnee, NoInterval>) -> String {
    let knee = match found {
        Ok(knee) => knee,
        Err(why) => return format!("No knee: {why}."),
    };
    let (nearly, peak) = (exact_percent(1.0 - KNEE_TOLERANCE), of_ranks(knee.peak_ranks));
    let found = if knee.ranks == knee.peak_ranks {
        format!(
            "By its geometric mean over the rounds, the rate was highest with {peak}. Fewer are not proven to give at \
             least {nearly} of it."
        )
    } else {
        format!("{} gave at least {nearly} of what {peak} gave.", of_ranks(knee.ranks))
    };
    let beyond = if knee.is_at_edge { " More ranks were not measured, and may give more." } else { "" };
    found + beyond
}

/// The ranks that are proven to get less than an equal share, if any, and the extremes.
fn shares(parts: &[RankPart], rate: &str) -> String {
    let known = || parts.iter().filter_map(|part| Some((part, part.share.as_ref().ok()?)));
    let by_share = |one: &(&RankPart, &Interval), other: &(&RankPart, &Interval)| {
        one.1.estimate.total_cmp(&other.1.estimate)
    };
    let (Some(least), Some(most)) = (known().min_by(by_share), known().max_by(by_share)) else {
        let why = parts.iter().find_map(|part| part.share.as_ref().err());
        return why.map_or_else(|| "No rank measured.".to_owned(), |why| format!("Not known: {why}."));
    };
    let of = |(part, share): (&RankPart, &Interval)| {
        let bounds = interval((share.low.max(0.0), share.high), share.estimate, Unit::Share);
        format!("rank {} with {} ({bounds})", part.rank, percent(share.estimate))
    };
    let equal = exact_percent(1.0 / parts.len() as f64);
    let below: Vec<String> = known().filter(|(part, _)| part.is_below_equal).map(of).collect();
    let listed = below.iter().take(LISTED_MAX).cloned().collect::<Vec<_>>().join(", ");
    let more = below.len().saturating_sub(LISTED_MAX);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    if below.is_empty() {
        let (least, most) = (of(least), of(most));
        format!(
            "No rank is proven to get less than an equal share of {rate}, {equal}. The least, {least}; the most, \
             {most}."
        )
    } else {
        let most = of(most);
        format!("Less than an equal share of {rate}, {equal}: {listed}{more}. The most, {most}.")
    }
}

/// The rank that was the last to be done most often; `None` if none ever was.
fn last_done(ranks: &[LastDone]) -> Option<String> {
    let most = ranks.iter().max_by(|one, other| one.part.total_cmp(&other.part))?;
    let is_alone = ranks.iter().filter(|rank| rank.part >= most.part).count() == 1;
    let equal = exact_percent(1.0 / ranks.len() as f64);
    (most.part > 0.0 && is_alone).then(|| {
        format!(
            "Rank {} was the last to be done most often, in {} of the turns. If ranks are equal, each is the last in \
             {equal}.",
            most.rank,
            percent(most.part)
        )
    })
}

/// How much longer the tail of one rank is.
fn tail_of(tail: &Tail, ranks: usize) -> String {
    let name = format!("{}_p99_us", tail.family);
    let title = quantity::named(&name).title;
    let all = rated(&tail.all_us, Unit::Microseconds);
    let all = all.map_or_else(|| "not known".to_owned(), |all| format!("{all} over the operations of all"));
    if ranks == 1 {
        return format!("{title}: {all}.");
    }
    let longest = match &tail.longest {
        None => "the ranks are not compared, because one of them completed too few operations".to_owned(),
        Some(LongestTail { times_median: Err(why), .. }) => format!("the ranks are not compared: {why}"),
        Some(LongestTail { rank, times_median: Ok(found) }) => {
            format!("that of rank {rank}, the highest, is {} the median of {ranks} ranks", times(found))
        }
    };
    format!("{title}: {all}; {longest}.")
}

fn skews(ranks: &Ranks) -> String {
    let (start, end) = (ranks.start_skew, ranks.end_skew);
    let of = |skew: Skew| format!("{} on average and {} at most", seconds(skew.mean_s), seconds(skew.max_s));
    format!(
        "Ranks began a turn within {}, and ended it within {}. Their clocks were compared to within {}.{}",
        of(start),
        of(end),
        seconds(start.uncertainty_s),
        match ranks.apart {
            0 => String::new(),
            1 => " 1 turn that they did not measure at the same time is not counted.".to_owned(),
            more => format!(" {more} turns that they did not measure at the same time are not counted."),
        }
    )
}

fn rounds(scaling: &Scaling) -> String {
    let has_intervals = scaling.levels.iter().any(|level| level.together_per_s.is_ok());
    let intervals =
        if has_intervals { format!(", with {} intervals", exact_percent(LEVEL)) } else { String::new() };
    let whole = format!("{}{intervals}.", count(scaling.rounds, "round"));
    let why = scaling.missed.as_ref().map_or_else(String::new, |missed| format!(": {}", how(missed)));
    match scaling.incomplete_rounds {
        0 => whole,
        1 => format!("{whole} 1 more lacks a number of ranks and is not counted{why}."),
        more => {
            let first = if why.is_empty() { "" } else { "; the first" };
            format!("{whole} {more} more lack a number of ranks and are not counted{first}{why}.")
        }
    }
}

/// How a trial ended of which all ranks together have no rate.
fn how(missed: &TrialOutcome) -> String {
    match missed {
        TrialOutcome::Ok => "its ranks completed nothing while all of them measured".to_owned(),
        TrialOutcome::Failed(why) | TrialOutcome::Unsupported(why) => why.clone(),
        TrialOutcome::Killed(after_s) => format!("killed at its deadline after {after_s:.0} s"),
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
