//! Caps of memory and of I/O: Syncline's own control group, made by plain file writes below the group of this process,
//! so that every limit above it still holds. Limits of I/O above it do not hold in cgroup v1; there Syncline makes no
//! group below them.
//!
//! Pages are charged to the group that first touches them and stay charged there (kernel
//! `Documentation/admin-guide/cgroup-v2.rst`, "Memory Ownership"): evict a file first, then enter the group, then
//! warm it inside.

mod accounting;
mod error;
mod group;
mod hierarchy;
mod io_group;
mod io_limits;
mod systemd;

pub use accounting::AccountingGroup;
pub use error::CapError;
pub use group::{MemoryGroup, enter, remove_abandoned};
pub use hierarchy::groups_of;
pub use io_group::IoGroup;
pub use systemd::systemd_run_prefix;

pub(crate) use hierarchy::ancestry;
pub(crate) use io_limits::io_limits;

use hierarchy::Version;

/// How memory can be capped here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapMethod {
    /// A cgroup v2 group with `memory.max`: [`MemoryGroup::create`].
    CgroupV2,
    /// A cgroup v1 group with `memory.limit_in_bytes`: [`MemoryGroup::create`].
    CgroupV1,
    /// No group can be made, but systemd makes one: start the worker behind [`systemd_run_prefix`].
    SystemdRun,
}

/// Refuses a cap that is larger than the machine's memory: a run under it would be an uncapped one that says
/// otherwise.
///
/// # Errors
/// [`CapError::LargerThanMemory`].
pub fn check_cap(cap_bytes: u64) -> Result<(), CapError> {
    let facts = rustix::system::sysinfo();
    // sysinfo(2): `totalram` counts units of `mem_unit` bytes.
    let memory_bytes = facts.totalram as u64 * u64::from(facts.mem_unit);
    if cap_bytes > memory_bytes {
        return Err(CapError::LargerThanMemory { cap_bytes, memory_bytes });
    }
    Ok(())
}

/// The best way to cap memory that works here. Tries it with a group of its own, which it removes again.
pub fn cap_method() -> Result<CapMethod, CapError> {
    /// Any cap does for the trial.
    const PROBE_BYTES: u64 = 64 << 20;
    let id = format!("probe-{}", std::process::id());
    match MemoryGroup::create(&id, PROBE_BYTES) {
        Ok(group) => {
            let method = match group.version() {
                Version::V2 => CapMethod::CgroupV2,
                Version::V1 => CapMethod::CgroupV1,
            };
            group.remove()?;
            Ok(method)
        }
        Err(CapError::OnlySystemdRun { .. }) => Ok(CapMethod::SystemdRun),
        Err(error) => Err(error),
    }
}
