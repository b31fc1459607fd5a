//! The barest ring loop: it keeps no latency, and reads the clock once in a few thousand operations.

use super::{BLOCK, DEPTH, next_offset};
use io_uring::{IoUring, opcode, types::Fixed};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Instant;

const CLOCK_EVERY: u64 = 4096;

/// A ring with the settings of the backend, always with [`DEPTH`] reads in flight.
pub(crate) fn random_reads(file: &File, until: Instant) -> io::Result<u64> {
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
