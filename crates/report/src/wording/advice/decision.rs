//! What a decision rests on, in a line: the figures themselves first, then their ratio with its interval.

use super::{cause, measured};
use crate::quantity::{self, interval_text};
use crate::wording::times;
use advice::{Decision, Effect, Needs, NoAdvice, Recommendation, Regret, Setting};
use model::figure::{percent, round, round_figure};
use model::metric::Unit;
use model::units::format_elapsed;
use verdict::Estimate;

/// Why this is the decision: a clause without a full stop.
pub(crate) fn reason(setting: &Setting) -> String {
    match &setting.decision {
        Decision::ChangeTo(found) => changed(setting, found),
        Decision::Candidate(found) => predicted(setting, found),
        Decision::Keep(found) => kept(found),
        Decision::Judged(found) => measured(&found.statement),
        Decision::NeedsTime(none) | Decision::DoesNotApply(none) => open(none),
        Decision::Withheld(none) => withheld(none),
    }
}

fn changed(setting: &Setting, found: &Recommendation) -> String {
    match (&found.estimate, found.effects.first()) {
        (Some(estimate), _) => estimated(estimate, setting.in_use.value().unwrap_or_default()),
        (None, Some(effect)) => gain(effect),
        (None, None) => measured(&found.statement),
    }
}

/// What the disk predicts, and what would prove it.
fn predicted(setting: &Setting, found: &Recommendation) -> String {
    let proof = match &found.needs {
        Some(needs) => proving(needs),
        None => "no command of Syncline proves it, so try it with your own load".to_owned(),
    };
    format!("predicted from the disk: {}; {proof}", changed(setting, found))
}

fn kept(found: &Recommendation) -> String {
    if let Some(estimate) = &found.estimate {
        return estimated(estimate, &found.value);
    }
    let Some(regret) = &found.regret else { return measured(&found.statement) };
    let rival = found.effects.iter().find(|effect| effect.over == regret.over);
    let figures = rival.map_or_else(String::new, gain);
    format!("{figures}; {}", lost(regret))
}

/// `measured 1.11 (0.750–1.65, 99.4 %), less than 4.0`: the value in use against what was measured.
fn estimated(estimate: &Estimate, in_use: &str) -> String {
    let place = match (in_use.parse::<f64>(), estimate.interval) {
        (Ok(number), Some((_, high))) if number > high => format!(", less than {in_use}"),
        (Ok(number), Some((low, _))) if number < low => format!(", more than {in_use}"),
        (Ok(_), Some(_)) => format!(", which includes {in_use}"),
        (_, _) => String::new(),
    };
    format!("measured {}{place}", quantity::with_interval(estimate, Unit::Count))
}

/// `no measured value is more than 5 % better`.
pub(crate) fn lost(regret: &Regret) -> String {
    if regret.share_at_most <= 0.0 {
        return "no measured value is better".to_owned();
    }
    if regret.is_proven_small {
        return "no measured value is more than 5 % better".to_owned();
    }
    if regret.is_mixed {
        let most = percent(regret.share_at_most);
        return format!(
            "{} is better in one comparison and worse, or possibly worse, in another; keeping it loses at most {most}",
            regret.over
        );
    }
    format!("nothing is proven better, and keeping it loses at most {}", percent(regret.share_at_most))
}

/// `11 800 commits/s, and 9 100 with fdatasync: 1.30× (1.24–1.37, 99.29 %)`.
pub(crate) fn gain(effect: &Effect) -> String {
    let interval = effect
        .ratio
        .interval
        .map_or_else(String::new, |_| format!(" ({})", interval_text(&effect.ratio, Unit::Count)));
    let conditions = effect.conditions.as_deref().map_or_else(String::new, |clause| format!("; {clause}"));
    let ratio = format!("{}{interval}", times(&effect.ratio));
    let named = quantity::named(&effect.metric);
    match effect.figures {
        Some((value, over)) if !named.counted_per_s.is_empty() => {
            let (value, over) = (round(value), round(over));
            format!("{value} {}, and {over} with {}: {ratio}{conditions}", named.counted_per_s, effect.over)
        }
        Some((value, over)) => {
            let (value, over) = (round_figure(value, named.unit), round_figure(over, named.unit));
            format!("{} {value}, and {over} with {}: {ratio}{conditions}", named.title, effect.over)
        }
        None => format!("{ratio} the {} of {}{conditions}", named.title, effect.over),
    }
}

/// Why nothing is decided, and what would.
fn open(none: &NoAdvice) -> String {
    let cause = cause(&none.cause).trim_end_matches('.').to_owned();
    match &none.needs {
        Some(needs) => format!("{cause}; {}", needed(needs)),
        None => cause,
    }
}

fn withheld(none: &NoAdvice) -> String {
    match none.audit.as_deref() {
        Some(found) if none.why == advice::Why::AuditFailed => {
            format!("audit {} of study {} failed", found.audit, found.study)
        }
        Some(found) => format!("audit {} of study {} could not be carried out", found.audit, found.study),
        None => cause(&none.cause),
    }
}

/// `syncline run committers would decide it (about 50 s)`.
pub(crate) fn needed(needs: &Needs) -> String {
    format!("{} would decide it{}", needs.command, time(needs))
}

/// `prove it: syncline prove RUN --for postgresql (about 10 min)`.
pub(crate) fn proving(needs: &Needs) -> String {
    format!("prove it: {}{}", needs.command, time(needs))
}

fn time(needs: &Needs) -> String {
    needs.seconds.map_or_else(String::new, |seconds| format!(" (about {})", about(seconds)))
}

/// An estimated time has no seconds behind its minutes.
fn about(seconds: f64) -> String {
    if seconds < 60.0 { format_elapsed(seconds) } else { format!("{:.0} min", seconds / 60.0) }
}

/// Every candidate, with what was measured of it against the value in use; empty if there is only that one.
pub(crate) fn candidates(setting: &Setting) -> String {
    let candidate = |candidate: &advice::Candidate| {
        let role = match candidate.role {
            advice::Role::InUse => "in use",
            advice::Role::Default => "default",
            advice::Role::Measured => "measured",
            advice::Role::WorthTrying => "not measured",
        };
        match candidate.ratio() {
            Some(ratio) => format!("{} {}", candidate.value, quantity::ratio_with_bounds(ratio)),
            None => format!("{} ({role})", candidate.value),
        }
    };
    if setting.candidates.len() < 2 {
        return String::new();
    }
    setting.candidates.iter().map(candidate).collect::<Vec<_>>().join(", ")
}
