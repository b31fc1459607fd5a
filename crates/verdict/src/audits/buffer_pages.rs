//! Whether the memory behind the buffers was of the kind that the configuration says: small pages as most databases have,
//! or huge ones, which make large direct transfers up to twice as fast. Proven by smaps after the trial used it.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::phrase::percent;
use crate::verdict::Status;
use model::BufferPages;
use model::buffer::BUFFER_PAGES;

/// Of buffers in huge pages the kernel may leave this share small, where memory is too fragmented for the last.
const HUGE_AT_LEAST: f64 = 0.95;

pub(super) const CHECK: Check = Check {
    name: "buffer-pages",
    bearing,
    moot: "No figure depends on the memory behind the buffers.",
    judge: check,
};

/// What a transfer costs depends on the pages that it goes into, where the buffers are Syncline's own.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    if !used.description.owns_buffers || !used.depends_on_storage() {
        return None;
    }
    Some(if used.compares(BUFFER_PAGES) { Bearing::Required } else { Bearing::Limiting })
}

fn check(context: &Context<'_>) -> Judgement {
    // What smaps counts, no chance makes worse than it is.
    let tally = Tally::read(context, Rule::AnyTrial, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => {
            Judgement::pass("The buffers had the kind of pages that was asked for, in every trial.")
        }
        Status::NotAssessable | Status::NotApplicable => Judgement::not_assessable(not_known(context)),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!("The buffers had other pages than the configuration says in {}.", tally.share()),
            "Free memory or compact it (write 1 to /proc/sys/vm/compact_memory), raise memory_cap, or take buffer_pages = \
             small.",
        ),
    };
    tally.tell(judgement)
}

fn read(trial: &Trial<'_>) -> Option<Reading> {
    let found = trial.record.measurement.as_ref()?.buffers.as_ref()?.value()?;
    let huge = found.huge_share()?;
    Some(match trial.description.buffer_pages? {
        BufferPages::Small => {
            let text = format!("asked small, {} of the buffers were in huge pages", percent(huge));
            Reading::judged(huge, 0.0, 0.0, text)
        }
        BufferPages::Huge => {
            let text = format!("asked huge, {} of the buffers were in huge pages", percent(huge));
            Reading::judged(1.0 - huge, 1.0 - HUGE_AT_LEAST, 1.0 - HUGE_AT_LEAST, text)
        }
    })
}

/// Why no trial could be judged: a sentence.
fn not_known(context: &Context<'_>) -> String {
    let mut trials = context.trials.iter().flatten();
    let reason = trials.find_map(|trial| {
        let buffers = trial.record.measurement.as_ref()?.buffers.as_ref()?;
        Some(buffers.reason()?.to_owned())
    });
    let has = |holds: fn(&Trial<'_>) -> bool| context.trials.iter().flatten().any(holds);
    match reason {
        Some(reason) => format!("What pages the buffers had is unknown: {reason}."),
        None if !has(|trial| trial.description.owns_buffers) => {
            "No buffer of these trials is Syncline's own: an engine, a server or a client has its own.".to_owned()
        }
        None if has(|trial| trial.description.buffer_pages.is_some()) => {
            "The trials recorded nothing of their buffers.".to_owned()
        }
        None => {
            "The records are of a version that did not choose the pages of its buffers and did not record them.".to_owned()
        }
    }
}
