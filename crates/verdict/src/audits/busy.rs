//! Which audits say that others used the machine: the same command on a quiet one would answer.

use super::{foreign_io, steal_and_pressure};
use crate::verdict::Status;

/// Whether an audit with this outcome shows that others used the device or the CPUs.
pub fn shows_busy_machine(name: &str, status: Status) -> bool {
    let is_of_others = [foreign_io::CHECK.name, steal_and_pressure::CHECK.name].contains(&name);
    is_of_others
        && match status {
            Status::Fail => true,
            Status::Warn | Status::NotAssessable | Status::Pass | Status::NotApplicable => false,
        }
}
