//! One figure for all levels of a factor: a random-effects mean, which neither pools what differs as if it were one sample
//! nor weighs a level by how many trials it has. Levels are the groups; n is theirs.
//!
//! The figure is taken on the logarithm's scale, as ratios are: it is the typical level, and how far a level lies from
//! it is told beside. What the next level would be, it does not say.

use super::{Draft, Share, Topic, behind, interval_words, level_name};
use crate::arms::{self, Others};
use crate::blocks::{self, Block};
use crate::estimate;
use crate::phrase::{figure, percent, ratio, title};
use crate::verdict::{Answer, Estimate, Finding};
use model::Value;
use stats::family::simultaneous_level;
use stats::hierarchical::{Group, pool};
use stats::interval::mean_interval;
use stats::{Interval, sample};

/// One draft.
pub(super) fn drafts(topic: Topic<'_>) -> Vec<Draft<'_>> {
    let factor = &topic.ask.factor;
    let draft = match levels(topic) {
        Err(why) => Draft::settled(topic, factor, &why),
        Ok(levels) => Draft {
            p: None,
            rests_on: levels.iter().flat_map(|level| level.block.configurations()).collect(),
            finish: Box::new(move |share| finding(topic, &levels, share)),
        },
    };
    vec![draft]
}

/// One level: its name, and the logarithm of the metric in each round, averaged over cells.
struct Level<'a> {
    value: &'a Value,
    logs: Vec<f64>,
    block: Block,
}

fn levels(topic: Topic<'_>) -> Result<Vec<Level<'_>>, String> {
    let name = &topic.ask.factor;
    let factor = topic.plan().factor(name).ok_or_else(|| format!("{name} is no factor of this study"))?;
    // Each level by itself: a round that lacks one of them still tells of the others.
    let of_level = |value| {
        let strips = arms::strips(topic.plan(), &[(name, vec![value])], Others::AtBaseline);
        let block = blocks::complete(topic.inquiry.observations, strips, topic.metric)?;
        let of_round = |round: &Vec<Vec<f64>>| {
            let cells: Vec<f64> = round.iter().flatten().map(|value| value.ln()).collect();
            sample::mean(&cells).unwrap_or(f64::NAN)
        };
        Ok(Level { value, logs: block.values.iter().map(of_round).collect(), block })
    };
    factor.levels.iter().map(of_level).collect()
}

fn finding(topic: Topic<'_>, levels: &[Level<'_>], share: Share) -> Finding {
    let factor = &topic.ask.factor;
    let metric = title(topic.metric);
    let mut finding = topic.blank(factor);
    finding.trials = levels.iter().map(|level| level.block.trials()).sum();
    finding.caveats.extend(levels.iter().flat_map(|level| level.block.left_out.iter().cloned()));
    finding.by_cell =
        levels.iter().map(|level| (format!("{factor}={}", level.value), of_level(level))).collect();
    let confidence = simultaneous_level(share.level, share.asks);
    let pooled = levels
        .iter()
        .map(group)
        .collect::<Result<Vec<Group>, String>>()
        .and_then(|groups| pool(&groups, confidence).map_err(|why| why.to_string()));
    match pooled {
        Err(why) => finding.statement = format!("{metric} over {factor} has no common figure: {why}."),
        Ok(pooled) => {
            let interval = unlogged(&pooled.mean);
            let rounds = levels.iter().map(|level| level.block.rounds()).min().unwrap_or(0);
            finding.answer = Answer::Different;
            finding.level = Some(estimate::of_interval(&interval));
            finding.statement = format!(
                "{metric} over {} levels of {factor}: {} ({} {} to {}, {}). Levels differ by {} in their standard \
                 deviation; {} of the variation is between them.",
                levels.len(),
                figure(topic.metric, interval.estimate),
                interval_words(&interval, share.asks),
                figure(topic.metric, interval.low),
                figure(topic.metric, interval.high),
                behind(rounds, levels.len()),
                ratio(pooled.between_sd.exp()),
                percent(pooled.heterogeneity),
            );
            finding.caveats.push(lowest_and_highest(topic, levels));
        }
    }
    finding
}

/// A level's own mean and its standard error.
fn group(level: &Level<'_>) -> Result<Group, String> {
    let name = || level_name("level", level.value);
    let n = level.logs.len();
    // The same fewest trials as for any interval.
    mean_interval(&level.logs, 0.95).map_err(|why| format!("{}: {why}", name()))?;
    let deviation =
        sample::standard_deviation(&level.logs).ok_or_else(|| format!("{}: no spread", name()))?;
    let estimate = sample::mean(&level.logs).ok_or_else(|| format!("{}: no mean", name()))?;
    Ok(Group { estimate, standard_error: deviation / (n as f64).sqrt() })
}

fn of_level(level: &Level<'_>) -> Estimate {
    estimate::ratio(&level.logs)
}

fn lowest_and_highest(topic: Topic<'_>, levels: &[Level<'_>]) -> String {
    let mean = |level: &&Level<'_>| sample::mean(&level.logs).unwrap_or(f64::NAN);
    let tell = |level: &Level<'_>| {
        format!(
            "{} at {}",
            figure(topic.metric, mean(&level).exp()),
            level_name(&topic.ask.factor, level.value)
        )
    };
    let lowest = levels.iter().min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let highest = levels.iter().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    match (lowest, highest) {
        (Some(lowest), Some(highest)) => {
            format!("No level need have the common figure: {} to {}.", tell(lowest), tell(highest))
        }
        _ => String::new(),
    }
}

fn unlogged(interval: &Interval) -> Interval {
    Interval {
        estimate: interval.estimate.exp(),
        low: interval.low.exp(),
        high: interval.high.exp(),
        level: interval.level,
        n: interval.n,
    }
}
