//! A run of Syncline's own, as its own audits judge it: they have the records, and know which configurations each of them is
//! about. The checks of published tables, which have to guess, are not made.

use crate::audit::{Applied, Belief, NumberReport, Report, RowReport};
use model::metric;
use model::plan::StudyPlan;
use model::run::Run;
use model::units::format_significant;
use verdict::{Audit, Cell, Status, StudyVerdict, Verdict, unproven};

/// What is known about a run's configurations.
pub fn own_run(source: &str, run: &Run, verdict: &Verdict) -> Report {
    let is_one = verdict.studies.len() == 1;
    let plan = |study: &StudyVerdict| run.plan.studies.iter().find(|plan| plan.name == study.name);
    let rows = verdict.studies.iter().flat_map(|study| {
        let plan = plan(study);
        study.cells.iter().map(move |cell| row(study, plan, cell))
    });
    let named = |study: &StudyVerdict, audit: &Audit| {
        let name = if is_one { audit.name.clone() } else { format!("{}: {}", study.name, audit.name) };
        Audit { name, ..audit.clone() }
    };
    let audits =
        verdict.studies.iter().flat_map(|study| study.audits.iter().map(move |audit| named(study, audit)));
    Report::new(
        source.to_owned(),
        verdict.remarks.iter().map(ToString::to_string).collect(),
        rows.collect(),
        audits.collect(),
    )
}

fn row(study: &StudyVerdict, plan: Option<&StudyPlan>, cell: &Cell) -> RowReport {
    let basis_of =
        |metric: &str| plan.map(|plan| study.basis(plan, cell.configuration, metric)).unwrap_or_default();
    let basis = basis_of(study.asked.first().map_or("", String::as_str));
    let objecting: Vec<&Audit> = study
        .audits
        .iter()
        .filter(|audit| matches!(audit.status, Status::Fail | Status::Warn) && audit.concerns(&basis))
        .collect();
    let worst = objecting.iter().min_by_key(|audit| audit.status);
    let belief = match worst {
        Some(audit) => Belief::from_status(audit.status),
        None if cell.n == 0 => Belief::Unchecked,
        None => Belief::CanBeBelieved,
    };
    // What an audit would have to say, and could not, is not checked.
    let of_number = |name: &str| {
        let is_open = unproven(&study.audits, &basis_of(name)).next().is_some();
        if is_open && belief == Belief::CanBeBelieved { Belief::Unchecked } else { belief }
    };
    let number = |name: &String| {
        let point = cell.figures.get(name)?.mean.point?;
        let unit = metric::find(name).map_or("", |metric| metric.family.unit.symbol());
        Some(NumberReport {
            name: name.clone(),
            figure: format!("{} {unit}", format_significant(point)).trim_end().to_owned(),
            belief: of_number(name),
            checks: objecting.iter().map(|audit| audit.name.clone()).collect(),
            advice: worst.map(|audit| audit.advice.clone()).unwrap_or_default(),
        })
    };
    RowReport {
        label: format!("{} {}", study.name, cell.label).trim_end().to_owned(),
        place: format!("configuration {}", cell.configuration + 1),
        belief: study.asked.first().map_or(belief, |name| of_number(name)),
        checks: Applied::among(&study.audits),
        reasons: objecting.iter().map(|audit| format!("{}: {}", audit.name, audit.summary)).collect(),
        numbers: study.asked.iter().filter_map(number).collect(),
    }
}
