//! What trials that are alive together share, as this machine has it.

use lab::capacity::Machine;
use rustix::process::{Resource, getrlimit};
use rustix::thread::{CapabilitySet, capabilities};

/// This machine, with this much room on the file system.
pub(crate) fn machine(room_bytes: u64) -> Machine {
    // The kernel asks for this capability before it counts locked memory (io_uring_register(2)).
    let may_lock = capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::IPC_LOCK));
    Machine {
        memory_bytes: disk::memory::available_bytes(),
        locked_bytes: getrlimit(Resource::Memlock).current.filter(|_| !may_lock),
        room_bytes,
        open_files: getrlimit(Resource::Nofile).current,
    }
}
