//! `syncline export RUN --format …`.

use crate::analysis::{analyse, explained, is_redacted, judge, shown};
use crate::arguments::Format;
use crate::document::{self, Document};
use crate::failure::Failure;
use crate::output;
use crate::proofs;
use crate::repeat;
use advice::advise;
use fleet::scaling::of_run;
use lab::run_directory::RunFiles;
use model::metric::Better;
use model::run::Run;
use report::Beside;
use std::path::Path;
use std::process::ExitCode;

/// Writes the run's figures to standard output.
pub(crate) fn run(directory: &Path, format: Format, redact: bool) -> Result<ExitCode, Failure> {
    let files = RunFiles::open(directory).map_err(Failure::runtime)?;
    let run = files.run().map_err(Failure::runtime)?;
    let run = shown(&run, redact)?;
    let judged = || judge(&files, &run);
    let without = |why: String| {
        Failure::Runtime(format!("{}: no file without its figures: {why}", directory.display()))
    };
    let text = match format {
        Format::Csv => report::csv_page_000(&run, &judged()).map_err(Failure::Runtime)?,
        Format::Long => report::csv_long(&run),
        Format::Fio => jobs(&run)?,
        Format::Otava => report::otava(&run, &judged()),
        Format::Bmf => report::bmf(&run, &judged()).map_err(&without)?,
        Format::Gab => report::github_action_benchmark(&run, &judged(), Better::Lower).map_err(&without)?,
        Format::GabBigger => {
            report::github_action_benchmark(&run, &judged(), Better::Higher).map_err(&without)?
        }
        Format::Junit => report::junit(&run, &judged()),
        Format::Prometheus => report::prometheus(&run, &judged()),
        Format::IoProperties => ratings::io_properties(&run, &judged()).map_err(&without)?,
        Format::CephMclock => ratings::ceph_mclock(&run, &judged()).map_err(&without)?,
        Format::IoCost => ratings::io_cost(&run, &judged()).map_err(&without)?,
        Format::Markdown => {
            let mut verdict = judged();
            let explanations = explained(&files, &run, &mut verdict)?;
            // A proof names paths, so a run that is shown without its names has none.
            let proof = if is_redacted(&run) { None } else { proofs::latest_in(files.path()) };
            let advice = advise(&run, &verdict);
            let advice = match &proof {
                Some(proof) => proof.settled(advice),
                None => advice,
            };
            let beside = Beside { proof: proof.as_ref(), explanations: &explanations, ..Beside::default() };
            report::markdown_with(&run, &verdict, &advice, beside, &repeat::commands(&run.plan))
        }
        Format::Json => {
            let mut verdict = analyse(&files, &run);
            let explanations = explained(&files, &run, &mut verdict)?;
            let advice = advise(&run, &verdict);
            let shared = of_run(&run, &files.shared().map_err(Failure::runtime)?);
            let document = Document::new(&run, directory, None, &verdict, &advice);
            return document::print(&document.with_shared(&shared).with_explanations(&explanations));
        }
    };
    output::print(&text)
}

/// A section for each configuration of the device workload.
fn jobs(run: &Run) -> Result<String, Failure> {
    let mut text = String::new();
    for plan in run.plan.studies.iter().filter(|plan| plan.workload == workload::device::SCHEMA.workload()) {
        for (index, values) in plan.configurations.iter().enumerate() {
            let name = values.text("arm").unwrap_or_else(|_| format!("{} {}", plan.name, plan.label(index)));
            let job = fio::export::job_file(name.trim_end(), values)
                .map_err(|why| Failure::Runtime(format!("{name}: cannot be a fio job: {why}")))?;
            text.push_str(&job);
            text.push('\n');
        }
    }
    if text.is_empty() {
        return Err(Failure::Runtime(
            "this run has no study of the workload device, which is the only one that fio can repeat"
                .to_owned(),
        ));
    }
    Ok(text)
}
