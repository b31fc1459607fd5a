//! How much memory programs can still have.

use procfs::{Current, Meminfo};

/// Memory that programs can have before the machine swaps, bytes, as the kernel estimates it: `MemAvailable` of
/// proc(5), since Linux 3.14. `None` if the kernel does not report it.
pub fn available_bytes() -> Option<u64> {
    Meminfo::current().ok()?.mem_available
}
