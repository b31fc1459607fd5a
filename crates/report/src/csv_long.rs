//! The long format: one line per trial and metric, for data frames.

use crate::records;
use model::printable_lines;
use model::run::Run;
use model::trial::{TrialOutcome, TrialRecord};
use std::collections::BTreeSet;

const KEY_COLUMNS: &[&str] = &["study", "round", "position", "warmup", "duplicate", "outcome", "block"];
const FIGURE_COLUMNS: &[&str] = &["phase", "metric", "unit", "value", "reason"];

/// Renders every trial × metric as CSV (RFC 4180, quoted if needed), with a column for each parameter.
///
/// A trial without figures (failed, killed, unsupported) has one line with an empty metric and the reason. Values are
/// printed so that they read back exactly. In names, characters that control a terminal or reorder a line are escaped.
/// Records that the plan does not have are left out, as in every other form of the report.
pub fn csv_long(run: &Run) -> String {
    let parameters: BTreeSet<&str> =
        records::of_plan(run).flat_map(|record| record.values.0.keys()).map(String::as_str).collect();
    let mut table = Table::new(KEY_COLUMNS.iter().chain(&parameters).chain(FIGURE_COLUMNS).copied());
    for record in records::of_plan(run) {
        let trial = trial_fields(record, &parameters);
        for figures in figures(record) {
            table.row(trial.iter().chain(&figures).map(String::as_str));
        }
    }
    table.finish()
}

/// A CSV text that grows row by row.
pub(crate) struct Table(csv::Writer<Vec<u8>>);

impl Table {
    /// One with these columns.
    pub(crate) fn new<'a>(columns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Self(csv::WriterBuilder::new().from_writer(Vec::new()));
        table.row(columns.into_iter());
        table
    }

    pub(crate) fn row<'a>(&mut self, fields: impl Iterator<Item = &'a str>) {
        // Writing to memory cannot fail, and every row has the header's length by construction.
        self.0
            .write_record(fields.map(|field| printable_lines(field).into_owned()))
            .expect("rows are equally long and memory takes them");
    }

    pub(crate) fn finish(self) -> String {
        // Flushing to memory cannot fail; the writer was only given text.
        let bytes = self.0.into_inner().expect("memory takes everything");
        String::from_utf8(bytes).expect("fields were text")
    }
}

fn trial_fields(record: &TrialRecord, parameters: &BTreeSet<&str>) -> Vec<String> {
    let outcome = match &record.outcome {
        TrialOutcome::Ok => "ok",
        TrialOutcome::Failed(_) => "failed",
        TrialOutcome::Unsupported(_) => "unsupported",
        TrialOutcome::Killed(_) => "killed",
    };
    let mut fields = vec![
        record.key.study.clone(),
        record.key.round.to_string(),
        record.position.to_string(),
        record.warmup.to_string(),
        record.key.duplicate.to_string(),
        outcome.to_owned(),
        record.key.block.to_string(),
    ];
    fields.extend(
        parameters.iter().map(|name| record.values.get(name).map(ToString::to_string).unwrap_or_default()),
    );
    fields
}

/// Phase, metric, unit, value and reason, one line for each metric; the outcome's reason if there are no metrics.
fn figures(record: &TrialRecord) -> Vec<[String; 5]> {
    let mut rows = Vec::new();
    for phase in record.measurement.iter().flat_map(|measurement| &measurement.phases) {
        for (name, measured) in &phase.metrics {
            rows.push([
                phase.name.clone(),
                name.clone(),
                unit(name).to_owned(),
                measured.value().map(ToString::to_string).unwrap_or_default(),
                measured.reason().unwrap_or_default().to_owned(),
            ]);
        }
    }
    if rows.is_empty() {
        let why = match &record.outcome {
            TrialOutcome::Ok => "no metrics in the record".to_owned(),
            TrialOutcome::Failed(why) | TrialOutcome::Unsupported(why) => why.clone(),
            TrialOutcome::Killed(seconds) => format!("killed at its deadline after {seconds:.1} s"),
        };
        rows.push([String::new(), String::new(), String::new(), String::new(), why]);
    }
    rows
}

/// The unit in words; empty for a metric that is not in the table.
fn unit(metric: &str) -> &'static str {
    model::metric::find(metric).map_or("", |found| found.family.unit.name())
}
