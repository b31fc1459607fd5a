//! Mechanism counters: what the kernel counted while a phase ran. They explain the metrics.

pub use crate::measured::Measured;

use serde::{Deserialize, Serialize};

/// Deltas over one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mechanism {
    /// The block device below the files (`/proc/diskstats`).
    pub device: Measured<DeviceCounters>,
    /// The worker process (`getrusage`).
    pub process: ProcessCounters,
    /// The worker's I/O as the VFS and the block layer account it (`/proc/self/io`).
    pub process_io: Measured<ProcessIo>,
    /// Time the worker's threads were runnable but not running, in seconds (`/proc/thread-self/schedstat`).
    pub run_queue_delay_s: Measured<f64>,
    /// Pressure stall information of the whole machine (`/proc/pressure`).
    pub pressure: Measured<Pressure>,
    /// Time a hypervisor kept from this machine, in seconds summed over CPUs (`/proc/stat`).
    pub steal_s: Measured<f64>,
    /// The files' pages in the page cache when the phase ended (`cachestat`).
    pub page_cache: Measured<PageCache>,
    /// Clock of the worker's CPU at the end, in MHz.
    pub cpu_frequency_mhz: Measured<f64>,
    /// Composite temperature of the NVMe drive at the end, in degrees Celsius.
    pub device_temperature_celsius: Measured<f64>,
    /// Whether the worker and its machine ran all the time.
    #[serde(default)]
    pub continuity: Continuity,
    /// Other users of the CPUs.
    #[serde(default)]
    pub cpu_contention: CpuContention,
    /// The server that was driven, if the subject is one: it is not a part of the worker process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerCounters>,
}

impl Mechanism {
    /// Together with what was counted in a later turn of the same worker. Levels are the later turn's.
    #[must_use]
    pub fn and_later(self, later: Self) -> Self {
        let add = |a: &f64, b: &f64| a + b;
        let (contention, more) = (self.cpu_contention, later.cpu_contention);
        Self {
            device: self.device.zip(&later.device, DeviceCounters::plus),
            process: self.process.plus(&later.process),
            process_io: self.process_io.zip(&later.process_io, ProcessIo::plus),
            run_queue_delay_s: self.run_queue_delay_s.zip(&later.run_queue_delay_s, add),
            pressure: self.pressure.zip(&later.pressure, Pressure::plus),
            steal_s: self.steal_s.zip(&later.steal_s, add),
            continuity: Continuity {
                window: self
                    .continuity
                    .window
                    .zip(&later.continuity.window, |a, b| Window { began_s: a.began_s, ended_s: b.ended_s }),
                suspended_s: self.continuity.suspended_s.zip(&later.continuity.suspended_s, add),
                longest_gap_s: self
                    .continuity
                    .longest_gap_s
                    .zip(&later.continuity.longest_gap_s, |a: &f64, b| a.max(*b)),
            },
            cpu_contention: CpuContention {
                others_user_s: contention.others_user_s.zip(&more.others_user_s, add),
                quota: contention.quota.zip(&more.quota, QuotaCounters::plus),
            },
            ..later
        }
    }
}

impl DeviceCounters {
    fn plus(&self, more: &Self) -> Self {
        Self {
            reads: self.reads + more.reads,
            read_bytes: self.read_bytes + more.read_bytes,
            writes: self.writes + more.writes,
            written_bytes: self.written_bytes + more.written_bytes,
            discards: self.discards + more.discards,
            flushes: self.flushes.zip(&more.flushes, |a, b| a + b),
            busy_s: self.busy_s + more.busy_s,
            queue_s: self.queue_s + more.queue_s,
        }
    }
}

impl ProcessCounters {
    fn plus(&self, more: &Self) -> Self {
        Self {
            user_s: self.user_s + more.user_s,
            system_s: self.system_s + more.system_s,
            minor_faults: self.minor_faults + more.minor_faults,
            major_faults: self.major_faults + more.major_faults,
            voluntary_context_switches: self.voluntary_context_switches + more.voluntary_context_switches,
            involuntary_context_switches: self.involuntary_context_switches
                + more.involuntary_context_switches,
            resident_bytes_max: self.resident_bytes_max.max(more.resident_bytes_max),
        }
    }
}

impl ProcessIo {
    fn plus(&self, more: &Self) -> Self {
        Self {
            read_characters: self.read_characters + more.read_characters,
            written_characters: self.written_characters + more.written_characters,
            read_calls: self.read_calls + more.read_calls,
            write_calls: self.write_calls + more.write_calls,
            read_bytes: self.read_bytes + more.read_bytes,
            written_bytes: self.written_bytes + more.written_bytes,
        }
    }
}

impl Pressure {
    fn plus(&self, more: &Self) -> Self {
        Self {
            cpu_some_s: self.cpu_some_s + more.cpu_some_s,
            io_some_s: self.io_some_s + more.io_some_s,
            io_full_s: self.io_full_s + more.io_full_s,
            memory_some_s: self.memory_some_s + more.memory_some_s,
        }
    }
}

impl QuotaCounters {
    fn plus(&self, more: &Self) -> Self {
        Self {
            periods: self.periods + more.periods,
            throttled_periods: self.throttled_periods + more.throttled_periods,
            throttled_s: self.throttled_s + more.throttled_s,
        }
    }
}

