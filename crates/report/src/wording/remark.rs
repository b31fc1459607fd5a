//! The limits of a finding, and the kernel's counters beside it, as a sentence each.

use super::noise::no_floor;
use super::subject::{capital, list, name, sides};
use crate::quantity;
use model::figure::{count, exact_percent, figure, ratio, ratios};
use model::metric::Unit;
use model::units::format_significant;
use verdict::Estimate;
use verdict::finding::{CellRatio, Counter, Finding, Remark};

/// Every remark on a finding.
pub(crate) fn remarks(finding: &Finding) -> Vec<String> {
    let compared = Compared {
        factor: &finding.ask.factor,
        title: &quantity::named(&finding.metric).title,
        noise_floor: finding.proof.noise_floor,
    };
    finding.remarks.iter().map(|remark| text(remark, &compared)).collect()
}

/// What limits a comparison of arms that differ in these parameters.
pub(super) fn of_comparison(remark: &Remark, parameters: &str) -> String {
    text(remark, &Compared { factor: parameters, title: "the metric", noise_floor: None })
}

/// What a remark is about.
struct Compared<'a> {
    factor: &'a str,
    /// The metric's.
    title: &'a str,
    noise_floor: Option<f64>,
}

fn text(remark: &Remark, compared: &Compared<'_>) -> String {
    let Compared { factor, title, noise_floor } = compared;
    let floor = || {
        noise_floor
            .map_or_else(|| "noise floor".to_owned(), |floor| format!("noise floor of {}", ratio(floor)))
    };
    match remark {
        Remark::AuditFailed { audit, summary } => format!("Audit {audit} failed: {summary}"),
        Remark::NotProven { audit, summary: Some(summary) } => {
            format!("Not proven: audit {audit} could not be carried out here: {summary}")
        }
        Remark::NotProven { audit, summary: None } => {
            format!("Not proven: audit {audit} could not be carried out for every configuration that this rests on.")
        }
        Remark::Audit(text) => text.clone(),
        Remark::Durability { .. } => {
            "Acknowledged writes on the two sides differ in durability: the difference is the price of the stronger class.".to_owned()
        }
        Remark::HeldAt { levels, is_baseline } => {
            let whose = if *is_baseline { ", the study's baseline" } else { "" };
            format!("Measured at {levels} only{whose}.")
        }
        Remark::OnePlacement => {
            "Files were not made again each round, so the finding is limited to this placement on the device.".to_owned()
        }
        Remark::CellLeftOut { cell, rounds, of_rounds } => {
            format!("{cell} is left out: {} of {of_rounds}.", count(*rounds, "complete round"))
        }
        Remark::RoundsLeftOut { rounds, of_rounds } => {
            format!("{} of {of_rounds} left out, because a trial is missing there.", count(*rounds, "round"))
        }
        Remark::LevelsLeftOut(levels) => {
            let is = if levels.len() == 1 { "is" } else { "are" };
            format!("{factor} = {} {is} not on the axis and {is} left out.", list(levels))
        }
        Remark::NoNoiseFloor { why } => format!(
            "How far {title} differs between two identical arms is unknown ({}), so intervals alone decide.",
            no_floor(why)
        ),
        Remark::BaselineDiffersFromItself(Estimate { point, interval, .. }) => {
            let interval = interval.map_or_else(String::new, |interval| format!(" ({})", ratios(interval)));
            let times = point.map_or_else(|| "–".to_owned(), ratio);
            format!("The baseline differs from itself by {times}{interval}: order or state leaks between trials.")
        }
        Remark::DependentRounds { correlation, widened_by } => format!(
            "Neighbouring rounds seem to resemble each other, so intervals allow for a correlation of {correlation:.2} and are {} times as wide.",
            format_significant(*widened_by)
        ),
        Remark::Interaction { p, farthest: CellRatio { cell, ratio: departure }, range: _ } => format!(
            "The effect of {factor} depends on the other factors (p = {p:.2e}): at {cell} it is {} away from the mean.",
            ratio(*departure)
        ),
        Remark::Bend { level, departure, is_turning } => {
            let turns = if *is_turning { ", and it turns" } else { "" };
            format!(
                "The trend is not a straight line on logarithmic axes{turns}: {factor} = {level} is {} off it.",
                ratio(*departure)
            )
        }
        Remark::InsideNoise(levels) => {
            format!("Inside the {}, so undecided there: {factor} = {}.", floor(), list(levels))
        }
        Remark::MaybeEnough(levels) => format!(
            "Inside the {} of the best level, so neither proven to be enough nor too little: {factor} = {}.",
            floor(),
            list(levels)
        ),
        Remark::NoiseBeyondTolerance { tolerance } => format!(
            "The {} is wider than the {} that counts as near the best: identical levels may differ by more.",
            floor(),
            exact_percent(*tolerance)
        ),
        Remark::LessInCells(cells) => {
            let cells = cells.iter().map(|CellRatio { cell, ratio: of_best }| format!("{} of it at {cell}", ratio(*of_best)));
            format!(
                "That holds on average; the level gives less of the best in some combinations of the other factors: {}.",
                cells.collect::<Vec<_>>().join(", ")
            )
        }
        Remark::BestIsLast => "The best level is the last of the range: levels beyond it may be better still.".to_owned(),
        Remark::Gaps => {
            "Some levels between this one and its end of the range are not proven to keep the limit: this level works, but is not a border.".to_owned()
        }
        Remark::NearLimit(levels) => format!(
            "Closer to the limit than the {}: {factor} = {}; another session may find it on the other side.",
            floor(),
            list(levels)
        ),
        Remark::TiedByNoise => {
            format!("Levels whose ratio lies inside the {} share a number, even if they differ significantly.", floor())
        }
    }
}

