//! What time was spent on, by name.

use lab::spent::Spent;
use report::Activity;

/// Each part of it with its name, in seconds: the first five are what a session is for.
pub(crate) fn named(spent: &Spent) -> [(&'static str, f64); 9] {
    [
        (Activity::Measuring, spent.measuring_s),
        (Activity::Settling, spent.settling_s),
        (Activity::Aftermath, spent.aftermath_s),
        (Activity::Preparing, spent.preparing_s),
        (Activity::Caching, spent.caching_s),
        (Activity::Quiescing, spent.quiescing_s),
        (Activity::Working, spent.working_s),
        (Activity::Recording, spent.recording_s),
        (Activity::Deciding, spent.deciding_s),
    ]
    .map(|(activity, seconds)| (activity.name(), seconds))
}
