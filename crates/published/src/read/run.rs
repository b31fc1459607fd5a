//! A run of Syncline's own.

use super::configurations::{Configurations, Trial};
use super::{ReadError, refuse_columns, with_constants};
use crate::mapping::Mapping;
use crate::table::Table;
use model::mechanism::Measured;
use model::run::Run;
use model::trial::{Measurement, Outcome, TrialRecord};

/// One row per configuration: the trials that ended well, warm-ups and the A/A arm's second trials left out. `mapping` may
/// say more of every row with `ROLE:VALUE`.
///
/// # Errors
/// [`ReadError`]: a mapping of columns, which a run does not have, or one whose values do not fit.
pub fn run(source: &str, run: &Run, mapping: &Mapping) -> Result<Table, ReadError> {
    refuse_columns(source, "a run has", mapping)?;
    let mut configurations = Configurations::default();
    for plan in &run.plan.studies {
        for record in run.of_study(plan) {
            let counts = record.outcome == Outcome::Ok
                && !record.warmup
                && !record.key.duplicate
                && record.key.round >= plan.warmup_rounds;
            if let Some(measurement) = record.measurement.as_ref().filter(|_| counts) {
                configurations.add(trial(run, record, measurement));
            }
        }
    }
    let mut remarks = run.remarks.clone();
    remarks.extend(configurations.left_out());
    let rows = configurations.rows();
    if rows.is_empty() {
        remarks.push("No trial of this run has ended well.".to_owned());
    }
    with_constants(Table { source: source.to_owned(), remarks, rows, ..Table::default() }, mapping)
}

fn trial(run: &Run, record: &TrialRecord, measurement: &Measurement) -> Trial {
    let mut trial = Trial {
        study: record.key.study.clone(),
        values: record.values.clone(),
        memory_bytes: Some(run.host.memory_bytes).filter(|bytes| *bytes > 0),
        ..Trial::default()
    };
    for phase in &measurement.phases {
        for (name, measured) in &phase.metrics {
            if let Measured::Value(value) = measured {
                trial.metrics.entry(name.clone()).or_insert(*value);
            }
        }
    }
    if let Some(phase) = measurement.phases.first() {
        trial.operations = Some(phase.operations);
        trial.duration_s = Some(phase.duration_s);
    }
    trial.file_bytes = measurement.files.iter().find(|file| file.role == "data").map(|file| file.size_bytes);
    trial
}
