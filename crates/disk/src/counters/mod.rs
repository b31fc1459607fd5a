//! What the kernel counts: one file a source. Read before and after a phase, never inside the loop.

pub mod continuity;
pub mod cpu_frequency;
pub mod cpu_quota;
pub mod diskstats;
pub mod machine_cpu;
pub mod pressure;
pub mod process;
pub mod process_io;
pub mod run_queue;
pub mod temperature;

use crate::kernel::block_device::BlockDevice;
use continuity::Clocks;
use cpu_quota::GroupCounters;
use diskstats::DeviceSnapshot;
use machine_cpu::MachineCpu;
use model::mechanism::{
    Continuity, CpuContention, Measured, Mechanism, PageCache, Pressure, ProcessCounters, ProcessIo,
};

/// Every counter at one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    clocks: Clocks,
    device: Measured<DeviceSnapshot>,
    process: ProcessCounters,
    process_io: Measured<ProcessIo>,
    pressure: Measured<Pressure>,
    machine_cpu: Measured<MachineCpu>,
    quotas: Measured<Vec<GroupCounters>>,
    cpu_frequency_mhz: Measured<f64>,
    device_temperature_celsius: Measured<f64>,
}

/// What the caller collects where it happens, because a snapshot of the process cannot.
#[derive(Clone, Debug)]
pub struct Collected {
    /// Sum over the team's threads of the growth of [`run_queue::delay_of_this_thread_s`], seconds.
    pub run_queue_delay_s: Measured<f64>,
    /// The files' pages, summed ([`crate::page_cache::residency`]).
    pub page_cache: Measured<PageCache>,
    /// The longest gap of the driver's loop, seconds.
    pub longest_gap_s: Measured<f64>,
}

impl Collected {
    /// Counters of several turns, with what was collected over all of them.
    pub fn with(self, counted: Mechanism) -> Mechanism {
        Mechanism {
            run_queue_delay_s: self.run_queue_delay_s,
            page_cache: self.page_cache,
            continuity: Continuity { longest_gap_s: self.longest_gap_s, ..counted.continuity },
            ..counted
        }
    }
}

impl Snapshot {
    /// Reads every counter; `device` is the one below the files ([`BlockDevice::below`]).
    pub fn take(device: &Measured<BlockDevice>) -> Self {
        Self {
            clocks: Clocks::read(),
            device: and_then(device, DeviceSnapshot::take),
            process: process::counters(),
            process_io: process_io::counters(),
            pressure: pressure::totals(),
            machine_cpu: machine_cpu::totals(),
            quotas: cpu_quota::counters(),
            cpu_frequency_mhz: cpu_frequency::of_this_cpu_mhz(),
            device_temperature_celsius: and_then(device, temperature::celsius),
        }
    }

    /// What happened between this snapshot and a later one. Levels (frequency, temperature, the largest resident
    /// set) are the later one's.
    pub fn delta(&self, later: &Self, collected: Collected) -> Mechanism {
        let process = process::delta(&self.process, &later.process);
        let cpu_contention = CpuContention {
            others_user_s: both(&self.machine_cpu, &later.machine_cpu, |before, after| {
                (after.user_s - before.user_s - process.user_s).max(0.0)
            }),
            quota: both(&self.quotas, &later.quotas, |before, after| cpu_quota::delta(before, after)),
        };
        Mechanism {
            device: both(&self.device, &later.device, DeviceSnapshot::delta),
            process,
            process_io: both(&self.process_io, &later.process_io, process_io::delta),
            run_queue_delay_s: collected.run_queue_delay_s,
            pressure: both(&self.pressure, &later.pressure, pressure::delta),
            steal_s: both(&self.machine_cpu, &later.machine_cpu, |before, after| {
                (after.steal_s - before.steal_s).max(0.0)
            }),
            page_cache: collected.page_cache,
            cpu_frequency_mhz: later.cpu_frequency_mhz.clone(),
            device_temperature_celsius: later.device_temperature_celsius.clone(),
            continuity: self.clocks.until(&later.clocks, collected.longest_gap_s),
            cpu_contention,
            server: None,
        }
    }
}

fn and_then<T, U>(measured: &Measured<T>, then: impl FnOnce(&T) -> Measured<U>) -> Measured<U> {
    match measured {
        Measured::Value(value) => then(value),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    }
}

fn both<T, U>(before: &Measured<T>, after: &Measured<T>, delta: impl FnOnce(&T, &T) -> U) -> Measured<U> {
    and_then(before, |before| after.map(|after| delta(before, after)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn collected() -> Collected {
        Collected {
            run_queue_delay_s: Measured::Value(0.0),
            page_cache: Measured::Value(PageCache::default()),
            longest_gap_s: Measured::unsupported("nothing is driven"),
        }
    }

    #[test]
    fn a_file_system_without_a_device_keeps_the_reason() {
        let device = BlockDevice::below(Path::new("/proc"));
        let before = Snapshot::take(&device);
        let mechanism = before.delta(&Snapshot::take(&device), collected());
        assert_eq!(mechanism.device.reason(), device.reason());
        assert_eq!(mechanism.device_temperature_celsius.reason(), device.reason());
    }

    #[test]
    fn the_window_is_the_time_between_the_snapshots() {
        let device = BlockDevice::below(Path::new("/proc"));
        let before = Snapshot::take(&device);
        let continuity = before.delta(&Snapshot::take(&device), collected()).continuity;
        let window = continuity.window.value().expect("every Linux has both clocks");
        assert!(window.ended_s > window.began_s && window.began_s > 0.0, "{window:?}");
        assert_eq!(continuity.suspended_s, Measured::Value(0.0));
    }

    #[test]
    fn what_the_process_does_is_counted() {
        let device = BlockDevice::below(Path::new("/proc"));
        let before = Snapshot::take(&device);
        let memory = vec![1u8; 8 << 20];
        std::hint::black_box(&memory);
        for _ in 0..100 {
            std::thread::sleep(std::time::Duration::from_micros(10));
            std::hint::black_box(std::fs::read("/proc/self/stat").expect("readable"));
        }
        let mechanism = before.delta(&Snapshot::take(&device), collected());
        assert!(mechanism.process.minor_faults > 0);
        assert!(mechanism.process.voluntary_context_switches >= 100);
        assert!(mechanism.process.resident_bytes_max > 8 << 20);
        if let Some(io) = mechanism.process_io.value() {
            assert!(io.read_calls >= 100, "{io:?}");
        }
    }
}
