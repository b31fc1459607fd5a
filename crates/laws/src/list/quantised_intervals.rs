//! Standard deviations and interval half widths that can only be a power of two times a constant: the mark of an
//! integer square root that returns nothing else. Every interval of page 000 is t·2ᵏ/√3.

use crate::claim::{Claim, Figure, Spread};
use crate::law::{Law, LawResult, Looks, Reads, Told};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use model::figure::count;
use stats::quantised::{Quantised, VALUES_MIN, quantised};
use std::collections::{BTreeMap, BTreeSet};

/// Figures that were rounded more coarsely than this share of themselves tell nothing of their constant.
const ROUNDING_MAX: f64 = 0.05;
/// Chance of smooth figures lying like that, below which it is reported.
const WARN_BELOW: f64 = 1e-3;
/// The same, below which no other explanation is left.
const FAIL_BELOW: f64 = 1e-6;
/// Different powers that a finding needs: two figures may be a factor of two apart.
const POWERS_MIN: usize = 3;
/// Distance from t·2ᵏ/√n in log₂ that still counts as agreement: published figures are truncated.
const CONSTANT_WITHIN: f64 = 0.01;
/// Figures that a sentence lists.
const FIGURES_TOLD: usize = 8;
/// Smaller chances are reported as this one.
const CHANCE_TOLD_MIN: f64 = 1e-30;

/// Quantiles of Student's t for a 95 % interval by n = 2, 3, … Source: NIST/SEMATECH e-Handbook 1.3.6.7.2.
const STUDENT: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

const HELD: &str = "{} are distributed like those of real data, not as powers of two.";
const BROKEN: &str = "{} can only be powers of two times a constant.";
/// Spreads of the operations' latencies, which have no column of their own in some formats.
const LATENCY_SD: &str = "latency sd";

#[derive(Default)]
struct Group<'a> {
    /// Index of the claim, name of the number, figure.
    figures: Vec<(usize, &'a str, Figure)>,
}

pub const LAW: Law = Law {
    name: "quantised-intervals",
    looks: Looks::AtFigures,
    needs: "half_width_of_COLUMN or sd_of_COLUMN",
    held: HELD,
    broken: BROKEN,
    advice: "Do not use these intervals or comparisons that rest on them: compute them again from the runs, \
        in floating point.",
    lacking: "No interval and no standard deviation is published.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let groups = groups(claims);
    let usable: Vec<(&String, Vec<f64>, &Group<'_>)> =
        groups.iter().map(|(name, group)| (name, distinct(group), group)).collect();
    let mut found_groups: Vec<(&Group<'_>, f64, String)> = Vec::new();
    let mut condemned: BTreeMap<(usize, String), Status> = BTreeMap::new();
    let mut examined: BTreeSet<(usize, String)> = BTreeSet::new();
    for (name, values, group) in usable {
        if values.len() < VALUES_MIN {
            continue;
        }
        let numbers = || group.figures.iter().map(|(claim, name, ..)| (*claim, (*name).to_owned()));
        examined.extend(numbers());
        if let Some((status, found)) = judge(&values) {
            found_groups.push((group, found.probability_smooth, sentence(claims, name, &values, &found)));
            for number in numbers() {
                let known = condemned.entry(number).or_insert(status);
                *known = status.min(*known);
            }
        }
    }
    if examined.is_empty() {
        let has_any = groups.values().any(|group| !group.figures.is_empty());
        let summary = "Fewer than four different spreads of a kind that are printed with two digits or more."
            .to_owned();
        let told = has_any.then(|| Told { status: Status::NotAssessable, summary, evidence: Vec::new() });
        return LawResult { told, ..LawResult::default() };
    }
    let status = condemned.values().min().copied().unwrap_or(Status::Pass);
    let summary = if status == Status::Pass {
        HELD.replace("{}", &count(examined.len(), "spread"))
    } else {
        BROKEN.replace("{}", &count(condemned.len(), "published spread"))
    };
    let mut by_claim: BTreeMap<(usize, Status), BTreeSet<String>> = BTreeMap::new();
    for number in examined {
        let status = condemned.get(&number).copied().unwrap_or(Status::Pass);
        by_claim.entry((number.0, status)).or_default().insert(number.1);
    }
    let reading = |((claim, status), names)| {
        let text = "its column holds only powers of two times a constant".to_owned();
        Reading::new(Concern::Names(names), status, text).of(claim)
    };
    let readings = by_claim.into_iter().map(reading).collect();
    let told = Some(Told { status, summary, evidence: told(found_groups) });
    LawResult { readings, notes: Vec::new(), told }
}

/// The sentences, without those of columns that their unit's sentence tells with more certainty.
fn told(found: Vec<(&Group<'_>, f64, String)>) -> Vec<String> {
    let is_told = |group: &Group<'_>, chance: f64| {
        found.iter().any(|(other, other_chance, _)| {
            other.figures.len() > group.figures.len()
                && *other_chance <= chance
                && group.figures.iter().all(|figure| other.figures.contains(figure))
        })
    };
    let kept: Vec<bool> = found.iter().map(|(group, chance, _)| !is_told(group, *chance)).collect();
    found.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|((.., sentence), _)| sentence).collect()
}

/// Spreads that may share a constant: those of one column, and those of one unit.
fn groups(claims: &[Claim]) -> BTreeMap<String, Group<'_>> {
    let mut groups: BTreeMap<String, Group<'_>> = BTreeMap::new();
    for (claim, published) in claims.iter().enumerate() {
        let mut add = |group: String, name, figure| {
            groups.entry(group).or_default().figures.push((claim, name, figure));
        };
        if let Some(sd) = published.latency.sd_ns {
            add(LATENCY_SD.to_owned(), LATENCY_SD, published.figure(LATENCY_SD, sd));
        }
        for estimate in &published.estimates {
            if let Some(Spread { column, figure, .. }) = &estimate.spread {
                add(column.clone(), column, *figure);
                add(format!("all in {}", unit(&estimate.column)), column, *figure);
            }
        }
    }
    groups
}

