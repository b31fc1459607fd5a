//! What time was spent on, by name.

use lab::spent::Spent;

/// Each part of it with what it is called, in seconds: the first five are what a session is for.
pub(crate) fn named(spent: &Spent) -> [(&'static str, f64); 9] {
    [
        ("measuring", spent.measuring_s),
        ("settling and draining", spent.settling_s),
        ("kills and flushes", spent.aftermath_s),
        ("making files", spent.preparing_s),
        ("filling and emptying their page cache", spent.caching_s),
        ("waiting for a quiet device", spent.quiescing_s),
        ("worker processes", spent.working_s),
        ("records", spent.recording_s),
        ("deciding what comes next", spent.deciding_s),
    ]
}
