//! Parameters that some subjects of a workload do not have: an object has no page cache.

use crate::Configuration;

/// Parameters that do not exist in some configurations of a workload. A study that varies or fixes them there leaves
/// them at their defaults, which are their only level; a level that the user gives is refused by the workload's check.
#[derive(Clone, Copy, Debug)]
pub struct Absent {
    pub parameters: &'static [&'static str],
    /// Whether they do not exist in this configuration; called with the defaults and what has one value.
    pub holds: fn(&Configuration) -> bool,
    /// Why, as a clause: "an object store has no page cache".
    pub because: &'static str,
}
