//! `syncline audit FILE`: which numbers of a published result can be believed; `syncline audit RUN`: the audits of a
//! run.

use crate::analysis;
use crate::arguments::{AuditArguments, ResultFormat};
use crate::document;
use crate::failure::{EXIT_AUDIT_FAILED, Failure};
use crate::input_file;
use crate::output;
use lab::run_directory::RunFiles;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use tables::Mapping;
use verdict::{Audit, Status};

const WIDTH: usize = 100;

/// The audits of a run.
#[derive(Serialize)]
struct RunAudits<'a> {
    /// The run directory.
    #[serde(serialize_with = "model::path_text::serialize")]
    run: &'a Path,
    studies: &'a [StudyAudits<'a>],
}

/// The audits of one study.
#[derive(Serialize)]
struct StudyAudits<'a> {
    name: &'a str,
    audits: &'a [Audit],
}

/// Reads, judges, prints; the exit code says whether an audit or a check failed.
pub(crate) fn run(arguments: &AuditArguments) -> Result<ExitCode, Failure> {
    let refused = |option: &'static str| move |why: String| Failure::Usage(format!("{option}: {why}"));
    let mut mapping = Mapping::parse(&arguments.columns).map_err(refused("--columns"))?;
    for column in &arguments.column {
        mapping.add_column(column).map_err(refused("--column"))?;
    }
    let is_run = arguments.file.is_dir() && !input_file::is_standard_input(&arguments.file);
    if is_run { audit_run(arguments, &mapping) } else { audit_file(arguments, &mapping) }
}

/// A run has audits of its own: they have its records, and know which configurations each of them is about.
fn audit_run(arguments: &AuditArguments, mapping: &Mapping) -> Result<ExitCode, Failure> {
    let path = &arguments.file;
    if !mapping.is_empty() {
        let what = "a run has no columns to map: leave out --columns";
        return Err(Failure::Usage(format!("{}: {what}", path.display())));
    }
    let files = RunFiles::open(path).map_err(Failure::usage)?;
    let verdict = analysis::judge(&files, &files.run().map_err(Failure::usage)?);
    let studies: Vec<StudyAudits<'_>> = verdict
        .studies
        .iter()
        .map(|study| StudyAudits { name: &study.name, audits: &study.audits })
        .collect();
    match arguments.format {
        ResultFormat::Json => document::print(&RunAudits { run: path, studies: &studies })?,
        ResultFormat::Text => output::print_rendered(&report::run_audits(
            &verdict,
            output::width(WIDTH),
            output::appearance().colour,
        ))?,
    };
    Ok(exit_code(studies.iter().flat_map(|study| study.audits)))
}

/// Anything else by the checks of published tables.
fn audit_file(arguments: &AuditArguments, mapping: &Mapping) -> Result<ExitCode, Failure> {
    let source = input_file::name(&arguments.file);
    let bytes = input_file::read_or_input(&arguments.file, tables::BYTES_MAX as u64)
        .map_err(|error| Failure::Usage(format!("{source}: cannot read the published result: {error}")))?;
    let report = tables::audit(&tables::read(&source, &bytes, mapping).map_err(Failure::usage)?);
    match arguments.format {
        ResultFormat::Json => document::print(&report)?,
        ResultFormat::Text => output::print_rendered(&report::published_table(
            &report,
            output::width(WIDTH),
            output::appearance().colour,
        ))?,
    };
    Ok(exit_code(&report.audits))
}

fn exit_code<'a>(audits: impl IntoIterator<Item = &'a Audit>) -> ExitCode {
    if audits.into_iter().any(|audit| audit.status == Status::Fail) {
        ExitCode::from(EXIT_AUDIT_FAILED)
    } else {
        ExitCode::SUCCESS
    }
}
