//! A record, read by its configuration's description: no name of a parameter or metric occurs here.

mod cached;
mod load;

pub(crate) use cached::{Cached, Pass, cached_at_end, data_file, hit_share, passes};
pub(crate) use load::{flushed, streams};

use model::Description;
use model::plan::StudyPlan;
use std::sync::LazyLock;

/// Nothing is known about a workload of a later version: whatever depends on it cannot be assessed.
static UNDESCRIBED: LazyLock<Description> = LazyLock::new(Description::default);

/// The description of a configuration of a plan.
pub(crate) fn configuration(plan: &StudyPlan, configuration: usize) -> &Description {
    plan.description(configuration).unwrap_or(&UNDESCRIBED)
}

/// Threads that drive operations.
pub(crate) fn threads(description: &Description) -> f64 {
    description.threads.max(1) as f64
}
