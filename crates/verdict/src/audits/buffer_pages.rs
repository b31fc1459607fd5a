//! Whether the buffers' memory was of the configured kind: small pages, as most databases use, or huge ones, which make
//! large direct transfers up to twice as fast. Proven by smaps after the trial used it.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::phrase::percent;
use crate::verdict::Status;
use model::BufferPages;
use model::buffer::BUFFER_PAGES;

/// The minimum share of huge pages: if memory is fragmented, the kernel may back the rest of the buffers with small
/// pages.
const HUGE_AT_LEAST: f64 = 0.95;

pub(super) const CHECK: Check = Check {
    name: "buffer-pages",
    bearing,
    moot: "No figure depends on the memory behind the buffers.",
    judge: check,
};

/// The cost of a transfer depends on the pages that it goes to, if the buffers are Syncline's own.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    if !used.description.owns_buffers || !used.depends_on_storage() {
        return None;
    }
    Some(if used.compares(BUFFER_PAGES) { Bearing::Required } else { Bearing::Limiting })
}

fn check(context: &Context<'_>) -> Judgement {
    // The counts of smaps do not vary by chance.
    let tally = Tally::read(context, Rule::AnyTrial, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass("The buffers had the configured kind of pages in every trial."),
        Status::NotAssessable | Status::NotApplicable => Judgement::not_assessable(not_known(context)),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!("The buffers did not have the configured kind of pages in {}.", tally.share()),
            "Free memory or compact it (write 1 to /proc/sys/vm/compact_memory), raise memory_cap, or set buffer_pages \
             = small.",
        ),
    };
    tally.tell(judgement)
}

fn read(trial: &Trial<'_>) -> Option<Reading> {
    let found = trial.record.measurement.as_ref()?.buffers.as_ref()?.value()?;
    let huge = found.huge_share()?;
    Some(match trial.description.buffer_pages? {
        BufferPages::Small => {
            let text = format!("configured small, {} of the buffers were in huge pages", percent(huge));
            Reading::judged(huge, 0.0, 0.0, text)
        }
        BufferPages::Huge => {
            let text = format!("configured huge, {} of the buffers were in huge pages", percent(huge));
            Reading::judged(1.0 - huge, 1.0 - HUGE_AT_LEAST, 1.0 - HUGE_AT_LEAST, text)
        }
    })
}

/// Why no trial could be judged, as a sentence.
fn not_known(context: &Context<'_>) -> String {
    let mut trials = context.trials.iter().flatten();
    let reason = trials.find_map(|trial| {
        let buffers = trial.record.measurement.as_ref()?.buffers.as_ref()?;
        Some(buffers.reason()?.to_owned())
    });
    let has = |holds: fn(&Trial<'_>) -> bool| context.trials.iter().flatten().any(holds);
    match reason {
        Some(reason) => format!("The kind of the buffers' pages is unknown: {reason}."),
        None if !has(|trial| trial.description.owns_buffers) => {
            "No buffer of these trials is Syncline's own: an engine, a server or a client has its own."
                .to_owned()
        }
        None if has(|trial| trial.description.buffer_pages.is_some()) => {
            "The trials recorded nothing about their buffers.".to_owned()
        }
        None => "The records are from a version that neither chose nor recorded the pages of its buffers."
            .to_owned(),
    }
}
