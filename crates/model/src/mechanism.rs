//! Mechanism counters: what the kernel counted while a phase ran. They explain the metrics.

use serde::{Deserialize, Serialize};

/// A figure, or the reason why there is none. Unsupported is a value, never a zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Measured<T> {
    /// The figure.
    Value(T),
    /// Why there is none.
    Unsupported {
        /// A sentence.
        unsupported: String,
    },
}

impl<T> Measured<T> {
    /// No figure, with the reason.
    pub fn unsupported(why: impl Into<String>) -> Self {
        Self::Unsupported { unsupported: why.into() }
    }

    /// The figure, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unsupported { .. } => None,
        }
    }

    /// Why there is no figure.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Value(_) => None,
            Self::Unsupported { unsupported } => Some(unsupported),
        }
    }

    /// The figure transformed, the reason kept.
    pub fn map<U>(&self, transform: impl FnOnce(&T) -> U) -> Measured<U> {
        match self {
            Self::Value(value) => Measured::Value(transform(value)),
            Self::Unsupported { unsupported } => Measured::Unsupported { unsupported: unsupported.clone() },
        }
    }
}

impl<T, E: std::fmt::Display> From<Result<T, E>> for Measured<T> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(value) => Self::Value(value),
            Err(error) => Self::unsupported(error.to_string()),
        }
    }
}

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
    /// The server that was driven, where the subject is one: it is no part of the worker process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerCounters>,
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
    /// Read requests completed.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Write requests completed; a bare flush counts as one.
    pub writes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Discard requests completed.
    pub discards: u64,
    /// Flush requests completed; counted on the whole disk where the files are on a partition.
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
    /// Read system calls.
    pub read_calls: u64,
    /// Write system calls.
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
