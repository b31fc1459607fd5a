//! What time was spent on, by name.

use lab::spent::Spent;

/// Each part of it with what it is called, in seconds: the first four are what a session is for.
pub(crate) fn named(spent: &Spent) -> [(&'static str, f64); 8] {
    [
        ("measuring", spent.measuring_s),
        ("killing and draining", spent.aftermath_s),
        ("making files", spent.preparing_s),
        ("filling and emptying their page cache", spent.caching_s),
        ("waiting for a quiet device", spent.quiescing_s),
        ("worker processes", spent.working_s),
        ("records", spent.recording_s),
        ("deciding what comes next", spent.deciding_s),
    ]
}
