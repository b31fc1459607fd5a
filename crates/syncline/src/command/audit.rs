//! `syncline audit FILE`: which numbers of a published result can be believed.

use crate::analysis;
use crate::arguments::{AuditArguments, ResultFormat};
use crate::document;
use crate::failure::{EXIT_AUDIT_FAILED, Failure};
use crate::input_file;
use crate::output;
use lab::run_directory::RunFiles;
use published::{Mapping, Report};
use std::process::ExitCode;
use verdict::Status;

const WIDTH: usize = 100;

/// Reads, judges, prints; the exit code says whether a check failed.
pub(crate) fn run(arguments: &AuditArguments) -> Result<ExitCode, Failure> {
    let report = judge(arguments)?;
    match arguments.format {
        ResultFormat::Json => document::print(&report)?,
        ResultFormat::Text => {
            let colour = output::appearance().colour;
            output::print_rendered(&report::published_table(&report, WIDTH, colour))?
        }
    };
    Ok(exit_code(&report))
}

/// A run by its own audits, anything else by the checks of published tables.
fn judge(arguments: &AuditArguments) -> Result<Report, Failure> {
    let path = &arguments.file;
    let source = path.display().to_string();
    let mapping = Mapping::parse(&arguments.columns).map_err(Failure::Usage)?;
    if path.is_dir() {
        if !mapping.is_empty() {
            let what = "a run has no columns to map: leave out --columns";
            return Err(Failure::Usage(format!("{source}: {what}")));
        }
        let files = RunFiles::open(path).map_err(Failure::usage)?;
        let run = files.run().map_err(Failure::usage)?;
        return Ok(published::own_run(&source, &run, &analysis::judge(&files, &run)));
    }
    let bytes = input_file::read(path, published::BYTES_MAX as u64)
        .map_err(|error| Failure::Usage(format!("{source}: cannot read the published result: {error}")))?;
    let table = published::read(&source, &bytes, &mapping).map_err(Failure::usage)?;
    Ok(published::audit(&table))
}

fn exit_code(report: &Report) -> ExitCode {
    if report.audits.iter().any(|audit| audit.status == Status::Fail) {
        ExitCode::from(EXIT_AUDIT_FAILED)
    } else {
        ExitCode::SUCCESS
    }
}
