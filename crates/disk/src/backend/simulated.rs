//! A simulated device in virtual time, with faults and power cuts.
//!
//! The same workload that runs on a ring runs on this, a thousand times faster than on any disk, and then the test asks
//! what a power cut would have left. Everything follows from [`DeviceModel::seed`].

mod cache;
mod device;
mod device_model;
mod random;

pub use cache::Survivors;
pub use device::Logged;
pub use device_model::{DeviceModel, Effect, Fault, ServiceTime, Trigger};

use device::Device;
use driver::{Backend, Clock, VirtualClock};
use model::{BlockOp, Completion, Nanos};
use std::cell::{Ref, RefCell};
use std::io;
use std::rc::Rc;

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

    /// The same device, shared: an operation takes this many times as long if it begins at this time.
    #[must_use]
    pub fn slowed(self, slowdown: impl Fn(Nanos) -> f64 + 'static) -> Self {
        self.device.borrow_mut().slow_down(Box::new(slowdown));
        self
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
