//! One study on the page: question, answer, method, figures, findings, audits.

use crate::{facts, quantity, records, wording};
use model::plan::StudyPlan;
use model::run::Run;
use model::units::{format_bytes, format_bytes_approximate};
use page::markdown::Lines;
use page::markdown::text;
use std::collections::{BTreeMap, BTreeSet};
use verdict::study::{class_heading, dependences, extent, noise_floors};
use verdict::{Answer, Cell, Finding, Status, StudyVerdict};

/// Writes the section.
pub(super) fn section(page: &mut Lines, run: &Run, study: &StudyVerdict, plan: Option<&StudyPlan>) {
    page.heading(2, &format!("{}: {}", study.name, study.question));
    page.paragraph(&text(&study.answer_text()));
    page.paragraph(&text(&extent(study, plan)));
    for failure in &study.failures {
        page.item(0, &format!("not measured: {}", text(failure)));
    }
    figures(page, study);
    findings(page, study);
    audits(page, study);
    method(page, run, plan);
}

/// The metrics of the asks by configuration, with separate tables for arms of different durability.
fn figures(page: &mut Lines, study: &StudyVerdict) {
    page.heading(3, "Figures");
    let groups = study.by_durability();
    for group in &groups {
        if groups.len() > 1 {
            page.paragraph(&text(&class_heading(group)));
        }
        table(page, study, &group.cells);
    }
    let mut notes = vec![
        "Mean ± half the width of its 95 % t interval over n trials (never over operations).".to_owned(),
    ];
    let cut = quantity::cut(wording::means(study, &study.asked));
    notes.extend(cut.map(|cut| format!("In brackets {cut}.")));
    if study.cells.iter().any(|cell| !cell.against_reference.is_empty()) {
        notes.push(format!("÷ is the {}.", wording::AGAINST_REFERENCE));
    }
    page.paragraph(&notes.join(" "));
    let reasons = wording::reasons(study, &study.asked);
    let reasons: Vec<String> = reasons.iter().map(|reason| format!("Without ±: {}.", text(reason))).collect();
    if !reasons.is_empty() {
        page.paragraph(&reasons.join(" "));
    }
}

fn table(page: &mut Lines, study: &StudyVerdict, cells: &[&Cell]) {
    let named: Vec<_> = study.asked.iter().map(|name| (name, quantity::named(name))).collect();
    let mut headings: Vec<String> = study.factors.clone();
    headings.push("n".to_owned());
    let has_ratio = |name: &str| study.cells.iter().any(|cell| cell.against_reference.contains_key(name));
    for (name, named) in &named {
        headings.push(named.heading());
        headings.extend(has_ratio(name).then(|| format!("{} ÷ reference of the class", named.title)));
    }
    let numbers: Vec<usize> = (study.factors.len()..headings.len()).collect();
    let row = |cell: &&Cell| {
        let mut row: Vec<String> = cell.levels.clone();
        row.resize(study.factors.len(), String::new());
        row.push(cell.n.to_string());
        for (name, named) in &named {
            let mean = cell.figures.get(*name).map(|found| &found.mean);
            row.push(mean.map_or_else(|| "–".to_owned(), |mean| quantity::plus_minus_text(mean, named.unit)));
            row.extend(has_ratio(name).then(|| wording::against_reference(cell, name)));
        }
        row
    };
    page.table(&headings, &numbers, &cells.iter().map(row).collect::<Vec<_>>());
}

fn findings(page: &mut Lines, study: &StudyVerdict) {
    page.heading(3, "Findings");
    if study.findings.is_empty() {
        page.paragraph("This study asks nothing, or has no records yet.");
    }
    // A sentence that explains or limits several findings is printed with the first of them.
    let mut said: BTreeSet<String> = BTreeSet::new();
    for finding in &study.findings {
        let word = match finding.answer() {
            Answer::Different | Answer::Equivalent if study.failed_for(finding).next().is_some() => {
                "doubtful"
            }
            Answer::Different | Answer::Equivalent if study.unproven(finding).next().is_some() => {
                "not proven"
            }
            Answer::Different => "different",
            Answer::Equivalent => "equivalent",
            Answer::Undecided => "undecided",
            Answer::NotAssessable => "not assessable",
        };
        page.item(0, &format!("**{word}**: {}", text(&finding.statement())));
        page.item(1, &text(&finding.evidence()));
        sentences(page, finding, &mut said);
    }
    let conditions = wording::conditions(study);
    if !conditions.is_empty() {
        page.paragraph(&text(&format!("{}: {}.", wording::CONDITIONS, conditions.join("; "))));
    }
    noise(page, study);
}

