//! The JSON document of a run: its verdict, and what follows from it.

use crate::failure::Failure;
use crate::output;
use advice::Advice;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verdict::Verdict;

/// What `run`, `check`, `report` and `export` print as JSON.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    /// The run directory.
    #[serde(serialize_with = "model::path_text::serialize")]
    pub(crate) run: &'a Path,
    /// The page that was written.
    #[serde(
        serialize_with = "model::path_text::optional::serialize",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) report: Option<PathBuf>,
    /// Figures, findings and audits.
    #[serde(flatten)]
    pub(crate) verdict: &'a Verdict,
    /// One entry for each database.
    pub(crate) advice: &'a [Advice],
}

/// Prints a result as one JSON document.
pub(crate) fn print(result: &impl Serialize) -> Result<ExitCode, Failure> {
    let text = serde_json::to_string_pretty(result).map_err(Failure::runtime)? + "\n";
    output::print_json(&text)
}