/// The unit that a column's name ends with: `µs` of `sync_p50_us`.
fn unit(column: &str) -> &'static str {
    match column.rsplit_once('_').map(|(_, unit)| unit) {
        Some("ns") => "ns",
        Some("us") => "µs",
        Some("ms") => "ms",
        Some("s") => "per second or seconds",
        _ => "plain numbers",
    }
}

/// Figures that say something of a constant, each once: a figure that is printed twice is not a second witness.
fn distinct(group: &Group<'_>) -> Vec<f64> {
    let tells =
        |figure: &Figure| figure.value > 0.0 && figure.value.is_finite() && figure.relative() <= ROUNDING_MAX;
    let figures = group.figures.iter().map(|(_, _, figure)| *figure);
    let mut values: Vec<f64> = figures.filter(tells).map(|figure| figure.value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

fn judge(values: &[f64]) -> Option<(Status, Quantised)> {
    let found = quantised(values)?;
    let powers: BTreeSet<i32> = found.powers.iter().copied().collect();
    if powers.len() < POWERS_MIN || found.probability_smooth >= WARN_BELOW {
        return None;
    }
    let status = if found.probability_smooth < FAIL_BELOW { Status::Fail } else { Status::Warn };
    Some((status, found))
}

/// The finding in words: figures, constant, powers, and where the constant comes from.
fn sentence(claims: &[Claim], name: &str, values: &[f64], found: &Quantised) -> String {
    let listed: Vec<String> = values.iter().take(FIGURES_TOLD).map(ToString::to_string).collect();
    let more = if values.len() > FIGURES_TOLD { ", …" } else { "" };
    let (constant, finer, why) = origin(claims, values).unwrap_or((found.constant, 1.0, String::new()));
    let powers: BTreeSet<i32> =
        values.iter().map(|value| (value * finer / constant).log2().round() as i32).collect();
    let powers: Vec<String> = powers.iter().map(ToString::to_string).collect();
    let divided = if finer > 1.0 { format!("/{finer}") } else { String::new() };
    format!(
        "{name}: {}{more} are {constant:.3}·2^k{divided} with k = {}{why}. {} \
         smooth figures lie like that with a chance of {:.0e}.",
        listed.join(", "),
        powers.join(", "),
        values.len(),
        found.probability_smooth.max(CHANCE_TOLD_MIN),
    )
}

/// Where the constant comes from, if it is t/√n: the constant, how much finer the unit was that it was computed in,
/// and the words. The largest figure decides: it was rounded least.
fn origin(claims: &[Claim], values: &[f64]) -> Option<(f64, f64, String)> {
    let counts: BTreeSet<u64> = claims.iter().filter_map(|claim| claim.n).collect();
    let (Some(&n), 1) = (counts.first(), counts.len()) else { return None };
    let student = *STUDENT.get(usize::try_from(n).ok()?.checked_sub(2)?)?;
    let constant = student / (n as f64).sqrt();
    let largest = values.last()?;
    let off = |finer: &f64| {
        let turn = (largest * finer / constant).log2();
        (turn - turn.round()).abs()
    };
    let finer = [1.0, 1e3, 1e6].into_iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
    let unit = if finer > 1.0 { format!(", in a unit {finer} times finer") } else { String::new() };
    let why = format!(
        ": t/√n is {constant:.3} for n = {n} (t = {student}){unit}, so the deviations are powers of two, as an \
         integer square root gives that returns nothing else"
    );
    (off(&finer) <= CONSTANT_WITHIN).then_some((constant, finer, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn quantised_intervals() {
        let table = |half_widths: &[f64]| {
            let rows: Vec<String> = half_widths.iter().map(|half| format!("1000,{half},3\n")).collect();
            format!("iops,iops_ci,n\n{}", rows.concat())
        };
        let page = |k: i32| (4.303 * 2f64.powi(k) / 3f64.sqrt()).trunc();
        let quantised = [page(10), page(14), page(12), page(15), page(13), page(10)];
        check(
            &LAW,
            &table(&quantised),
            Status::Fail,
            "2.484·2^k with k = 10, 12, 13, 14, 15: t/√n is 2.484 for n = 3",
        );
        check(&LAW, &table(&[1301.0, 4107.0, 2903.0, 7702.0, 3600.0]), Status::Pass, "not as powers of two");
        check(
            &LAW,
            &table(&[2544.0, 2544.0, 5088.0, 10176.0]),
            Status::NotAssessable,
            "Fewer than four different",
        );
        // Small whole numbers are powers of two often enough.
        check(&LAW, &table(&[1.0, 2.0, 4.0, 8.0]), Status::NotAssessable, "two digits");
        check(&LAW, "iops\n5\n", Status::NotAssessable, "No interval");
    }
}