fn noise(page: &mut Lines, study: &StudyVerdict) {
    let floors = noise_floors(study);
    if !floors.is_empty() {
        page.paragraph(&text(&format!("Noise floor (the baseline against itself): {}.", floors.join(", "))));
    }
    let dependences = dependences(study);
    if !dependences.is_empty() {
        page.paragraph(&text(&format!("Dependence between rounds: {}.", dependences.join("; "))));
    }
}

fn sentences(page: &mut Lines, finding: &Finding, said: &mut BTreeSet<String>) {
    let reasons = finding.counters().into_iter().map(|sentence| ("why", sentence));
    let limits = finding.limits().into_iter().map(|sentence| ("but", sentence));
    for (label, sentence) in reasons.chain(limits) {
        if said.insert(sentence.clone()) {
            page.item(1, &format!("{label}: {}", text(&sentence)));
        }
    }
}

fn audits(page: &mut Lines, study: &StudyVerdict) {
    page.heading(3, "Audits");
    let row = |audit: &verdict::Audit| {
        let word = match audit.status {
            Status::Fail => "FAIL",
            Status::Warn => "warn",
            Status::NotAssessable => "not assessable",
            Status::Pass => "pass",
            Status::NotApplicable => "not applicable",
        };
        vec![audit.name.clone(), word.to_owned(), audit.summary.clone()]
    };
    let headings = ["audit", "result", "what was found"].map(str::to_owned);
    page.table(&headings, &[], &study.audits.iter().map(row).collect::<Vec<_>>());
}

/// Factors, fixed parameters, and the files as they were verified.
fn method(page: &mut Lines, run: &Run, plan: Option<&StudyPlan>) {
    let Some(plan) = plan else { return };
    page.heading(3, "Method");
    let facts::Parameters { design, varied, fixed } = facts::parameters(plan);
    page.facts(&design);
    let row = |(name, levels): &(&str, Vec<String>)| vec![(*name).to_owned(), levels.join(", ")];
    page.table(&["varied".to_owned(), "levels".to_owned()], &[], &varied.iter().map(row).collect::<Vec<_>>());
    page.table(&["fixed".to_owned(), "value".to_owned()], &[], &fixed.iter().map(row).collect::<Vec<_>>());
    for excluded in &plan.excluded {
        page.item(0, &format!("left out: {}", text(excluded)));
    }
    files(page, run, plan);
}

/// Largest share of a file in the page cache and largest number of unwritten bytes, over all trials that know them.
type AtMost = (Option<f64>, Option<u64>);

/// Layout and cache, as verified before the trials.
fn files(page: &mut Lines, run: &Run, plan: &StudyPlan) {
    let mut found: BTreeMap<(&str, &str, u64), AtMost> = BTreeMap::new();
    let records = records::of_study(run, plan);
    for file in records.filter_map(|record| record.measurement.as_ref()).flat_map(|measured| &measured.files)
    {
        let (cached, unwritten) = found.entry((&file.role, &file.layout, file.size_bytes)).or_default();
        let most = |known: Option<f64>, share: f64| Some(known.map_or(share, |known| known.max(share)));
        if let Some(share) = file.cached_share_before.value() {
            *cached = most(*cached, *share);
        }
        *unwritten = (*unwritten).max(file.extents.value().map(|extents| extents.unwritten_bytes));
    }
    if found.is_empty() {
        return;
    }
    let headings = ["file", "layout", "size", "unwritten, at most", "in the page cache before, at most"];
    let unknown = || "unknown".to_owned();
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|((role, layout, size), (cached, unwritten))| {
            vec![
                (*role).to_owned(),
                (*layout).to_owned(),
                format_bytes(*size),
                unwritten.map_or_else(unknown, |bytes| format_bytes_approximate(bytes as f64)),
                cached.map_or_else(unknown, |share| format!("{:.1} %", share * 100.0)),
            ]
        })
        .collect();
    page.table(&headings.map(str::to_owned), &[2, 3, 4], &rows);
}
