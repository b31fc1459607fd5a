//! An answer in one plain sentence. What a finding says in full, with its interval and its proof, stands in its study.

use crate::quantity::{self, Named};
use crate::wording;
use model::metric::Unit;
use model::plan::StudyPlan;
use verdict::{Answer, Cell, Estimate, Finding, StudyVerdict};

/// What the verdict calls the steps from one durability class to the next.
pub(super) const LADDER: &str = "durability ladder";

/// What was measured at a configuration, in words; `label` is what sets it apart from the others. That commits were durable
/// is said where the audits about that promise passed.
pub(super) fn of_figure(cell: &Cell, metric: &str, label: &str, is_durable: bool) -> String {
    let at = if label.is_empty() { String::new() } else { format!(" with {label}") };
    if metric != "commits_per_s" {
        return format!("Mean {}{at}.", quantity::named(metric).title);
    }
    let promise = match cell.durability.as_str() {
        "power" if is_durable => ", each made durable before the next",
        "power" => ", each synced before the next; that it was durable is not proven",
        _ => "",
    };
    format!("Commits one after another{promise}{at}.{}", latency(cell, "commit_latency", ""))
}

/// What was measured at the configuration where it is highest; of reads, whether fewer in flight are enough.
pub(super) fn of_best(
    study: &StudyVerdict,
    plan: Option<&StudyPlan>,
    cell: &Cell,
    metric: &str,
    label: &str,
) -> String {
    let at = if label.is_empty() { String::new() } else { format!(" with {label}") };
    if metric != "iops" {
        return format!("Mean {}, highest{at}.", quantity::named(metric).title);
    }
    let takes = latency(cell, "completion_latency", &at);
    let is_knee = |finding: &&Finding| finding.ask.starts_with("knee ") && finding.metric == metric;
    let Some(knee) = study.findings.iter().find(is_knee) else {
        return format!("The most reads are served{at}.{takes}");
    };
    let Some(point) = knee.level.as_ref().and_then(|level| level.point) else {
        return format!("The most{at}; whether fewer in flight are enough is not decided.{takes}");
    };
    let (name, factor) = wording::factor(knee, plan);
    let enough = wording::level(point, factor);
    // Every level is told by its ratio to the best one, which is 1 of the best itself.
    let is_best = |(level, ratio): &(String, Estimate)| {
        *level == format!("{name}={enough}") && ratio.point == Some(1.0)
    };
    if knee.by_cell.iter().any(is_best) {
        return format!(
            "{enough} in flight give most, and no fewer are proven to come within 5 % of it.{takes}"
        );
    }
    format!("{enough} in flight give all this disk has, to within 5 %.{takes}")
}

/// Percentiles of a latency: each is a mean over trials, so none is what half of all operations stayed below.
fn latency(cell: &Cell, family: &str, at: &str) -> String {
    let percentile = |percentile: &str| {
        let name = format!("{family}_{percentile}_us");
        let mean = &cell.figures.get(&name)?.mean;
        mean.point?;
        Some(format!("{percentile} {}", quantity::with_interval(mean, quantity::named(&name).unit)))
    };
    let told: Vec<String> = ["p50", "p99"].into_iter().filter_map(percentile).collect();
    if told.is_empty() {
        return String::new();
    }
    format!(" Latency{at}, means over trials: {}.", told.join("; "))
}

/// Comparisons that have plainer words than the names of their levels: subject, words before the ratio, words behind it.
const PLAIN: &[(&str, &str, &str)] = &[(
    "randread against read with cached_percentage = 0",
    "With nothing cached, a random page takes",
    "as long as the next page in order",
)];

/// What was found, in words. A ratio is told the way round in which it is above one.
pub(super) fn of_finding(finding: &Finding) -> String {
    let point = finding.ratio.as_ref().and_then(|ratio| ratio.point);
    let plain = PLAIN.iter().find(|(subject, _, _)| *subject == finding.subject);
    match (plain, point, finding.answer) {
        (Some((_, before, behind)), Some(point), Answer::Different) => {
            format!("{before} {} {behind}.", times_words(point))
        }
        _ => capitalised(&words(finding)),
    }
}

