//! Why memory cannot be capped.

use crate::failure::Failure;
use model::units::{format_bytes, format_bytes_approximate};

/// Memory cannot be capped as requested.
#[derive(Debug, thiserror::Error)]
pub enum CapError {
    /// No way is open.
    #[error(
        "cannot cap memory: no memory control group can be made here ({why}) and `systemd-run --user --scope` does \
         not work either; run as root, have a cgroup delegated to you, or log in through systemd"
    )]
    Unavailable {
        /// Why no group can be made.
        why: String,
    },
    /// No group can be made, but there is systemd.
    #[error(
        "no memory control group can be made here ({why}); start the worker behind `systemd-run --user --scope`, \
         which works"
    )]
    OnlySystemdRun {
        /// Why no group can be made.
        why: String,
    },
    /// The machine has less memory than the cap allows.
    #[error(
        "memory_cap = {} is more than this machine's memory ({}): it would cap nothing",
        format_bytes(*cap_bytes), format_bytes_approximate(*memory_bytes as f64)
    )]
    LargerThanMemory { cap_bytes: u64, memory_bytes: u64 },
    /// No group that limits I/O can be made.
    #[error(
        "cannot limit I/O: no control group that limits it can be made here ({why}); run as root, on Linux with cgroup \
         v1 (blkio) or v2 (io)"
    )]
    IoUnavailable {
        /// Why no group can be made.
        why: String,
    },
    /// A system call failed.
    #[error(transparent)]
    Kernel(#[from] Failure),
}
