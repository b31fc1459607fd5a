//! `syncline report RUN`: everything right of the records, rebuilt from them.

use crate::analysis::shown;
use crate::arguments::ReportArguments;
use crate::command::prove;
use crate::failure::Failure;
use crate::publish::{publish, publish_page};
use lab::run_directory::RunFiles;
use std::process::ExitCode;

/// Reads the run, prints the summary, writes the report beside the records, or where the user wants it.
pub(crate) fn run(arguments: &ReportArguments) -> Result<ExitCode, Failure> {
    if let Some(reported) = prove::report(&arguments.run, arguments.format) {
        return reported;
    }
    let files = RunFiles::open(&arguments.run).map_err(Failure::runtime)?;
    let run = files.run().map_err(Failure::runtime)?;
    let run = shown(&run, arguments.redact)?;
    match &arguments.html {
        Some(page) => publish_page(&files, &run, page, arguments.format),
        None => publish(&files, &run, arguments.format),
    }
}