/// The kernel's counters: a sentence for each.
pub(crate) fn mechanism(finding: &Finding) -> Vec<String> {
    finding.mechanism.iter().map(|counter| counted(counter, finding)).collect()
}

fn counted(counter: &Counter, finding: &Finding) -> String {
    let factor = finding.subject.levels().map_or(&finding.ask.factor, |levels| &levels.factor);
    match counter {
        Counter::Compared { metric, level: ours, baseline: theirs, is_same } => {
            let named = quantity::named(metric);
            let (level, baseline) = sides(finding).unwrap_or_default();
            let told = |value| figure(value, named.unit);
            let title = capital(&named.title);
            let both = format!("{} with {level}, {} with {baseline}", told(*ours), told(*theirs));
            match (is_same, *theirs > 0.0 && *ours > 0.0) {
                (true, _) => format!("{title} the same: {both}."),
                (false, true) => format!("{title}: {both} ({}).", ratio(ours / theirs)),
                (false, false) => format!("{title}: {both}."),
            }
        }
        Counter::ByLevel { metric, means } => {
            let named = quantity::named(metric);
            let means = means.iter().map(|(level, mean)| format!("{} at {level}", figure(*mean, named.unit)));
            format!("{} by {factor}: {}.", capital(&named.title), means.collect::<Vec<_>>().join(", "))
        }
        Counter::Disturbed { level, moved } => format!(
            "The device's counters explain nothing here and are withheld: beside {}, other programs {moved} (audit foreign-io).",
            name(factor, level)
        ),
    }
}

/// The evidence of a finding in one line: ratio, place, p-value, noise floor, size of the experiment.
pub(crate) fn evidence(finding: &Finding) -> String {
    let proof = &finding.proof;
    let mut parts = Vec::new();
    if let Some(estimate) = finding.ratio.as_ref().filter(|estimate| estimate.point.is_some()) {
        let of =
            sides(finding).map_or_else(String::new, |(level, baseline)| format!(" {level} ÷ {baseline}"));
        let family = if proof.asks > 1 {
            format!(", simultaneous over {} findings", proof.asks)
        } else {
            String::new()
        };
        parts.push(format!("ratio{of} {}{family}", quantity::with_interval(estimate, Unit::Count)));
    }
    if let Some(p) = proof.p_adjusted {
        parts.push(format!("Holm-adjusted {}", quantity::p_value(p)));
    }
    if let Some(floor) = proof.noise_floor {
        parts.push(format!("noise floor {}", super::noise(floor)));
    }
    if proof.cells > 1 {
        parts.push(format!("averaged over {} of the other factors", count(proof.cells, "combination")));
    }
    parts.push(if proof.trials == 0 { "no trials".to_owned() } else { count(proof.trials, "trial") });
    if let Some(rounds) = finding.rounds_needed() {
        parts.push(format!("about {} would decide it", count(rounds, "more round")));
    }
    parts.join(" · ")
}
