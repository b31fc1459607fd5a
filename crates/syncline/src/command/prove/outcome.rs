//! What a proof comes to: the page, the settings file and the document beside its stages, a summary, and the exit code.

use crate::arguments::ResultFormat;
use crate::document;
use crate::failure::{EXIT_REFUTED, EXIT_UNDECIDED, Failure};
use crate::output;
use crate::proofs::{ProofDirectory, concluded};
use model::printable;
use proof::Ending;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

const DOCUMENT: &str = "proof.json";
const PAGE: &str = "proof.html";
const WIDTH: usize = 100;

/// Analyses a proof and renders it; the exit code says whether every change is proven or harmless.
pub(super) fn publish(directory: &ProofDirectory, format: ResultFormat) -> Result<ExitCode, Failure> {
    let proof = concluded(directory)?;
    let text = serde_json::to_string_pretty(&proof).map_err(Failure::runtime)? + "\n";
    directory.write(DOCUMENT, &text)?;
    let page = directory.write(PAGE, &report::proof_html(&proof))?;
    let file = proof.design.database.settings_file;
    let settings = match proof::proven_settings(&proof) {
        Some(text) => Some(directory.write(file, &text)?),
        None => {
            directory.remove(file)?;
            None
        }
    };
    match format {
        ResultFormat::Json => document::print(&proof)?,
        ResultFormat::Text => {
            let mut text = report::proof(&proof, output::width(WIDTH), output::appearance().colour);
            let named = |path: &Path| printable(&path.display().to_string()).into_owned();
            if let Some(path) = settings {
                let _ = writeln!(text, "\nSettings: {}", named(&path));
            }
            let _ = writeln!(text, "Report: {}", named(&page));
            output::print_rendered(&text)?
        }
    };
    Ok(match proof.ending {
        Ending::Proven => ExitCode::SUCCESS,
        Ending::Refuted => ExitCode::from(EXIT_REFUTED),
        Ending::Undecided => ExitCode::from(EXIT_UNDECIDED),
    })
}
