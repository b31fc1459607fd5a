//! Findings about levels of a factor: which is enough, which keeps a limit, their order, one figure for all.

use super::opening::first_word;
use super::told::{Told, figure, figure_with_title, interval};
use crate::estimate::Estimate;
use crate::finding::{Answer, At, Finding, Limit, Proven, Ranked, Subject, name};
use model::figure::{count, exact_percent, percent, ratio};
use page::quantity::Named;
use stats::knee::KNEE_TOLERANCE;

/// `98.75 % confidence`.
pub(super) fn confidence(finding: &Finding) -> String {
    format!("{} confidence", exact_percent(finding.proof.confidence))
}

/// ` from 1 to 16`; empty if the levels are not numbers.
pub(super) fn range(finding: &Finding) -> String {
    match &finding.subject {
        Subject::Range { first, last } | Subject::Arms { range: Some((first, last)), .. } => {
            format!(" from {first} to {last}")
        }
        Subject::Factor
        | Subject::Level(_)
        | Subject::Levels(_)
        | Subject::Arms { range: None, .. }
        | Subject::Rung(_)
        | Subject::Ladder => String::new(),
    }
}

/// A smaller level than the best is enough.
pub(super) fn enough(finding: &Finding, named: &Named, level: &At, best: &At) -> Told {
    let claim = format!(
        "{} = {} is enough: {}, within {} of the best, {} at {}",
        finding.ask.factor,
        level.level,
        figure_with_title(named, level.figure),
        exact_percent(KNEE_TOLERANCE),
        figure(named, best.figure),
        best.level
    );
    Told::new(claim, confidence(finding))
}

/// Only the best level is enough, or there is no smaller one.
pub(super) fn only_best(finding: &Finding, named: &Named, best: &At, is_smallest: bool) -> Told {
    let others = if is_smallest {
        "and it is the smallest level".to_owned()
    } else {
        format!("and no smaller level is proven to come within {} of it", exact_percent(KNEE_TOLERANCE))
    };
    let figure = figure_with_title(named, best.figure);
    let claim = format!("{} = {} is best: {figure}, {others}", finding.ask.factor, best.level);
    Told::new(claim, confidence(finding))
}

/// It is undecided whether a smaller level is enough.
pub(super) fn enough_undecided(finding: &Finding, named: &Named, best: &At) -> Told {
    let claim = format!(
        "{} is undecided whether less than {} = {} is enough: {} there, no smaller level is proven to come \
         within {} of it, \
         and not all can be distinguished from it",
        first_word(finding, "it"),
        finding.ask.factor,
        best.level,
        figure_with_title(named, best.figure),
        exact_percent(KNEE_TOLERANCE)
    );
    Told::new(claim, confidence(finding))
}

/// A level keeps the limit.
pub(super) fn keeps(finding: &Finding, named: &Named, level: &At, limit: Limit, proven: Proven) -> Told {
    let which = match limit {
        Limit::AtMost(_) => "largest",
        Limit::AtLeast(_) => "smallest",
    };
    let head = format!("{} = {} is the {which} level that", finding.ask.factor, level.level);
    let bound = bound(finding, named, limit);
    match proven {
        Proven::ByInterval => {
            let reached = figure(named, level.figure);
            Told::new(format!("{head} is proven to keep {bound}: {reached}"), confidence(finding))
        }
        Proven::InEveryTrial { .. } => {
            Told::new(format!("{head} kept {bound} {}", counted(finding, proven, "break")), String::new())
        }
    }
}

/// No level keeps it.
pub(super) fn none_keeps(finding: &Finding, named: &Named, limit: Limit, proven: Proven) -> Told {
    let claim = format!(
        "{} level of {}{} keeps {}: all break it",
        first_word(finding, "no"),
        finding.ask.factor,
        range(finding),
        bound(finding, named, limit)
    );
    let note = match proven {
        Proven::ByInterval => None,
        Proven::InEveryTrial { .. } => Some(format!("some {}", counted(finding, proven, "keep"))),
    };
    Told::new(claim, confidence(finding)).note(note)
}

/// It is undecided whether a level keeps it.
pub(super) fn keeps_undecided(finding: &Finding, named: &Named, limit: Limit) -> Told {
    let claim = format!(
        "{} is undecided whether any level of {}{} keeps {}: none is proven to, and not all are proven to break it",
        first_word(finding, "it"),
        finding.ask.factor,
        range(finding),
        bound(finding, named, limit)
    );
    Told::new(claim, confidence(finding))
}

/// `commit latency p99 at or below 2 000 µs`; with several combinations of the other factors, in each.
fn bound(finding: &Finding, named: &Named, limit: Limit) -> String {
    let (relation, bound) = match limit {
        Limit::AtMost(bound) => ("at or below", bound),
        Limit::AtLeast(bound) => ("at or above", bound),
    };
    let everywhere = if finding.proof.cells > 1 { " in every combination of the other factors" } else { "" };
    format!("{} {relation} {}{everywhere}", named.title, figure(named, bound))
}

/// `in all 6 trials; at most 39.3 % could break it (95 %)`: the proof from equal outcomes, which have no interval.
fn counted(finding: &Finding, proven: Proven, otherwise: &str) -> String {
    match proven {
        Proven::ByInterval => String::new(),
        Proven::InEveryTrial { trials, otherwise_at_most } => {
            let of_each = if finding.proof.cells > 1 { " of each" } else { "" };
            format!(
                "in all {}{of_each}, so at most {} of trials could {otherwise} it at 95 % confidence",
                count(trials, "trial"),
                percent(otherwise_at_most)
            )
        }
    }
}

/// The levels in order.
pub(super) fn ranked(finding: &Finding, named: &Named, order: &[Ranked]) -> Told {
    let factor = &finding.ask.factor;
    let is_open = finding.answer() == Answer::Undecided;
    let places = order.iter().map(|Ranked { rank, at }| {
        let rank = if is_open { String::new() } else { format!("{rank}. ") };
        format!("{rank}{} ({})", name(factor, &at.level), figure(named, at.figure))
    });
    let places = places.collect::<Vec<_>>().join(", ");
    if is_open {
        let claim = format!(
            "{} order of {factor} by {} is undecided: {places}",
            first_word(finding, "the"),
            named.title
        );
        return Told::new(claim, confidence(finding)).bracketed();
    }
    let is_tied = order.windows(2).any(|pair| pair[0].rank == pair[1].rank);
    Told::new(format!("{factor} by {}, best first: {places}", named.title), confidence(finding))
        .bracketed()
        .note(is_tied.then(|| "levels with equal numbers cannot be distinguished".to_owned()))
}

/// One figure for all levels.
pub(super) fn typical(
    finding: &Finding,
    named: &Named,
    mean: &Estimate,
    levels: usize,
    ends: [&At; 2],
) -> Told {
    let [lowest, highest] = ends;
    let claim = format!(
        "{} is {} over {} of {}: {} at {} to {} at {}",
        first_word(finding, &named.title),
        figure(named, mean.point.unwrap_or(f64::NAN)),
        count(levels, "level"),
        finding.ask.factor,
        figure(named, lowest.figure),
        lowest.level,
        figure(named, highest.figure),
        highest.level
    );
    Told::new(claim, interval(mean, named.unit))
}

/// How far levels lie from their common figure.
pub(super) fn variation(spread: f64, heterogeneity: f64) -> String {
    format!(
        "levels differ by {} in their standard deviation, and {} of the variation is between them",
        ratio(spread),
        percent(heterogeneity)
    )
}
