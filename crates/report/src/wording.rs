//! Sentences that the terminal and the page share, so that both say the same.

use crate::quantity;
use model::Value;
use model::host::Placement;
use model::metric::Unit;
use model::plan::{Factor, StudyPlan};
use model::run::Run;
use model::trial::TrialRecord;
use model::units::format_significant;
use std::fmt::Write as _;
use verdict::{Finding, Group, StudyVerdict, TimeShare, TrialCounts};

/// Where a run's files stood: the directory's own file system where a trial ran there, else the first one recorded.
pub(crate) fn principal_placement(run: &Run) -> Option<&Placement> {
    let on_host = |record: &&TrialRecord| {
        record.values.get("filesystem").is_none() || record.values.is("filesystem", "host")
    };
    let measured = || run.records.iter().filter(|record| record.measurement.is_some());
    let record = measured().find(on_host).or_else(|| measured().next())?;
    record.measurement.as_ref().map(|measurement| &measurement.placement)
}

/// The device's model, else its name.
pub(crate) fn device(placement: &Placement) -> &str {
    placement.model.value().or(placement.device.value()).map_or("unknown device", |name| name.trim())
}

/// `1 round`, `6 rounds`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Profile, rounds and how the trials ended.
pub(crate) fn extent(study: &StudyVerdict, plan: Option<&StudyPlan>) -> String {
    let mut parts = Vec::new();
    if let Some(plan) = plan {
        let warmup = match plan.warmup_rounds {
            0 => String::new(),
            count => format!(" after {count} warm-up"),
        };
        parts.push(format!("profile {}", plan.profile));
        // Where a study may end early, how far it came is told by its trials.
        let least = if plan.looks.is_empty() { "" } else { "at least " };
        parts.push(format!("{least}{}{warmup}", counted(plan.rounds_first() as usize, "round")));
    }
    parts.push(counted(study.cells.len(), "configuration"));
    parts.push(trials(&study.trials));
    parts.join(" · ")
}

/// What the ratios beside a metric are.
pub(crate) const AGAINST_REFERENCE: &str =
    "ratio to the reference of the same durability class, paired within rounds, with its 95 % t interval";

/// The heading of arms that promise the same: `Durability class process: no acknowledged entry lost in 42 kills`.
pub(crate) fn group(group: &Group<'_>) -> String {
    match (group.class, group.standing) {
        ("", _) => "Durability class unknown: no trial ended well".to_owned(),
        (class, "") => format!("Durability class {class}"),
        (class, standing) => format!("Durability class {class}: {standing}"),
    }
}

fn trials(counts: &TrialCounts) -> String {
    let mut text = format!("{} of {} analysed", counts.ok, counted(counts.planned, "trial"));
    for (count, what) in [
        (counts.warmup, "warm-up"),
        (counts.failed, "failed"),
        (counts.killed, "killed"),
        (counts.unsupported, "unsupported"),
        (counts.missing, "not run yet"),
    ] {
        if count > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, ", {count} {what}");
        }
    }
    text
}

/// Effect, interval and the trials behind a finding, in one line.
pub(crate) fn evidence(finding: &Finding, plan: Option<&StudyPlan>) -> String {
    let mut parts = Vec::new();
    if let Some(ratio) = &finding.ratio {
        parts.push(format!("ratio {}", quantity::with_interval(ratio, Unit::Count)));
    }
    if let Some(level) = &finding.level {
        let factor = finding.ask.split_once(' ').map_or("level", |(_, factor)| factor);
        let unit = plan.and_then(|plan| plan.factor(factor)).map_or(Unit::Count, level_unit);
        parts.push(format!("at {factor} = {}", quantity::with_interval(level, unit)));
    }
    if let Some(p) = finding.p_adjusted {
        parts.push(format!("Holm-adjusted {}", quantity::p_value(p)));
    }
    parts.push(counted(finding.trials, "trial"));
    if let Some(rounds) = finding.rounds_needed {
        parts.push(format!("about {} would decide it", counted(rounds, "more round")));
    }
    parts.join(" · ")
}

/// The unit of a factor's axis ([`model::Value::number`]).
pub(crate) fn level_unit(factor: &Factor) -> Unit {
    match factor.levels.first() {
        Some(Value::Bytes(_)) => Unit::Bytes,
        Some(Value::Duration(_)) => Unit::Seconds,
        Some(Value::Count(_) | Value::Number(_) | Value::Percent(_) | Value::Flag(_) | Value::Name(_))
        | None => Unit::Count,
    }
}

/// What time was spent on, in the order it is shown, in seconds.
pub(crate) fn time_parts(time: &TimeShare) -> [(&'static str, f64); 5] {
    [
        ("measuring", time.measuring_s),
        ("preparing files", time.preparing_s),
        ("waiting for a quiet device", time.quiescing_s),
        ("evicting and verifying", time.cache_s),
        ("everything else", time.other_s),
    ]
}

/// A noise floor (a ratio ≥ 1) in words: `±2.10 %`, or `a factor of 3.07` where percent would mislead.
pub(crate) fn noise(ratio: f64) -> String {
    if ratio < 1.5 {
        format!("±{} %", format_significant((ratio - 1.0) * 100.0))
    } else {
        format!("a factor of {}", format_significant(ratio))
    }
}

/// What the noise floor of each asked metric is, a clause each; of those without one, which they are and why.
pub(crate) fn noise_floors(study: &StudyVerdict) -> Vec<String> {
    let (mut floors, mut without): (Vec<String>, Vec<(&str, Vec<String>)>) = (Vec::new(), Vec::new());
    for (name, floor) in study.asked.iter().filter_map(|name| Some((name, study.noise.get(name)?))) {
        let title = quantity::named(name).title;
        match (floor.value(), floor.reason().unwrap_or_default()) {
            (Some(ratio), _) => floors.push(format!("{title} {}", noise(*ratio))),
            (None, why) => match without.iter_mut().find(|(known, _)| *known == why) {
                Some((_, titles)) => titles.push(title),
                None => without.push((why, vec![title])),
            },
        }
    }
    if let ([], [(why, _)]) = (&floors[..], &without[..]) {
        return vec![format!("unknown: {why}")];
    }
    floors.extend(without.iter().map(|(why, titles)| format!("{} unknown, since {why}", titles.join(", "))));
    floors
}
