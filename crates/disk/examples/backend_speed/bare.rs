//! The barest loops: they keep no latency, and read the clock once in a few thousand operations.

use super::{BLOCK, DEPTH, FILE_BYTES, next_offset};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::time::Instant;

pub(crate) const CLOCK_EVERY: u64 = 4096;

/// One pread after another.
pub(crate) fn pread(file: &File, until: Instant) -> io::Result<u64> {
    let mut memory = vec![0_u8; DEPTH * BLOCK as usize];
    let (mut random, mut operations) = (1, 0);
    while operations % CLOCK_EVERY != 0 || Instant::now() < until {
        let slot = operations as usize % DEPTH * BLOCK as usize;
        file.read_exact_at(&mut memory[slot..slot + BLOCK as usize], next_offset(&mut random))?;
        operations += 1;
    }
    Ok(operations)
}

/// One copy out of a mapping after another. With the clock read every few thousand copies the processor begins a copy
/// before it has ended the one before; a clock read after each keeps them apart, which every instrument that tells a
/// latency has to do.
pub(crate) fn copy(file: &File, until: Instant, clock_every: u64) -> io::Result<u64> {
    let mut memory = vec![0_u8; DEPTH * BLOCK as usize];
    let base = memory.as_mut_ptr();
    let bytes = FILE_BYTES as usize;
    // SAFETY: a new mapping at an address of the kernel's choice aliases no memory of this program.
    let mapping =
        unsafe { mmap(ptr::null_mut(), bytes, ProtFlags::READ, MapFlags::SHARED, file, 0)?.cast::<u8>() };
    let (mut random, mut operations) = (1, 0);
    while operations % clock_every != 0 || Instant::now() < until {
        let slot = operations as usize % DEPTH * BLOCK as usize;
        // SAFETY: every offset is that of a whole block of the file, which nobody truncates, and every slot is inside
        // `memory`, which is not a mapping of a file.
        unsafe {
            let block = mapping.add(next_offset(&mut random) as usize);
            ptr::copy_nonoverlapping(block, base.add(slot), BLOCK as usize);
        }
        operations += 1;
    }
    // Nobody looks at what was copied; the compiler must not know.
    std::hint::black_box(&memory);
    // SAFETY: exactly the mapping made above, and no address in it is used any more.
    unsafe { munmap(mapping.cast(), bytes) }?;
    Ok(operations)
}