fn words(finding: &Finding) -> String {
    let named = quantity::named(&finding.metric);
    let told = sides(finding).zip(finding.ratio.as_ref());
    let (Some((sides, ratio)), false) = (told, finding.ask == LADDER) else {
        return brief(&finding.statement);
    };
    match finding.answer {
        Answer::Different => different(&sides, ratio, &named).unwrap_or_else(|| brief(&finding.statement)),
        Answer::Equivalent => {
            format!(
                "{}{} is the same within 5 % with {} and with {}.",
                sides.at, named.title, sides.level, sides.baseline
            )
        }
        Answer::Undecided => undecided(&sides, ratio, &named).unwrap_or_else(|| brief(&finding.statement)),
        Answer::NotAssessable => brief(&finding.statement),
    }
}

fn different(sides: &Sides<'_>, ratio: &Estimate, named: &Named) -> Option<String> {
    let point = ratio.point?;
    let (level, baseline, times) = if point < 1.0 {
        (sides.baseline, sides.level, 1.0 / point)
    } else {
        (sides.level, sides.baseline, point)
    };
    let title = &named.title;
    Some(format!("{}{title} with {level} is {} that with {baseline}.", sides.at, times_words(times)))
}

fn undecided(sides: &Sides<'_>, ratio: &Estimate, named: &Named) -> Option<String> {
    let (low, high) = ratio.interval?;
    Some(format!(
        "{}{} with {} is somewhere from {} to {} that with {}: not decided.",
        sides.at,
        named.title,
        sides.level,
        times_words(low),
        times_words(high),
        sides.baseline
    ))
}

fn times_words(times: f64) -> String {
    format!("{}×", quantity::round_figure(times, Unit::Count))
}

/// A sentence's first letter; names as `wal_layout`, and levels as in `fdatasync: entries/s …`, keep theirs.
fn capitalised(sentence: &str) -> String {
    let first_word = sentence.split(' ').next().unwrap_or_default();
    let mut rest = sentence.chars();
    match rest.next() {
        Some(first) if !first_word.contains(['_', ':']) => first.to_uppercase().chain(rest).collect(),
        Some(_) | None => sentence.to_owned(),
    }
}

/// The two sides of a comparison, and where it was asked.
pub(super) struct Sides<'a> {
    pub(super) at: String,
    pub(super) level: &'a str,
    pub(super) baseline: &'a str,
}

/// A subject such as `dsync against fdatasync with cached_percentage = 0`.
pub(super) fn sides(finding: &Finding) -> Option<Sides<'_>> {
    let (level, rest) = finding.subject.split_once(" against ")?;
    let (baseline, at) =
        rest.split_once(" with ").map_or((rest, None), |(baseline, at)| (baseline, Some(at)));
    let at = at.map_or_else(String::new, |at| format!("At {at}, "));
    Some(Sides { at, level, baseline })
}

/// A statement without the proof that stands in brackets, and without what follows its first clause.
pub(super) fn brief(statement: &str) -> String {
    let mut text = String::with_capacity(statement.len());
    let mut rest = statement;
    while let Some((before, after)) = rest.split_once(" (") {
        text.push_str(before);
        let Some((inside, behind)) = after.split_once(')') else {
            rest = "";
            break;
        };
        let is_proof =
            ["interval", " round", " level", " cell", "p ="].iter().any(|word| inside.contains(word));
        if !is_proof {
            text.push_str(" (");
            text.push_str(inside);
            text.push(')');
        }
        rest = behind;
    }
    text.push_str(rest);
    let end = [": the data decide", "; it depends on", "; the ratio depends", "; real, and"]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min();
    let clause = end.map_or(text.as_str(), |end| &text[..end]);
    let first = clause.split_once(". ").map_or(clause, |(first, _)| first);
    format!("{}.", first.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_loses_its_proof_and_keeps_its_meaning() {
        for (statement, said) in [
            (
                "direct: commits/s is 1.35× that of buffered (99.49 % simultaneous interval 0.774–2.36, 6 rounds, 1 cell): \
                 the data decide neither a difference nor equivalence within 5 %; about 9 rounds in all would.",
                "direct: commits/s is 1.35× that of buffered.",
            ),
            (
                "Surviving power loss (as declared) costs 830× in entries/s (99 % interval 800–860, 6 rounds, 1 cell): from \
                 pwrite (class process) to fdatasync (class power), 520 000/s become 630/s.",
                "Surviving power loss (as declared) costs 830× in entries/s: from pwrite (class process) to fdatasync \
                 (class power), 520 000/s become 630/s.",
            ),
            ("An open bracket (6 rounds", "An open bracket."),
            ("Plain", "Plain."),
        ] {
            assert_eq!(brief(statement), said);
        }
    }
}
