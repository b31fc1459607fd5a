//! CSV for Apache Otava, which looks for change points in a history of runs: a header and one line, so that the lines
//! of many runs under one header are that history.

use super::tracked;
use model::printable;
use model::run::Run;
use verdict::{Status, StudyVerdict, Verdict};

/// Renders a run as one line: its time, the version, the host, the audits that failed, and for each figure its mean and
/// the ends of its interval (columns that end in ` low` and ` high`).
///
/// A figure that is missing is `nan`, which Otava reads; it refuses an empty cell.
pub fn otava(run: &Run, verdict: &Verdict) -> String {
    let mut header = ["time", "version", "host", "failed_audits"].map(str::to_owned).to_vec();
    let plan = &run.plan;
    let mut line =
        vec![plan.created_at.clone(), plan.program_version.clone(), run.host.name.clone(), failed(verdict)];
    let text = |value: Option<f64>| value.map_or_else(|| "nan".to_owned(), |value| value.to_string());
    for figure in tracked(run, verdict) {
        let name = format!("{} {}", figure.benchmark(), figure.metric.name());
        let interval = figure.interval();
        line.extend([
            text(figure.value()),
            text(interval.map(|(low, _)| low)),
            text(interval.map(|(_, high)| high)),
        ]);
        header.extend([name.clone(), format!("{name} low"), format!("{name} high")]);
    }
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    for row in [header, line] {
        // Writing to memory cannot fail, and both rows are equally long.
        let cells = row.iter().map(|cell| printable(cell).into_owned());
        writer.write_record(cells).expect("memory takes equally long rows");
    }
    let bytes = writer.into_inner().expect("memory takes everything");
    String::from_utf8(bytes).expect("cells were text")
}

/// `commit: cold-cache; kv: drift`, or `none`.
fn failed(verdict: &Verdict) -> String {
    let of_study = |study: &StudyVerdict| {
        let failed = study.audits.iter().filter(|audit| audit.status == Status::Fail);
        failed.map(|audit| format!("{}: {}", study.name, audit.name)).collect::<Vec<_>>()
    };
    let failed: Vec<String> = verdict.studies.iter().flat_map(of_study).collect();
    if failed.is_empty() { "none".to_owned() } else { failed.join("; ") }
}
