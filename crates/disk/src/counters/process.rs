//! `getrusage(2)`: all threads of the process, the ended ones included, and its children. rustix has no getrusage.

use model::mechanism::ProcessCounters;

/// A block of `ru_oublock` has 512 bytes, whatever the device's block is.
const BLOCK_BYTES: u64 = 512;

/// Bytes that this process and the children that it has waited for have written to disks since it was born, also
/// through the page cache. Zero if the kernel does not count them (`CONFIG_TASK_IO_ACCOUNTING`).
pub fn written_bytes_with_children() -> u64 {
    let blocks = [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN].map(|whose| usage(whose).ru_oublock as u64);
    blocks.iter().sum::<u64>().saturating_mul(BLOCK_BYTES)
}

/// Memory of this process now; `None` if `/proc` does not show it.
pub fn resident_bytes() -> Option<u64> {
    let pages = procfs::process::Process::myself().ok()?.stat().ok()?.rss;
    Some(pages.saturating_mul(procfs::page_size()))
}

fn usage(whose: libc::c_int) -> libc::rusage {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to writable memory of the right type, which the kernel fills; getrusage(2) can only
    // fail for a bad pointer or a bad `who`, and all zeros, which then remain, are a valid `rusage` too.
    unsafe {
        libc::getrusage(whose, usage.as_mut_ptr());
        usage.assume_init()
    }
}

/// The process's counters since it was born; `resident_bytes_max` is a level.
pub fn counters() -> ProcessCounters {
    let usage = usage(libc::RUSAGE_SELF);
    ProcessCounters {
        user_s: seconds(usage.ru_utime),
        system_s: seconds(usage.ru_stime),
        minor_faults: usage.ru_minflt as u64,
        major_faults: usage.ru_majflt as u64,
        voluntary_context_switches: usage.ru_nvcsw as u64,
        involuntary_context_switches: usage.ru_nivcsw as u64,
        // Linux reports KiB (getrusage(2)).
        resident_bytes_max: usage.ru_maxrss as u64 * 1024,
    }
}

pub(super) fn delta(before: &ProcessCounters, after: &ProcessCounters) -> ProcessCounters {
    ProcessCounters {
        user_s: (after.user_s - before.user_s).max(0.0),
        system_s: (after.system_s - before.system_s).max(0.0),
        minor_faults: after.minor_faults.saturating_sub(before.minor_faults),
        major_faults: after.major_faults.saturating_sub(before.major_faults),
        voluntary_context_switches: after
            .voluntary_context_switches
            .saturating_sub(before.voluntary_context_switches),
        involuntary_context_switches: after
            .involuntary_context_switches
            .saturating_sub(before.involuntary_context_switches),
        resident_bytes_max: after.resident_bytes_max,
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}
