//! What time was spent on, by name.

use lab::time_account::TimeAccount;
use report::Activity;

/// Each part of it with its name, in seconds: the first five are what a session is for.
pub(crate) fn named(time: &TimeAccount) -> [(&'static str, f64); 10] {
    [
        (Activity::Measuring, time.measuring_s),
        (Activity::Settling, time.settling_s),
        (Activity::Aftermath, time.aftermath_s),
        (Activity::Preparing, time.preparing_s),
        (Activity::Caching, time.caching_s),
        (Activity::Quiescing, time.quiescing_s),
        (Activity::Working, time.working_s),
        (Activity::Recording, time.recording_s),
        (Activity::Deciding, time.deciding_s),
        (Activity::Tracing, time.tracing_s),
    ]
    .map(|(activity, seconds)| (activity.name(), seconds))
}
