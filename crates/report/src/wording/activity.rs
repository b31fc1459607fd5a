//! What time is spent on, by name: the one list for a report's shares, a session's account and a trial's line.

use verdict::TimeShare;

/// What a part of the time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The phases of trials: what their figures are about.
    Measuring,
    /// The turns of trials outside their windows.
    Settling,
    /// What is measured after the phases.
    Aftermath,
    /// Making the files that trials work on.
    Preparing,
    /// Bringing the files' pages into or out of the page cache, and verifying the files.
    Caching,
    /// Waiting until the device has nothing to do.
    Quiescing,
    /// The rest of trials: starting processes, opening and closing files and engines.
    Working,
    /// Writing records.
    Recording,
    /// Choosing the next trial, looks included.
    Deciding,
    /// Traced trials.
    Tracing,
    /// What the records do not show.
    Other,
}

impl Activity {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measuring => "measuring",
            Self::Settling => "settling and draining",
            Self::Aftermath => "kills and flushes",
            Self::Preparing => "preparing files",
            Self::Caching => "filling and emptying the page cache",
            Self::Quiescing => "waiting for a quiet device",
            Self::Working => "worker processes",
            Self::Recording => "records",
            Self::Deciding => "deciding what comes next",
            Self::Tracing => "traced trials",
            Self::Other => "everything else",
        }
    }
}

/// How the time was spent, in the order in which it is shown, in seconds; without activities that took none.
pub(crate) fn time_parts(time: &TimeShare) -> Vec<(&'static str, f64)> {
    let mut parts = vec![
        (Activity::Measuring, time.measuring_s),
        (Activity::Settling, time.settling_s),
        (Activity::Aftermath, time.aftermath_s),
        (Activity::Preparing, time.preparing_s),
        (Activity::Caching, time.cache_s),
        (Activity::Quiescing, time.quiescing_s),
        (Activity::Other, time.other_s),
    ];
    parts.retain(|(_, seconds)| *seconds > 0.0);
    parts.into_iter().map(|(activity, seconds)| (activity.name(), seconds)).collect()
}
