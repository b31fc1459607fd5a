//! A table judged: every check, and for every number of every row whether it can be believed.

use crate::advice::GIVE_A_ROLE;
use crate::checks::{self, Judgement, Looks, Reading};
use crate::device_file;
use crate::report::{Applied, Belief, NumberReport, Report, RowReport};
use crate::shared_text::SharedText;
use crate::table::{Kind, Number, Row, Table};
use crate::unstated;
use std::collections::BTreeSet;
use verdict::{Audit, Status};

/// Judges a table, and the figures of disks in its page.
pub fn audit(table: &Table) -> Report {
    let (mut rows, mut audits) = if table.rows.is_empty() { (Vec::new(), Vec::new()) } else { judged(table) };
    if !table.disks.is_empty() {
        let (disks, checks) = device_file::judged(&table.disks);
        rows.extend(disks);
        audits.extend(checks);
    }
    let report = Report::new(table.source.clone(), remarks(table), rows, audits);
    Report { unstated: unstated::roles(table), ..report }
}

/// A judgement with the texts that many numbers share.
struct Told<'a> {
    judgement: &'a Judgement,
    name: SharedText,
    advice: SharedText,
}

impl<'a> Told<'a> {
    fn of(judgement: &'a Judgement) -> Self {
        let Audit { name, advice, .. } = &judgement.audit;
        Self { judgement, name: name.as_str().into(), advice: advice.as_str().into() }
    }
}

fn judged(table: &Table) -> (Vec<RowReport>, Vec<Audit>) {
    let judgements = checks::all(table);
    let rows = row_reports(table, &judgements);
    (rows, judgements.into_iter().map(|judgement| judgement.audit).collect())
}

fn row_reports(table: &Table, judgements: &[Judgement]) -> Vec<RowReport> {
    let told: Vec<Told<'_>> = judgements.iter().map(Told::of).collect();
    let mut by_row: Vec<Vec<(&Told<'_>, &Reading)>> = vec![Vec::new(); table.rows.len()];
    for told in &told {
        for reading in &told.judgement.readings {
            by_row[reading.row].push((told, reading));
        }
    }
    let rows = table.rows.iter().zip(&mut by_row).map(|(row, readings)| {
        // Stable: checks that end alike stay in the list's order.
        readings.sort_by_key(|(_, reading)| reading.status);
        row_report(row, readings, judgements.len())
    });
    rows.collect()
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

fn row_report(row: &Row, readings: &[(&Told<'_>, &Reading)], of: usize) -> RowReport {
    let numbers: Vec<NumberReport> =
        row.numbers().iter().map(|number| number_report(number, readings)).collect();
    let mut reasons = Vec::new();
    for (told, reading) in readings.iter().filter(|(_, reading)| objects(reading)) {
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

/// The worst of its numbers, if a check looked at one. A spread that nothing looked at leaves the row as its figures are.
fn belief(row: &Row, numbers: &[NumberReport]) -> Belief {
    let is_spread = |number: &Number| number.kind == Kind::Spread;
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

fn objects(reading: &Reading) -> bool {
    matches!(reading.status, Status::Warn | Status::Fail)
}

fn number_report(number: &Number, readings: &[(&Told<'_>, &Reading)]) -> NumberReport {
    let about = || readings.iter().filter(|(_, reading)| reading.concern.covers(number));
    let worst = about().next().filter(|(_, reading)| objects(reading));
    let is_checked = about().any(|(told, _)| told.judgement.looks == Looks::AtFigures);
    let unobjected = if is_checked { Belief::CanBeBelieved } else { Belief::Unchecked };
    let mut objecting: Vec<SharedText> =
        about().filter(|(_, reading)| objects(reading)).map(|(told, _)| told.name.clone()).collect();
    objecting.dedup();
    NumberReport {
        name: number.name.clone(),
        figure: number.text.clone(),
        belief: worst.map_or(unobjected, |(_, reading)| Belief::from_status(reading.status)),
        checks: objecting,
        advice: worst.map(|(told, _)| told.advice.clone()).unwrap_or_default(),
    }
}
