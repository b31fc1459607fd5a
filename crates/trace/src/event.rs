//! What happened, in the words of this crate: a tracepoint that was passed.

/// A tracepoint that a thread passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// `CLOCK_MONOTONIC`, nanoseconds.
    pub time_ns: u64,
    pub cpu: u32,
    /// The thread that the CPU had, by the number that the kernel itself knows it by; 0 is an idle CPU. In an
    /// interrupt it is the thread that was interrupted.
    pub thread: u32,
    /// Whether a hardware or software interrupt did it, rather than the thread.
    pub in_interrupt: bool,
    pub kind: EventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The thread enters a system call.
    CallBegins(Call),
    /// The thread leaves it.
    CallEnds(Call),
    /// The thread hands blocks over to the block layer (`block_bio_queue`).
    Queued(Blocks),
    /// The driver of the device gets a request (`block_rq_issue`).
    Issued(Blocks),
    /// The request is done (`block_rq_complete`).
    Completed(Blocks),
    /// The CPU goes to another thread.
    Switched {
        /// Whether the thread waits for something; otherwise it could go on.
        blocked: bool,
        next: u32,
        next_name: Name,
    },
    /// A thread that waited may go on.
    Woken(u32),
    /// The thread hands a packet to a device that takes it at once, as the loopback device does (`netif_rx`).
    PacketSent,
    /// The journal's thread begins to commit a transaction.
    CommitBegins,
    /// The transaction is committed.
    CommitEnds,
}

/// The name of a thread, which is that of its program unless the program gave it another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Name([u8; Name::BYTES]);

impl Name {
    /// `TASK_COMM_LEN` of `include/linux/sched.h`.
    const BYTES: usize = 16;

    /// Reads a name that ends with a zero or with its field.
    pub fn read(field: &[u8]) -> Self {
        let mut name = [0; Self::BYTES];
        let letters = field.iter().copied().take_while(|letter| *letter != 0);
        name.iter_mut().zip(letters).for_each(|(place, letter)| *place = letter);
        Self(name)
    }

    /// Whether it is that of a worker of the kernel (`kernel/workqueue.c`), or of io_uring (`io_uring/io-wq.c`,
    /// `io_uring/sqpoll.c`).
    pub(crate) fn is_of_worker(&self) -> bool {
        [&b"kworker/"[..], b"iou-wrk-", b"iou-sqp-"].iter().any(|begin| self.0.starts_with(begin))
    }

    /// The program: `kworker` of `kworker/u8:2`. Empty if it is not known.
    pub fn program(&self) -> String {
        let letters = self.0.split(|letter| matches!(letter, 0 | b'/')).next().unwrap_or_default();
        String::from_utf8_lossy(letters).into_owned()
    }
}

/// System calls that operations are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    Fdatasync,
    Fsync,
    Pread,
    Preadv2,
    Pwrite,
    Pwritev2,
    /// `io_uring_enter`.
    RingEnter,
}

/// A block device by the number that the kernel gives it in these events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Device(pub u32);

impl Device {
    /// `include/linux/kdev_t.h`.
    const MINOR_BITS: u32 = 20;

    pub fn new(major: u32, minor: u32) -> Self {
        Self(major << Self::MINOR_BITS | minor)
    }

    pub fn major(self) -> u32 {
        self.0 >> Self::MINOR_BITS
    }

    pub fn minor(self) -> u32 {
        self.0 & ((1 << Self::MINOR_BITS) - 1)
    }
}

/// Blocks of a device, and what is to be done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    pub device: Device,
    /// A sector has 512 bytes.
    pub sector: u64,
    /// None of a flush alone.
    pub sectors: u32,
    pub class: Class,
}

impl Blocks {
    /// The first sector behind them.
    pub(crate) fn end(self) -> u64 {
        self.sector.saturating_add(self.sectors.into())
    }
}

/// What is to be done, as the kernel abbreviates it (`blk_fill_rwbs` in `kernel/trace/blktrace.c`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    pub action: Action,
    /// The device's cache is flushed before (`REQ_PREFLUSH`).
    pub flushes_before: bool,
    /// The blocks are to be durable when the request is done (`REQ_FUA`). A device that has no such writes is flushed
    /// after them.
    pub durable: bool,
    /// Metadata of the file system, its journal among it (`REQ_META`).
    pub metadata: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Read,
    Write,
    /// The request that carries a flush to the device (`REQ_OP_FLUSH`).
    Flush,
    /// A discard, or anything else that transfers nothing.
    Other,
}

impl Class {
    /// Reads the abbreviation: `FWFSM` is a write that flushes before, with FUA, which somebody waits for, of metadata.
    pub fn read(abbreviation: &[u8]) -> Self {
        let letters = abbreviation.split(|letter| *letter == 0).next().unwrap_or_default();
        let (flushes_before, rest) = match letters {
            [b'F', action, ..] if b"RWDFNZ".contains(action) => (true, &letters[1..]),
            _ => (false, letters),
        };
        let action = match rest.first() {
            Some(b'R') => Action::Read,
            Some(b'W') => Action::Write,
            Some(b'F') => Action::Flush,
            Some(_) | None => Action::Other,
        };
        let has = |letter| rest.iter().skip(1).any(|other| *other == letter);
        Self { action, flushes_before, durable: has(b'F'), metadata: has(b'M') }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_abbreviations_are_understood() {
        let check = |text: &str, action, [flushes_before, durable, metadata]: [bool; 3]| {
            let class = Class { action, flushes_before, durable, metadata };
            assert_eq!(Class::read(text.as_bytes()), class, "{text}");
        };
        check("WS", Action::Write, [false, false, false]);
        check("FWS\0FM", Action::Write, [true, false, false]);
        check("FWFSM", Action::Write, [true, true, true]);
        check("WFSM", Action::Write, [false, true, true]);
        check("FF", Action::Flush, [true, false, false]);
        check("F", Action::Flush, [false, false, false]);
        check("RA", Action::Read, [false, false, false]);
        check("RM", Action::Read, [false, false, true]);
        check("DS", Action::Other, [false, false, false]);
        check("", Action::Other, [false, false, false]);
    }

    #[test]
    fn kernel_threads_of_one_kind_are_one_program() {
        for (field, program) in [
            ("cc1plus\0old\0", "cc1plus"),
            ("kworker/u8:2\0", "kworker"),
            ("a name that the kernel cuts", "a name that the "),
            ("", ""),
        ] {
            assert_eq!(Name::read(field.as_bytes()).program(), program);
        }
    }

    #[test]
    fn a_device_has_a_major_and_a_minor_number() {
        let device = Device::new(254, 3);
        assert_eq!((device.major(), device.minor()), (254, 3));
    }
}
