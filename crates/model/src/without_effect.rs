//! Parameters that change nothing in some configurations: two configurations that differ in them alone are the same
//! trial twice.

use crate::Configuration;

/// Parameters without effect in some configurations of a workload.
#[derive(Clone, Copy, Debug)]
pub struct WithoutEffect {
    pub parameters: &'static [&'static str],
    /// Whether they change nothing in this configuration.
    pub holds: fn(&Configuration) -> bool,
    /// Why, as a clause: "read_depth is 0".
    pub because: &'static str,
}
