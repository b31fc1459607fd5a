//! `syncline audit FILE`: which numbers of a published result can be believed.

use crate::arguments::AuditArguments;
use crate::failure::{EXIT_AUDIT_FAILED, Failure};
use crate::input_file;
use lab::run_directory;
use published::{Mapping, Report, Table};
use std::io::IsTerminal;
use std::process::ExitCode;
use verdict::Status;

const WIDTH: usize = 100;

/// Reads, judges, prints; the exit code says whether a check failed.
pub(crate) fn run(arguments: &AuditArguments) -> Result<ExitCode, Failure> {
    let report = published::audit(&table(arguments)?);
    let text = if arguments.json {
        serde_json::to_string_pretty(&report).map_err(Failure::runtime)? + "\n"
    } else {
        report::published_table(&report, WIDTH, std::io::stdout().is_terminal())
    };
    crate::print(&text)?;
    Ok(exit_code(&report))
}

fn table(arguments: &AuditArguments) -> Result<Table, Failure> {
    let path = &arguments.file;
    let source = path.display().to_string();
    let mapping = Mapping::parse(&arguments.columns).map_err(Failure::Usage)?;
    if path.is_dir() {
        let run = run_directory::read(path).map_err(Failure::usage)?;
        return published::run(&source, &run, &mapping).map_err(Failure::usage);
    }
    let bytes = input_file::read(path, published::BYTES_MAX as u64)
        .map_err(|error| Failure::Usage(format!("{source}: cannot read the published result: {error}")))?;
    published::read(&source, &bytes, &mapping).map_err(Failure::usage)
}

fn exit_code(report: &Report) -> ExitCode {
    if report.audits.iter().any(|audit| audit.status == Status::Fail) {
        ExitCode::from(EXIT_AUDIT_FAILED)
    } else {
        ExitCode::SUCCESS
    }
}
