//! The barest loops: they keep no latency, and read the clock once in a few thousand operations.

use super::{BLOCK, DEPTH, FILE_BYTES, next_offset};
use io_uring::{IoUring, opcode, types::Fixed};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::time::Instant;

const CLOCK_EVERY: u64 = 4096;

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

/// One copy out of a mapping after another.
pub(crate) fn copy(file: &File, until: Instant) -> io::Result<u64> {
    let mut memory = vec![0_u8; DEPTH * BLOCK as usize];
    let base = memory.as_mut_ptr();
    let bytes = FILE_BYTES as usize;
    // SAFETY: a new mapping at an address of the kernel's choice aliases no memory of this program.
    let mapping =
        unsafe { mmap(ptr::null_mut(), bytes, ProtFlags::READ, MapFlags::SHARED, file, 0)?.cast::<u8>() };
    let (mut random, mut operations) = (1, 0);
    while operations % CLOCK_EVERY != 0 || Instant::now() < until {
        let slot = operations as usize % DEPTH * BLOCK as usize;
        // SAFETY: every offset is that of a whole block of the file, which nobody truncates, and every slot is inside
        // `memory`, which is no mapping of a file.
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

/// A ring with the settings of the backend, always with [`DEPTH`] reads in flight.
pub(crate) fn uring(file: &File, until: Instant) -> io::Result<u64> {
    let mut memory = vec![0_u8; DEPTH * BLOCK as usize];
    let base = memory.as_mut_ptr();
    let mut ring: IoUring = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_coop_taskrun()
        .setup_submit_all()
        .build(DEPTH as u32)?;
    ring.submitter().register_files(&[file.as_raw_fd()])?;
    let whole = libc::iovec { iov_base: base.cast(), iov_len: memory.len() };
    // SAFETY: `memory` outlives the ring's last operation: every one is reaped below.
    unsafe { ring.submitter().register_buffers(&[whole]) }?;
    let mut random = 1;
    let mut free: Vec<u64> = (0..DEPTH as u64).collect();
    let (mut operations, mut clock_at) = (0, CLOCK_EVERY);
    let mut in_flight = 0;
    let mut over = false;
    while !over || in_flight > 0 {
        let mut queue = ring.submission();
        for id in free.drain(..).filter(|_| !over) {
            // SAFETY: id < DEPTH, so the slot is inside `memory`.
            let slot = unsafe { base.add(id as usize * BLOCK as usize) };
            let read = opcode::ReadFixed::new(Fixed(0), slot, BLOCK, 0).offset(next_offset(&mut random));
            // SAFETY: the slot is inside `memory`, and no other operation uses it until this one has completed.
            unsafe { queue.push(&read.build().user_data(id)) }.map_err(io::Error::other)?;
            in_flight += 1;
        }
        drop(queue);
        ring.submit_and_wait(1)?;
        for entry in ring.completion() {
            if entry.result() != BLOCK as i32 {
                return Err(io::Error::other("a bare read failed"));
            }
            free.push(entry.user_data());
            in_flight -= 1;
            operations += 1;
        }
        if operations >= clock_at {
            clock_at = operations + CLOCK_EVERY;
            over = Instant::now() >= until;
        }
    }
    Ok(operations)
}
