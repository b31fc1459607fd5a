//! An answer in one plain sentence. What a finding says in full, with its interval and its proof, stands in its study.

use crate::quantity::{self, Named};
use model::metric::Unit;
use model::units::format_significant;
use verdict::{Answer, Cell, Estimate, Finding, StudyVerdict};

/// What the verdict calls the steps from one durability class to the next.
pub(super) const LADDER: &str = "durability ladder";

/// What was measured at a configuration, in words; `label` is what sets it apart from the others.
pub(super) fn of_figure(study: &StudyVerdict, cell: &Cell, metric: &str, label: &str) -> String {
    let mean = |name: &str| {
        let unit = quantity::named(name).unit;
        Some(quantity::round_figure(cell.figures.get(name)?.mean.point?, unit))
    };
    let latency = |family: &str| {
        let p50 = mean(&format!("{family}_p50_us"))?;
        let p99 =
            mean(&format!("{family}_p99_us")).map_or_else(String::new, |p99| format!(" and {p99} at p99"));
        Some(format!("{p50} at the median{p99}"))
    };
    let at = if label.is_empty() { String::new() } else { format!(" with {label}") };
    match metric {
        "commits_per_s" => {
            let promise = if cell.durability == "power" { ", each made durable before the next" } else { "" };
            let takes =
                latency("commit_latency").map_or_else(String::new, |takes| format!(": one takes {takes}"));
            format!("Commits one after another{promise}{at}{takes}.")
        }
        "iops" => {
            let takes = latency("completion_latency");
            let takes = takes.map_or_else(String::new, |takes| format!(" A read takes {takes} there."));
            let knee = study.findings.iter().find(|finding| finding.ask.starts_with("knee "));
            let Some(knee) = knee else { return format!("The most reads are served{at}.{takes}") };
            let enough = knee.level.as_ref().and_then(|level| level.point).map(format_significant);
            match enough {
                Some(enough) => format!("{enough} in flight give all this disk has, to within 5 %.{takes}"),
                None => format!("The most with {label}; whether fewer are enough is not decided.{takes}"),
            }
        }
        _ => format!("Mean {}{at}.", quantity::named(metric).title),
    }
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

/// A sentence's first letter; names as `wal_layout` keep theirs.
fn capitalised(sentence: &str) -> String {
    let first_word = sentence.split(' ').next().unwrap_or_default();
    let mut rest = sentence.chars();
    match rest.next() {
        Some(first) if !first_word.contains('_') => first.to_uppercase().chain(rest).collect(),
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
