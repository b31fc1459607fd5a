//! A simulated device in virtual time, with faults and power cuts.
//!
//! The same workload that runs on a ring runs on this, a thousand times faster than on any disk, and then the test asks
//! what a power cut would have left. Everything follows from [`DeviceModel::seed`].

mod cache;
mod device;
mod random;

pub use cache::Survivors;
pub use device::Logged;

use device::Device;
use driver::{Backend, Clock, VirtualClock};
use model::{BlockKind, BlockOp, Completion, Nanos};
use std::cell::{Ref, RefCell};
use std::io;
use std::rc::Rc;

/// How long an operation takes once a channel works on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServiceTime {
    /// Always the same.
    Fixed(Nanos),
    /// Anything from the first to the second, equally likely.
    Uniform(Nanos, Nanos),
    /// Skewed to the right, as real devices are.
    LogNormal {
        /// Half of the operations take less.
        median: Nanos,
        /// Standard deviation of the logarithm: 0.2 is a calm device, 1 a wild one.
        sigma: f64,
    },
}

/// Which operations a [`Fault`] hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trigger {
    /// The operation with this number, in order of submission from 0.
    Operation(u64),
    /// Each with this probability, independently.
    Probability(f64),
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing is done, and the result is the negated errno.
    Errno(i32),
    /// Only the first bytes are moved, at most as many as the operation has.
    Short(u32),
    /// Never completes.
    Stuck,
    /// A drive that lies: the operation succeeds, but makes nothing durable.
    IgnoresSync,
}

/// An injected fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// Which operations.
    pub trigger: Trigger,
    /// Of which kind; `None` is any.
    pub kind: Option<BlockKind>,
    /// What happens to them.
    pub effect: Effect,
}

/// What the device is like.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceModel {
    /// Seed of everything random.
    pub seed: u64,
    /// Operations served at once; the others queue, first come, first served.
    pub channels: usize,
    /// Of reads.
    pub read: ServiceTime,
    /// Of writes.
    pub write: ServiceTime,
    /// Of syncs; a write with dsync takes a write's time and a sync's.
    pub sync: ServiceTime,
    /// Bytes that are durable or lost together.
    pub block_bytes: u32,
    /// Whether a completed write can still be lost. Without, it is durable when it completes.
    pub volatile_cache: bool,
    /// Probability that a write nobody synced, completed or not, reached the medium all the same.
    pub unsynced_survival: f64,
    /// The power fails at this time: every later completion is an error of the backend.
    pub power_cut_at: Option<Nanos>,
    /// What goes wrong; the first that hits an operation counts.
    pub faults: Vec<Fault>,
}

impl Default for DeviceModel {
    /// A `NVMe` drive with a volatile cache: 80 µs reads, 12 µs writes, 60 µs flushes, 8 channels, no faults.
    fn default() -> Self {
        Self {
            seed: 0,
            channels: 8,
            read: ServiceTime::LogNormal { median: Nanos(80_000), sigma: 0.2 },
            write: ServiceTime::LogNormal { median: Nanos(12_000), sigma: 0.2 },
            sync: ServiceTime::LogNormal { median: Nanos(60_000), sigma: 0.2 },
            block_bytes: 512,
            volatile_cache: true,
            unsynced_survival: 0.0,
            power_cut_at: None,
            faults: Vec::new(),
        }
    }
}

/// The simulated device as a backend. Clones are the same device, so a test keeps one while the driver has another.
///
/// A sync makes durable every write to its file that had *completed* before the sync was submitted: a write still in
/// flight then has no promise, as with `fdatasync`.
#[derive(Clone, Debug)]
pub struct Simulated {
    clock: VirtualClock,
    device: Rc<RefCell<Device>>,
}

impl Simulated {
    /// A device that moves this clock.
    ///
    /// # Panics
    /// When the model has no channel or blocks of no bytes.
    pub fn new(clock: VirtualClock, model: DeviceModel) -> Self {
        assert!(model.channels > 0 && model.block_bytes > 0, "{model:?}: needs a channel and a block size");
        Self { clock, device: Rc::new(RefCell::new(Device::new(model))) }
    }

    /// Every operation submitted, by number.
    ///
    /// # Panics
    /// When what an earlier call returned is still held while the device is driven on.
    pub fn log(&self) -> Ref<'_, [Logged]> {
        Ref::map(self.device.borrow(), Device::log)
    }

    /// The power fails now: in flight is gone, cached is lost, and what is durable can be asked for. From here on the
    /// backend returns errors.
    pub fn power_cut(&self) -> Survivors {
        self.device.borrow_mut().power_cut()
    }
}

impl Backend for Simulated {
    type Op = BlockOp;

    fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
        let mut device = self.device.borrow_mut();
        for operation in operations {
            device.submit(operation, self.clock.now())?;
        }
        Ok(operations.len())
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        let mut device = self.device.borrow_mut();
        device.check_power(self.clock.now())?;
        let began_with = device.in_flight();
        let wanted = at_least.min(began_with);
        // Whatever comes first, time does not pass the power cut.
        let until = [deadline, device.power_cut_at()].into_iter().flatten().min();
        let mut delivered = 0;
        while let Some(ends) = device.next_end() {
            let is_over = ends <= self.clock.now();
            let may_wait = delivered < wanted && until.is_none_or(|until| ends <= until);
            if !is_over && !may_wait {
                break;
            }
            self.clock.advance_to(ends);
            out.push(device.complete_next());
            delivered += 1;
        }
        if began_with > 0 && delivered >= wanted {
            return Ok(());
        }
        match until {
            Some(until) => self.clock.advance_to(until),
            None if at_least == 0 => {}
            None => return Err(io::Error::new(io::ErrorKind::TimedOut, device.why_nothing_comes())),
        }
        // What completed before the power failed is delivered first; the error waits for the next call.
        if delivered > 0 { Ok(()) } else { device.check_power(self.clock.now()) }
    }

    fn system_calls(&self) -> u64 {
        0
    }
}