/// Why a record of an earlier version lacks a figure.
const NOT_RECORDED: &str = "the version of Syncline that made this record did not count it";

/// A stretch of time on `CLOCK_MONOTONIC`, which all processes of a machine share: seconds since it was started,
/// suspended time left out (clock_gettime(2)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// When it began.
    pub began_s: f64,
    /// When it ended.
    pub ended_s: f64,
}

impl Window {
    /// Its length, seconds; zero if it ends before it begins.
    pub fn seconds(self) -> f64 {
        (self.ended_s - self.began_s).max(0.0)
    }

    /// The part that both share, seconds.
    pub fn overlap_s(self, other: Self) -> f64 {
        let (began_s, ended_s) = (self.began_s.max(other.began_s), self.ended_s.min(other.ended_s));
        Self { began_s, ended_s }.seconds()
    }
}

/// Whether time went by without holes: a worker that is stopped, a file system that is frozen and a machine that is
/// suspended leave wall time in which nothing was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Continuity {
    /// When the counters were read before and after.
    pub window: Measured<Window>,
    /// Time that the machine was suspended, seconds: growth of `CLOCK_BOOTTIME` beyond `CLOCK_MONOTONIC`.
    pub suspended_s: Measured<f64>,
    /// Longest time that one round of the driver's loop took beyond what it was to wait, seconds: of a thread for which
    /// no operation completed although some were in flight, or which did not run.
    pub longest_gap_s: Measured<f64>,
}

impl Default for Continuity {
    fn default() -> Self {
        Self {
            window: Measured::unsupported(NOT_RECORDED),
            suspended_s: Measured::unsupported(NOT_RECORDED),
            longest_gap_s: Measured::unsupported(NOT_RECORDED),
        }
    }
}

/// What else ran on the CPUs, and what kept the worker from them by rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuContention {
    /// CPU time in user mode of the whole machine without the worker's, seconds summed over CPUs (`/proc/stat`). Kernel
    /// threads have none, whatever they serve.
    pub others_user_s: Measured<f64>,
    /// What a CPU quota took from the worker's control groups.
    pub quota: Measured<QuotaCounters>,
}

impl Default for CpuContention {
    fn default() -> Self {
        Self {
            others_user_s: Measured::unsupported(NOT_RECORDED),
            quota: Measured::unsupported(NOT_RECORDED),
        }
    }
}

/// A control group's CPU quota at work (`cpu.stat`); for several nested groups, the one that took most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuotaCounters {
    /// Periods that began with the group at work.
    pub periods: u64,
    /// Those of them in which the group used its quota up and was kept from the CPUs.
    pub throttled_periods: u64,
    /// Time that it was kept from them, seconds summed over CPUs.
    pub throttled_s: f64,
}

/// What a server's processes cost together, by control groups of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerCounters {
    /// CPU time in user mode, seconds.
    pub user_s: Measured<f64>,
    /// CPU time in the kernel, seconds.
    pub system_s: Measured<f64>,
    /// Page faults that needed I/O.
    pub major_faults: Measured<u64>,
    /// Most memory at once, page cache included, bytes since the server was started (a level, not a delta).
    pub memory_bytes_max: Measured<u64>,
    /// Bytes fetched from devices.
    pub read_bytes: Measured<u64>,
    /// Bytes sent to devices.
    pub written_bytes: Measured<u64>,
}

/// What the device did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceCounters {
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Write requests completed; a bare flush counts as one.
    pub writes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    pub discards: u64,
    /// Flush requests completed; counted on the whole disk if the files are on a partition.
    pub flushes: Measured<u64>,
    /// Time with at least one request in flight, in seconds.
    pub busy_s: f64,
    /// Requests in flight integrated over time, in request-seconds: ÷ phase duration gives the queue depth.
    pub queue_s: f64,
}

/// What the process cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessCounters {
    /// CPU time in user mode, seconds.
    pub user_s: f64,
    /// CPU time in the kernel on the process's behalf, seconds.
    pub system_s: f64,
    /// Page faults served without I/O.
    pub minor_faults: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Times a thread gave up the CPU to wait.
    pub voluntary_context_switches: u64,
    /// Times a thread was preempted.
    pub involuntary_context_switches: u64,
    /// Largest resident set so far, bytes (a level, not a delta).
    pub resident_bytes_max: u64,
}

/// `/proc/self/io`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessIo {
    /// Bytes passed through read system calls.
    pub read_characters: u64,
    /// Bytes passed through write system calls.
    pub written_characters: u64,
    pub read_calls: u64,
    pub write_calls: u64,
    /// Bytes this process caused to be fetched from the device.
    pub read_bytes: u64,
    /// Bytes this process caused to be sent to the device.
    pub written_bytes: u64,
}

/// Time tasks were stalled, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pressure {
    /// Some task waited for a CPU.
    pub cpu_some_s: f64,
    /// Some task waited for I/O.
    pub io_some_s: f64,
    /// Every task waited for I/O.
    pub io_full_s: f64,
    /// Some task waited for memory.
    pub memory_some_s: f64,
}

/// Pages of the trial's files in the page cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageCache {
    /// Bytes cached.
    pub cached_bytes: u64,
    /// Bytes dirty.
    pub dirty_bytes: u64,
    /// Bytes under writeback.
    pub writeback_bytes: u64,
}
