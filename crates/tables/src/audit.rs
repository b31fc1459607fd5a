//! A table judged: every check, and for every number of every row whether it can be believed.

use crate::advice::GIVE_A_ROLE;
use crate::report::{Applied, Belief, NumberReport, Report, RowReport};
use crate::shared_text::SharedText;
use crate::table::Table;
use crate::unstated;
use laws::{Claim, DISK_LAWS, Judgement, LAWS, Law, Looks, Number, NumberKind, Reading};
use std::collections::BTreeSet;
use verdict::{Audit, Scope};

/// Every check with the roles it needs, for help.
pub fn check_help() -> Vec<(&'static str, &'static str)> {
    LAWS.iter().map(|law| (law.name, law.needs)).collect()
}

/// Judges a table, and the figures of disks in its page.
pub fn audit(table: &Table) -> Report {
    let (mut rows, mut audits) = judged(&table.rows, LAWS, "row");
    let (disks, of_disks) = judged(&table.disks, DISK_LAWS, "disk");
    rows.extend(disks);
    audits.extend(of_disks);
    let report = Report::new(table.source.clone(), remarks(table), rows, audits);
    Report { unstated: unstated::roles(table), ..report }
}

/// A judgement with the texts that many numbers share.
struct Told {
    judgement: Judgement,
    name: SharedText,
    advice: SharedText,
}

/// Holds laws against claims, if there are any.
fn judged(claims: &[Claim], laws: &[&'static Law], noun: &str) -> (Vec<RowReport>, Vec<Audit>) {
    if claims.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let tell = |law: &&'static Law| {
        let judgement = law.judge(claims, noun);
        Told { name: law.name.into(), advice: judgement.advice().into(), judgement }
    };
    let told: Vec<Told> = laws.iter().map(tell).collect();
    let mut by_claim: Vec<Vec<(&Told, &Reading)>> = vec![Vec::new(); claims.len()];
    for told in &told {
        for reading in &told.judgement.readings {
            by_claim[reading.claim].push((told, reading));
        }
    }
    let rows = claims.iter().zip(&mut by_claim).map(|(claim, readings)| {
        // Stable: laws that end alike stay in the list's order.
        readings.sort_by_key(|(_, reading)| reading.status);
        row_report(claim, readings, laws.len())
    });
    let rows = rows.collect();
    (rows, told.into_iter().map(|told| to_audit(told.judgement)).collect())
}

fn to_audit(judgement: Judgement) -> Audit {
    Audit {
        name: judgement.law.name.to_owned(),
        status: judgement.status,
        advice: judgement.advice().to_owned(),
        about: if judgement.is_broken() { vec![Scope::Study] } else { Vec::new() },
        summary: judgement.summary,
        evidence: judgement.evidence,
        unassessed: Vec::new(),
    }
}

fn remarks(table: &Table) -> Vec<String> {
    let mut remarks = table.remarks.clone();
    if !table.unknown_columns.is_empty() {
        let names: Vec<String> = table.unknown_columns.iter().map(|name| format!("\"{name}\"")).collect();
        let (noun, verb) = if names.len() == 1 { ("column", "is") } else { ("columns", "are") };
        remarks.push(format!("The {noun} {} {verb} left out: {GIVE_A_ROLE}", names.join(", ")));
    }
    remarks
}

fn row_report(row: &Claim, readings: &[(&Told, &Reading)], of: usize) -> RowReport {
    let numbers: Vec<NumberReport> =
        row.numbers().iter().map(|number| number_report(number, readings)).collect();
    let mut reasons = Vec::new();
    for (told, reading) in readings.iter().filter(|(_, reading)| reading.is_off()) {
        let reason = format!("{}: {}", told.name, reading.text);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let applied: BTreeSet<&str> = readings.iter().map(|(told, _)| &*told.name).collect();
    RowReport {
        label: row.label.clone(),
        place: row.place.clone(),
        checks: Applied { applied: applied.len(), of },
        belief: belief(row, &numbers),
        reasons,
        numbers,
    }
}

/// The worst of its numbers, if a check looked at one. A spread that nothing looked at leaves the row as its figures
/// are.
fn belief(row: &Claim, numbers: &[NumberReport]) -> Belief {
    let is_spread = |number: &Number| number.kind == NumberKind::Spread;
    let counts = |(number, report): &(&Number, &NumberReport)| {
        !(is_spread(number) && report.belief == Belief::Unchecked)
    };
    let names = row.numbers();
    let judged = || names.iter().zip(numbers).filter(counts).map(|(_, report)| report.belief);
    match judged().min() {
        Some(Belief::Unchecked) if judged().max() == Some(Belief::CanBeBelieved) => Belief::PartlyChecked,
        Some(belief) => belief,
        None => Belief::Unchecked,
    }
}

fn number_report(number: &Number, readings: &[(&Told, &Reading)]) -> NumberReport {
    let about = || readings.iter().filter(|(_, reading)| reading.concern.covers(number));
    let worst = about().next().filter(|(_, reading)| reading.is_off());
    let is_checked = about().any(|(told, _)| told.judgement.law.looks == Looks::AtFigures);
    let unobjected = if is_checked { Belief::CanBeBelieved } else { Belief::Unchecked };
    let mut objecting: Vec<SharedText> =
        about().filter(|(_, reading)| reading.is_off()).map(|(told, _)| told.name.clone()).collect();
    objecting.dedup();
    NumberReport {
        name: number.name.clone(),
        figure: number.text.clone(),
        belief: worst.map_or(unobjected, |(_, reading)| Belief::from_status(reading.status)),
        checks: objecting,
        advice: worst.map(|(told, _)| told.advice.clone()).unwrap_or_default(),
    }
}
