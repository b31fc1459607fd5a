//! One section, translated by itself.

use super::extent::Existing;
use super::job::Job;
use super::load::{self, Pattern};
use super::read::Options;
use super::refusal::{Answer, Refusal};
use super::{block, extent, order, pause, rate, submission, syncs, verification};
use std::collections::BTreeSet;
use std::path::Path;

/// A translated section, and what decides whether it can run beside another.
#[derive(Clone)]
pub(super) struct Translated {
    pub(super) job: Job,
    pub(super) pattern: Pattern,
    /// The file that its jobs share.
    pub(super) filename: Option<String>,
    /// When the section and each of its copies begin, seconds.
    pub(super) begins_s: Vec<f64>,
    /// Sections with one keep to a ratio of operations.
    pub(super) flow_id: Option<String>,
}

/// Translates a section; all that is wrong with it is found.
pub(super) fn translate(
    options: &Options<'_>,
    exists: &dyn Fn(&Path) -> Existing,
) -> Result<Translated, Vec<Refusal>> {
    let section = options.section;
    let mut job = Job {
        name: options.text("name").unwrap_or(&section.name).to_owned(),
        section: section.name.clone(),
        line: section.line,
        values: Vec::new(),
        remarks: options.remarks(),
        directory: None,
    };
    let mut refusals = Vec::new();
    // What else is wrong with a section is found as if its pattern were fio's default.
    let pattern = keep(load::pattern(options, &mut job), &mut refusals).unwrap_or(Pattern::DEFAULT);
    keep(options.switch("stonewall"), &mut refusals);
    keep(submission::submission(options, &pattern, &mut job), &mut refusals);
    if let Some(block) = keep(block::block(options, &pattern, &mut job), &mut refusals) {
        let hole = keep(order::order(options, &pattern, block, &mut job), &mut refusals).unwrap_or(0);
        keep(extent::extent(options, &pattern, block, hole, exists, &mut job), &mut refusals);
        keep(rate::rate(options, &pattern, block, &mut job), &mut refusals);
    }
    keep(load::payload(options, &pattern, &mut job), &mut refusals);
    keep(syncs::syncs(options, &pattern, &mut job), &mut refusals);
    keep(pause::pause(options, &mut job), &mut refusals);
    keep(verification::verification(options, &pattern, &mut job), &mut refusals);
    keep(load::cache(options, &mut job), &mut refusals);
    if options.copies > 1 {
        job.remark(format!("{} equal sections run side by side as jobs of one", options.copies));
    }
    keep(flow(options, &mut job), &mut refusals);
    keep(options.time("startdelay"), &mut refusals);
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let mut seen = BTreeSet::new();
    job.remarks.retain(|remark| seen.insert(remark.clone()));
    Ok(Translated {
        job,
        pattern,
        filename: options.text("filename").map(str::to_owned),
        begins_s: options.begins_s.clone(),
        flow_id: options.text("flow_id").map(str::to_owned),
    })
}

/// The section's share of the operations: in fio each job has that of its section.
fn flow(options: &Options<'_>, job: &mut Job) -> Answer<()> {
    match options.count("flow")? {
        None | Some(0) => {}
        Some(flow) => job.set("flow", &flow.saturating_mul(options.jobs()?)),
    }
    Ok(())
}

fn keep<T>(answer: Answer<T>, refusals: &mut Vec<Refusal>) -> Option<T> {
    match answer {
        Ok(value) => Some(value),
        Err(refusal) => {
            refusals.push(refusal);
            None
        }
    }
}
