//! One figure for all levels of a factor: a random-effects mean. It does not pool different levels as if they were one
//! sample, and does not weigh a level by its number of trials. Levels are the groups, and n is their number.
//!
//! The mean is taken on a logarithmic scale, as for ratios: it is the typical level, and the finding also states how
//! far a level lies from it. It does not predict the next level.

use super::hypothesis::{Hypothesis, Share, Topic};
use crate::arms::{self, Others};
use crate::blocks::Block;
use crate::estimate;
use crate::finding::{Answer, At, Finding, LevelEstimate, Outcome, Outlook, Proof, Reason, Subject};
use crate::verdict::Estimate;
use model::Value;
use stats::equivalence::decide;
use stats::hierarchical::{Group, Pooled, pool};
use stats::interval::mean_interval;
use stats::{Interval, NoInterval, sample};

pub(super) fn hypotheses(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    let hypothesis = match levels(topic) {
        Err(why) => Hypothesis::not_assessable(topic, Subject::Factor, why),
        Ok(levels) => Hypothesis {
            p: None,
            rests_on: levels.iter().flat_map(|level| level.block.configurations()).collect(),
            finish: Box::new(move |share| finding(topic, &levels, share)),
        },
    };
    vec![hypothesis]
}

/// One level: its name, and the logarithm of the metric in each round, averaged over cells.
struct Level<'a> {
    value: &'a Value,
    logs: Vec<f64>,
    block: Block,
}

fn levels(topic: Topic<'_>) -> Result<Vec<Level<'_>>, Reason> {
    let factor = topic.factor()?;
    // Each level by itself: a round that lacks one of them still counts for the others.
    let of_level = |value| {
        let strata = arms::strata(topic.plan(), &[(&factor.name, vec![value])], Others::AtBaseline);
        let block = topic.block(strata)?;
        let of_round = |round: &Vec<Vec<f64>>| {
            let cells: Vec<f64> = round.iter().flatten().map(|value| value.ln()).collect();
            sample::mean(&cells).unwrap_or(f64::NAN)
        };
        Ok(Level { value, logs: block.values.iter().map(of_round).collect(), block })
    };
    factor.levels.iter().map(of_level).collect()
}

fn finding(topic: Topic<'_>, levels: &[Level<'_>], share: Share) -> Finding {
    let mut finding = topic.blank(Subject::Factor);
    finding.proof = proof(topic, levels, share);
    finding.remarks.extend(levels.iter().flat_map(|level| level.block.left_out.iter().cloned()));
    finding.by_level = levels
        .iter()
        .map(|level| LevelEstimate { level: level.value.clone(), estimate: of_level(level) })
        .collect();
    let groups: Result<Vec<Group>, Reason> = levels.iter().map(group).collect();
    let pooled = groups.and_then(|groups| Ok(pool(&groups, finding.proof.confidence)?));
    finding.outcome = match pooled {
        Err(why) => Outcome::NotAssessable(why),
        Ok(pooled) => {
            let (answer, rounds_needed) = between(topic, levels, share);
            finding.outlook = (answer == Answer::Undecided).then(|| {
                let floor = finding.proof.noise_floor;
                Outlook::of_rounds(rounds_needed, finding.proof.rounds, floor)
            });
            typical(levels, &pooled, answer)
        }
    };
    finding
}

/// Whether the levels differ: the lowest and the highest, compared round by round as two arms are. They are chosen
/// after the fact, so all pairs of levels share the error. Also how many rounds would decide it, if that is known.
fn between(topic: Topic<'_>, levels: &[Level<'_>], share: Share) -> (Answer, Option<usize>) {
    let mean = |level: &&Level<'_>| sample::mean(&level.logs).unwrap_or(f64::NAN);
    let by_mean = |a: &&Level<'_>, b: &&Level<'_>| mean(a).total_cmp(&mean(b));
    let ends = levels.iter().min_by(by_mean).zip(levels.iter().max_by(by_mean));
    let Some((lowest, highest)) = ends else { return (Answer::Undecided, None) };
    let of_lowest = |number: u32| lowest.block.numbers.binary_search(&number).ok();
    let rounds = highest.block.numbers.iter().zip(&highest.logs);
    let ratios: Vec<f64> =
        rounds.filter_map(|(number, log)| Some(log - lowest.logs[of_lowest(*number)?])).collect();
    let pairs = levels.len() * levels.len().saturating_sub(1) / 2;
    let share = Share { asks: share.asks.saturating_mul(pairs.max(1)), ..share };
    let rule = topic.rule(share, topic.dependence(&highest.block));
    match decide(&ratios, &rule).map(|decided| decided.answer) {
        Ok(stats::Answer::Different) => (Answer::Different, None),
        Ok(stats::Answer::Equivalent) => (Answer::Equivalent, None),
        Ok(stats::Answer::Undecided { rounds_needed }) => (Answer::Undecided, rounds_needed),
        Err(_) => (Answer::Undecided, None),
    }
}

/// The levels' blocks together.
fn proof(topic: Topic<'_>, levels: &[Level<'_>], share: Share) -> Proof {
    let rounds = levels.iter().map(|level| level.block.rounds()).min().unwrap_or(0);
    let trials = levels.iter().map(|level| level.block.trials()).sum();
    let of_first = levels.first().map(|level| share.proof(&topic, &level.block, 1));
    Proof { rounds, trials, ..of_first.unwrap_or_default() }
}

fn typical(levels: &[Level<'_>], pooled: &Pooled, between: Answer) -> Outcome {
    let at = |level: &Level<'_>| {
        let figure = sample::mean(&level.logs).map_or(f64::NAN, f64::exp);
        At { level: level.value.clone(), figure }
    };
    let mut own: Vec<At> = levels.iter().map(at).collect();
    own.sort_by(|a, b| a.figure.total_cmp(&b.figure));
    let (Some(lowest), Some(highest)) = (own.first().cloned(), own.last().cloned()) else {
        return Outcome::NotAssessable(Reason::NoPair);
    };
    Outcome::Typical {
        mean: estimate::of_interval(&unlogged(&pooled.mean)),
        levels: levels.len(),
        between,
        spread: pooled.between_sd.exp(),
        heterogeneity: pooled.heterogeneity,
        lowest,
        highest,
    }
}

/// A level's own mean and its standard error.
fn group(level: &Level<'_>) -> Result<Group, Reason> {
    let at_level = |why| Reason::NoIntervalAt { level: level.value.clone(), why };
    let n = level.logs.len();
    // The same minimum number of trials as for any interval.
    mean_interval(&level.logs, 0.95).map_err(at_level)?;
    let spread = sample::mean(&level.logs).zip(sample::standard_deviation(&level.logs));
    let (estimate, deviation) = spread.ok_or_else(|| at_level(NoInterval::NotFinite))?;
    Ok(Group { estimate, standard_error: deviation / (n as f64).sqrt() })
}

fn of_level(level: &Level<'_>) -> Estimate {
    estimate::ratio(&level.logs, 0.0)
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
