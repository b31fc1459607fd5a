//! Whether the realised value followed the level. Page 000 varied `reads_per_commit` from 1 to 16, but every level gave
//! the same ratio, because reads continued during the sync: its "no effect" was never tested.
//!
//! To add a parameter whose realised value is recorded, write its file and add its line to [`PARAMETERS`].

mod io_cap;
mod iodepth;
mod memory_cap;
mod mode;
mod rate;
mod reads_per_commit;
mod realised;

pub(super) use memory_cap::Capped;

use super::{Bearing, Check, Context, Judgement, Use};
use crate::verdict::Status;

/// A parameter's check; `None` if no trial realises it.
type Realised = fn(&Context<'_>) -> Option<Judgement>;

const PARAMETERS: &[Realised] =
    &[reads_per_commit::check, iodepth::check, rate::check, memory_cap::check, io_cap::check, mode::check];

pub(super) const CHECK: Check = Check {
    name: "factor-took-effect",
    bearing,
    moot: "Nothing is compared, so no factor had to take effect.",
    judge: check,
};

/// It applies to effects only: the figures of a level remain valid.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_compared().then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let found: Vec<Judgement> = PARAMETERS.iter().filter_map(|check| check(context)).collect();
    let Some(worst) = found.iter().map(|judgement| judgement.status).min() else {
        return Judgement::not_assessable("No parameter of this study has a recorded realised value.");
    };
    let told = found.iter().filter(|judgement| worst == Status::Pass || judgement.status != Status::Pass);
    let (summaries, advice): (Vec<&str>, Vec<&str>) =
        told.map(|judgement| (judgement.summary.as_str(), judgement.advice.as_str())).unzip();
    let (summary, advice) = (summaries.join(" "), advice.join(" "));
    let evidence = found.iter().flat_map(|judgement| judgement.evidence.iter().cloned());
    let about = found.iter().filter(|judgement| judgement.status == worst).flat_map(|it| it.about.clone());
    Judgement::new(worst, summary, advice.trim()).about(about).with(evidence)
}
