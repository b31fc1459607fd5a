//! What `/proc/self/smaps` says about a range of this process's memory.

use model::buffer::BufferMemory;
use model::mechanism::Measured;
use procfs::process::{MemoryMap, Process};
use std::ptr::NonNull;

/// Where smaps counts huge pages: transparent ones, and reserved ones, which are not part of `Rss`.
const TRANSPARENT: &str = "AnonHugePages";
const RESERVED: [&str; 2] = ["Private_Hugetlb", "Shared_Hugetlb"];

/// What memory of this range there is. Needs a kernel with `CONFIG_PROC_PAGE_MONITOR`.
pub(crate) fn found(base: NonNull<u8>, bytes: usize) -> Measured<BufferMemory> {
    let first = base.as_ptr().addr() as u64;
    match Process::myself().and_then(|process| process.smaps()) {
        Ok(maps) => Measured::Value(within(maps.iter(), first, first + bytes as u64)),
        Err(error) => Measured::unsupported(format!(
            "/proc/self/smaps cannot be read, so the buffers' pages are unknown: {error}"
        )),
    }
}

/// A mapping that reaches beyond the range may have as much inside it as fits there: more huge pages than there are,
/// never fewer.
fn within<'a>(maps: impl Iterator<Item = &'a MemoryMap>, first: u64, end: u64) -> BufferMemory {
    let overlapping = maps.filter(|map| map.address.0 < end && first < map.address.1);
    overlapping.fold(BufferMemory::default(), |sum, map| {
        let inside = map.address.1.min(end) - map.address.0.max(first);
        let of = |name: &str| map.extension.map.get(name).copied().unwrap_or(0);
        let reserved: u64 = RESERVED.iter().map(|name| of(name)).sum();
        sum.plus(BufferMemory {
            resident_bytes: (of("Rss") + reserved).min(inside),
            huge_bytes: (of(TRANSPARENT) + reserved).min(inside),
            kernel_page_bytes: of("KernelPageSize"),
        })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use procfs::FromRead;
    use procfs::process::MemoryMaps;

    const SMAPS: &str = "\
7f0000000000-7f0000400000 rw-p 00000000 00:00 0 
Size:               4096 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                4096 kB
AnonHugePages:      2048 kB
THPeligible:           1
VmFlags: rd wr mr mw me ac hg 
7f0000400000-7f0000401000 ---p 00000000 00:00 0 
Size:                  4 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                   0 kB
AnonHugePages:         0 kB
THPeligible:           0
VmFlags: mr mw me ac 
7f0000600000-7f0000a00000 rw-p 00000000 00:0e 1234 /anon_hugepage (deleted)
Size:               4096 kB
KernelPageSize:     2048 kB
MMUPageSize:        2048 kB
Rss:                   0 kB
AnonHugePages:         0 kB
Private_Hugetlb:    4096 kB
THPeligible:           0
VmFlags: rd wr mr mw me ac ht 
";

    #[test]
    fn transparent_and_reserved_huge_pages_are_both_counted() {
        let maps = MemoryMaps::from_read(SMAPS.as_bytes()).unwrap();
        let of = |first, end| {
            let found = within(maps.iter(), first, end);
            (found.resident_bytes >> 20, found.huge_bytes >> 20, found.kernel_page_bytes)
        };
        assert_eq!(of(0x7f00_0000_0000, 0x7f00_0040_0000), (4, 2, 4096));
        assert_eq!(of(0x7f00_0060_0000, 0x7f00_00a0_0000), (4, 4, 2 << 20));
        assert_eq!(of(0x7f00_0000_0000, 0x7f00_00a0_0000), (8, 6, 2 << 20));
        // Half of the first mapping: all of its huge pages may be there.
        assert_eq!(of(0x7f00_0000_0000, 0x7f00_0020_0000), (2, 2, 4096));
        assert_eq!(of(0x1000, 0x2000), (0, 0, 0));
    }
}
