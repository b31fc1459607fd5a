//! What the kernel counts: one file a source. Read before and after a phase, never inside the loop.

pub mod continuity;
pub mod cpu_frequency;
mod cpu_quota;
pub mod diskstats;
mod machine_cpu;
mod pressure;
pub mod process;
mod process_io;
pub mod process_tree;
pub mod run_queue;
pub mod temperature;
mod text;

use crate::kernel::block_device::BlockDevice;
use continuity::Clocks;
use cpu_quota::{Group, GroupCounters};
use diskstats::DeviceSnapshot;
use machine_cpu::MachineCpu;
use model::mechanism::{
    Continuity, CpuContention, Measured, Mechanism, PageCache, Pressure, ProcessCounters, ProcessIo,
};
use pressure::PressureFiles;
use text::CounterFile;

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
    /// Completes what was counted between snapshots ([`Snapshot::until`]), of one stretch of time or of several.
    pub fn with(self, counted: Mechanism, device: &Measured<BlockDevice>) -> Mechanism {
        // The machine's clocks tick a hundred times a second: a difference of two may be below zero.
        let positive = |seconds: &f64| seconds.max(0.0);
        Mechanism {
            run_queue_delay_s: self.run_queue_delay_s,
            page_cache: self.page_cache,
            steal_s: counted.steal_s.map(positive),
            cpu_frequency_mhz: cpu_frequency::of_this_cpu_mhz(),
            device_temperature_celsius: and_then(device, temperature::celsius),
            continuity: Continuity { longest_gap_s: self.longest_gap_s, ..counted.continuity },
            cpu_contention: CpuContention {
                others_user_s: counted.cpu_contention.others_user_s.map(positive),
                quota: counted.cpu_contention.quota,
            },
            ..counted
        }
    }
}

/// The files that the counters are in, found and opened once.
#[derive(Debug)]
pub struct Counters<'a> {
    device: &'a Measured<BlockDevice>,
    diskstats: CounterFile,
    process_io: CounterFile,
    pressure: PressureFiles,
    stat: CounterFile,
    groups: Measured<Vec<Group>>,
}

impl<'a> Counters<'a> {
    /// Finds them; `device` is the one below the files ([`BlockDevice::below`]).
    pub fn find(device: &'a Measured<BlockDevice>) -> Self {
        Self {
            device,
            diskstats: CounterFile::open(diskstats::PATH),
            process_io: CounterFile::open(process_io::PATH),
            pressure: PressureFiles::open(),
            stat: CounterFile::open(machine_cpu::PATH),
            groups: cpu_quota::groups(),
        }
    }

    pub fn read(&self) -> Snapshot {
        Snapshot {
            clocks: Clocks::read(),
            device: and_then(self.device, |device| DeviceSnapshot::of_device(device, &self.diskstats)),
            process: process::counters(),
            process_io: process_io::counters(&self.process_io),
            pressure: self.pressure.totals(),
            machine_cpu: machine_cpu::totals(&self.stat),
            quotas: self.groups.map(|groups| cpu_quota::counters(groups)),
        }
    }
}

impl Snapshot {
    /// Finds and reads every counter.
    pub fn take(device: &Measured<BlockDevice>) -> Self {
        Counters::find(device).read()
    }

    /// What happened between this snapshot and a later one.
    pub fn delta(&self, later: &Self, collected: Collected, device: &Measured<BlockDevice>) -> Mechanism {
        collected.with(self.until(later), device)
    }

    /// The same without what the caller collects and without levels, to be added up ([`Mechanism::and_later`]) and
    /// completed ([`Collected::with`]).
    pub fn until(&self, later: &Self) -> Mechanism {
        const LATER: &str = "collected at the end";
        let process = process::delta(&self.process, &later.process);
        let cpu_contention = CpuContention {
            others_user_s: both(&self.machine_cpu, &later.machine_cpu, |before, after| {
                after.user_s - before.user_s - process.user_s
            }),
            quota: both(&self.quotas, &later.quotas, |before, after| cpu_quota::delta(before, after)),
        };
        Mechanism {
            device: both(&self.device, &later.device, DeviceSnapshot::delta),
            process,
            process_io: both(&self.process_io, &later.process_io, process_io::delta),
            run_queue_delay_s: Measured::unsupported(LATER),
            pressure: both(&self.pressure, &later.pressure, pressure::delta),
            steal_s: both(&self.machine_cpu, &later.machine_cpu, |before, after| {
                after.steal_s - before.steal_s
            }),
            page_cache: Measured::unsupported(LATER),
            cpu_frequency_mhz: Measured::unsupported(LATER),
            device_temperature_celsius: Measured::unsupported(LATER),
            continuity: self.clocks.until(&later.clocks, Measured::unsupported(LATER)),
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
        let mechanism = before.delta(&Snapshot::take(&device), collected(), &device);
        assert_eq!(mechanism.device.reason(), device.reason());
        assert_eq!(mechanism.device_temperature_celsius.reason(), device.reason());
    }

    #[test]
    fn the_window_is_the_time_between_the_snapshots() {
        let device = BlockDevice::below(Path::new("/proc"));
        let before = Snapshot::take(&device);
        let continuity = before.delta(&Snapshot::take(&device), collected(), &device).continuity;
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
        // A sleep ends without a switch if its time is over before the thread lets go of the CPU.
        let switches = || {
            let status = std::fs::read_to_string("/proc/thread-self/status").expect("readable");
            let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            count.and_then(|count| count.trim().parse::<u64>().ok()).expect("a count")
        };
        let begun = switches();
        for reads in 0.. {
            if reads >= 100 && switches() >= begun + 100 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_micros(10));
            std::hint::black_box(std::fs::read("/proc/self/stat").expect("readable"));
        }
        let mechanism = before.delta(&Snapshot::take(&device), collected(), &device);
        assert!(mechanism.process.minor_faults > 0);
        assert!(mechanism.process.voluntary_context_switches >= 100);
        assert!(mechanism.process.resident_bytes_max > 8 << 20);
        if let Some(io) = mechanism.process_io.value() {
            assert!(io.read_calls >= 100, "{io:?}");
        }
    }
}
