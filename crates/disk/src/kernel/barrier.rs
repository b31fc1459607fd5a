//! A memory barrier that the frequent side gets for nothing and the rare side pays for.

use std::sync::atomic::{Ordering, compiler_fence, fence};

/// Orders a store before a load of another location, between threads that do so often and one that does it now and then
/// (Dekker's pattern): either the frequent side's load sees what the rare side stored before its barrier, or the rare
/// side's loads after it see what the frequent side stored.
///
/// On Linux 4.14 and later the rare side has the kernel run a barrier on every CPU that runs a thread of this process,
/// `membarrier(2)` with `MEMBARRIER_CMD_PRIVATE_EXPEDITED`, and the frequent side only keeps the compiler from
/// reordering. If there is no such call both sides run a full barrier.
#[derive(Clone, Copy, Debug)]
pub struct AsymmetricBarrier {
    is_expedited: bool,
}

impl AsymmetricBarrier {
    /// Asks the kernel for it, for this process.
    pub fn register() -> Self {
        Self { is_expedited: membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 }
    }

    /// The frequent side's, between its store and its load.
    #[inline]
    pub fn frequent(self) {
        if self.is_expedited {
            compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
    }

    /// The rare side's, between its store and its load: a system call, and an interrupt for each CPU that runs another
    /// of the process's threads.
    pub fn rare(self) {
        fence(Ordering::SeqCst);
        if self.is_expedited {
            let result = membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED);
            assert!(result == 0, "membarrier fails only for a process that has not registered");
            fence(Ordering::SeqCst);
        }
    }
}

fn membarrier(command: libc::c_int) -> libc::c_long {
    // SAFETY: the call takes a command, flags and a CPU, and touches no memory of this process.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    /// Each side says that it is there and looks for the other: never may both miss it.
    #[test]
    fn one_of_two_sides_always_sees_the_other() {
        const ROUNDS: u32 = 20_000;
        let barrier = AsymmetricBarrier::register();
        let (frequent, rare) = (AtomicU32::new(0), AtomicU32::new(0));
        let began = AtomicU32::new(0);
        let met = |round: u32| {
            began.fetch_add(1, Ordering::AcqRel);
            for spun in 0_u32.. {
                if began.load(Ordering::Acquire) >= 2 * round {
                    break;
                }
                // If the other side waits for this very CPU, a turn of the scheduler for each round would take minutes.
                if spun < 1000 { std::hint::spin_loop() } else { thread::yield_now() }
            }
        };
        let missed = thread::scope(|scope| {
            let other = scope.spawn(|| {
                let mut unseen = Vec::new();
                for round in 1..=ROUNDS {
                    met(round);
                    frequent.store(round, Ordering::Relaxed);
                    barrier.frequent();
                    if rare.load(Ordering::Relaxed) < round {
                        unseen.push(round);
                    }
                }
                unseen
            });
            let mut unseen = Vec::new();
            for round in 1..=ROUNDS {
                met(round);
                rare.store(round, Ordering::Relaxed);
                barrier.rare();
                if frequent.load(Ordering::Relaxed) < round {
                    unseen.push(round);
                }
            }
            let others = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            unseen.retain(|round| others.binary_search(round).is_ok());
            unseen
        });
        assert!(missed.is_empty(), "in {} of {ROUNDS} rounds neither saw the other", missed.len());
    }
}
