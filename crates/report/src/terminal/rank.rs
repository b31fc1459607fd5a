//! A run that a launcher started with others: one line for the terminal that all of them share.

use model::figure::count;
use model::printable;
use model::rank::Rank;
use model::run::Run;
use verdict::{Status, Verdict};

/// Which rank ran where, how many of its trials succeeded, and which audits failed.
pub fn of_rank(rank: Rank, run: &Run, verdict: &Verdict) -> String {
    let ok: usize = verdict.studies.iter().map(|study| study.trials.ok).sum();
    let planned: usize = verdict.studies.iter().map(|study| study.trials.planned).sum();
    let missing: usize = verdict.studies.iter().map(|study| study.trials.missing).sum();
    let failed = verdict.studies.iter().flat_map(|study| {
        let failed = study.audits.iter().filter(|audit| audit.status == Status::Fail);
        failed.map(|audit| format!("{} in {}", audit.name, study.name))
    });
    let failed: Vec<String> = failed.collect();
    let doubt = if failed.is_empty() { String::new() } else { format!(" · failed: {}", failed.join(", ")) };
    let not_run = if missing > 0 { format!(", {missing} did not run") } else { String::new() };
    let trials = format!("{ok} of {} succeeded{not_run}", count(planned, "trial"));
    let line = format!("{} on {} · {trials}{doubt}", rank, run.host.name);
    printable(&line).into_owned()
}
