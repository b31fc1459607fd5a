//! `syncline export RUN --format …`.

use crate::arguments::Format;
use crate::command::report::analyse;
use crate::failure::Failure;
use lab::run_directory;
use std::path::Path;
use std::process::ExitCode;

/// Writes the run's figures to standard output.
pub(crate) fn run(directory: &Path, format: Format) -> Result<ExitCode, Failure> {
    let run = run_directory::read(directory).map_err(Failure::runtime)?;
    let verdict = analyse(directory, &run);
    let text = match format {
        Format::Csv => report::csv_page_000(&run, &verdict).map_err(Failure::Runtime)?,
        Format::Long => report::csv_long(&run, &verdict),
        Format::Json => serde_json::to_string_pretty(&verdict).map_err(Failure::runtime)? + "\n",
    };
    crate::print(&text)
}
