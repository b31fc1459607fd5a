//! Results as documents: the JSON of a run, with its verdict and what follows from it, and the results that can be
//! published as pages.

use crate::analysis::shown_path;
use crate::arguments::DocumentFormat;
use crate::failure::Failure;
use crate::output;
use crate::page_file;
use advice::Advice;
use fleet::scaling::ScalingOf;
use model::printable;
use model::run::Run;
use ratings::{Rating, ratings};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verdict::Verdict;
use verdict::explanation::Explanation;

/// Columns of a document in a file or a pipe.
const WIDTH: usize = 120;

/// What `run`, `check`, `report` and `export` print as JSON.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    #[serde(serialize_with = "model::path_text::serialize")]
    run: &'a Path,
    /// The page that was written.
    #[serde(
        serialize_with = "model::path_text::optional::serialize",
        skip_serializing_if = "Option::is_none"
    )]
    report: Option<PathBuf>,
    /// Figures, findings and audits.
    #[serde(flatten)]
    verdict: &'a Verdict,
    /// How good the disk is, question by question; their studies and configurations are places in `studies` and in the
    /// plan.
    ratings: Vec<Rating>,
    /// One entry for each database.
    advice: &'a [Advice],
    /// What all ranks of a shared run measured together.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    shared: &'a [ScalingOf],
    /// What the traced trials show.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    explanations: &'a [Explanation],
}

impl<'a> Document<'a> {
    /// The document of this run in this directory.
    pub(crate) fn new(
        run: &Run,
        directory: &'a Path,
        report: Option<&Path>,
        verdict: &'a Verdict,
        advice: &'a [Advice],
    ) -> Self {
        Self {
            run: shown_path(run, directory),
            report: report.map(|page| shown_path(run, page).to_owned()),
            verdict,
            ratings: ratings(run, verdict),
            advice,
            shared: &[],
            explanations: &[],
        }
    }

    /// The same, with what all ranks measured together.
    pub(crate) fn with_shared(self, shared: &'a [ScalingOf]) -> Self {
        Self { shared, ..self }
    }

    /// The same, with what its traced trials show.
    pub(crate) fn with_explanations(self, explanations: &'a [Explanation]) -> Self {
        Self { explanations, ..self }
    }
}

/// Prints a result as one JSON document.
pub(crate) fn print(result: &impl Serialize) -> Result<ExitCode, Failure> {
    let text = serde_json::to_string_pretty(result).map_err(Failure::runtime)? + "\n";
    output::print_json(&text)
}

/// Prints a result in a format, and writes it as a page if the user named a file for it.
pub(crate) fn publish(
    result: &impl Serialize,
    document: &page::Document,
    format: DocumentFormat,
    html: Option<&Path>,
) -> Result<(), Failure> {
    match format {
        DocumentFormat::Text => {
            let colour = output::appearance().colour;
            output::print_rendered(&page::terminal::document(document, output::width(WIDTH), colour))
        }
        DocumentFormat::Json => print(result),
        DocumentFormat::Markdown => output::print_rendered(&page::markdown::document(document)),
    }?;
    let Some(path) = html else { return Ok(()) };
    page_file::write(path, &report::page(document))?;
    if format == DocumentFormat::Text {
        output::print(&format!("\nPage: {}\n", printable(&path.display().to_string())))?;
    }
    Ok(())
}
