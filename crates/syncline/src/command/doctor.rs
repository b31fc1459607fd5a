//! `syncline doctor`: what about this machine and disk would distort a measurement, and what it means.

use crate::failure::Failure;
use disk::backend::BackendKind;
use disk::work_directory::WorkDirectory;
use model::host::{HostFacts, Placement};
use model::mechanism::Measured;
use model::units::format_bytes_approximate;
use postgresql::{Installation, RELEASE};
use std::fmt::{Display, Write as _};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// How much a fact matters for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// As it should be.
    Good,
    /// Worth knowing when reading the result.
    Note,
    /// Distorts or prevents measurements.
    Bad,
}

impl Sign {
    const fn mark(self) -> &'static str {
        match self {
            Self::Good => "ok  ",
            Self::Note => "note",
            Self::Bad => "BAD ",
        }
    }
}

/// One line of the check-up: what was found and what it means for the result.
struct Check {
    sign: Sign,
    fact: String,
    meaning: &'static str,
}

fn check(sign: Sign, fact: impl Into<String>, meaning: &'static str) -> Check {
    Check { sign, fact: fact.into(), meaning }
}

/// Looks, tells, changes nothing: its probe files are in a work directory of its own, which it removes.
pub(crate) fn run(directory: &Path) -> Result<ExitCode, Failure> {
    let work = WorkDirectory::create(directory).map_err(Failure::runtime)?;
    let placement = disk::placement::placement(work.path());
    let host = lab::host::facts();
    let space = disk::files::space_available(work.path()).map_err(Failure::runtime)?;
    let sections: [(&str, Vec<Check>); 4] = [
        ("disk", of_disk(&placement, space)),
        ("processors", of_processors(&host, &placement)),
        ("permissions", of_permissions(&host)),
        ("servers", vec![of_postgresql()]),
    ];
    work.remove().map_err(Failure::runtime)?;
    let mut text = format!("{} · {} · Linux {}\n", host.name, host.distribution, host.kernel);
    for (title, checks) in sections {
        let _ = writeln!(text, "\n{title}");
        for check in checks {
            let _ = writeln!(text, "  {} {}\n       {}", check.sign.mark(), check.fact, check.meaning);
        }
    }
    crate::print(&text)
}

fn told<T: Display>(measured: &Measured<T>) -> String {
    match measured {
        Measured::Value(value) => value.to_string(),
        Measured::Unsupported { unsupported } => format!("not told: {unsupported}"),
    }
}

fn of_disk(placement: &Placement, space_bytes: u64) -> Vec<Check> {
    const COMFORTABLE_BYTES: u64 = 4 << 30;
    let discards = placement.mount_options.split(',').any(|option| option == "discard");
    let journal = match placement.filesystem.as_str() {
        "ext4" | "xfs" | "jfs" => {
            "journals metadata: a commit that changes it (append, unwritten extents) flushes twice"
        }
        "btrfs" | "zfs" | "bcachefs" => {
            "copies on write: every overwrite allocates, so a prefilled log does not stay in place"
        }
        "tmpfs" | "ramfs" => "is memory, not a disk",
        _ => "its journal is not known to this program",
    };
    let in_memory = matches!(placement.filesystem.as_str(), "tmpfs" | "ramfs");
    let mut checks = vec![
        check(
            if in_memory { Sign::Bad } else { Sign::Note },
            format!("file system {} ({})", placement.filesystem, placement.mount_options),
            journal,
        ),
        check(
            Sign::Note,
            format!("device {}, {}", told(&placement.device), told(&placement.model)),
            "its counters are read from /proc/diskstats; other tenants of the device count too",
        ),
        write_cache(placement),
        scheduler(placement),
        match (&placement.direct_offset_alignment_bytes, &placement.direct_memory_alignment_bytes) {
            (Measured::Value(offset), Measured::Value(memory)) => check(
                Sign::Good,
                format!(
                    "O_DIRECT works: offsets and lengths in multiples of {offset} bytes, memory of {memory}"
                ),
                "record_size and page_size must be multiples of it in direct mode",
            ),
            (offset, _) => check(
                Sign::Bad,
                format!("no O_DIRECT: {}", told(offset)),
                "direct mode cannot be measured here",
            ),
        },
        check(
            if space_bytes >= COMFORTABLE_BYTES { Sign::Good } else { Sign::Note },
            format!("{} free", format_bytes_approximate(space_bytes as f64)),
            "the built-in studies need 1.5 to 4 GiB; what a run needs is checked before it starts",
        ),
    ];
    if discards {
        checks.push(check(Sign::Note, "mounted with discard", "unlinking becomes device discards: work files are unlinked at the end of a run, not between trials"));
    }
    checks
}

fn write_cache(placement: &Placement) -> Check {
    let fua = placement.fua.value().copied().unwrap_or(false);
    match placement.write_cache.value().map(String::as_str) {
        Some("write back") => check(
            Sign::Note,
            format!("volatile write cache, FUA {}", if fua { "supported" } else { "not supported" }),
            "an acknowledged commit survives power loss only if a flush reached the device: flushes are counted",
        ),
        Some("write through") => check(
            Sign::Note,
            "no volatile write cache, as the device tells it",
            "the kernel sends no flushes: a sync costs no more than its writes; behind a hypervisor this may be untrue",
        ),
        _ => check(
            Sign::Note,
            format!("write cache {}", told(&placement.write_cache)),
            "whether flushes are needed cannot be told",
        ),
    }
}

fn scheduler(placement: &Placement) -> Check {
    match placement.scheduler.value().map(String::as_str) {
        Some("none") => {
            check(Sign::Good, "I/O scheduler none", "requests reach the device in the order they were made")
        }
        Some(name) => check(
            Sign::Note,
            format!("I/O scheduler {name}"),
            "it reorders and merges: NVMe and virtual disks are usually measured with none",
        ),
        None => check(
            Sign::Note,
            format!("I/O scheduler {}", told(&placement.scheduler)),
            "it may reorder requests",
        ),
    }
}

fn of_processors(host: &HostFacts, placement: &Placement) -> Vec<Check> {
    let parameter = |name: &str| {
        host.kernel_command_line
            .split_whitespace()
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
            .map(str::to_owned)
    };
    let isolated = |name: &str, meaning| match parameter(name) {
        Some(cpus) => check(Sign::Good, format!("{name}={cpus}"), meaning),
        None => check(Sign::Note, format!("no {name}"), meaning),
    };
    let mut checks = vec![
        check(
            if host.cpus > 1 { Sign::Good } else { Sign::Note },
            format!("{} CPUs, {}", host.cpus, host.processor),
            "io_uring syncs run on kernel worker threads, which need a CPU of their own",
        ),
        isolated(
            "isolcpus",
            "with isolated CPUs, pin to one of them (--cpu): nothing else is scheduled there",
        ),
        isolated("nohz_full", "without it the timer tick interrupts the worker, which shows in tails"),
        match &host.governor {
            Measured::Value(name) if name == "performance" => {
                check(Sign::Good, "governor performance", "the clock does not move during a run")
            }
            Measured::Value(name) => check(
                Sign::Note,
                format!("governor {name}"),
                "the clock moves with the load: comparisons within a round hold, absolute times less so",
            ),
            Measured::Unsupported { unsupported } => {
                check(Sign::Note, unsupported.clone(), "clock changes cannot be seen from here")
            }
        },
        match host.virtualisation.as_str() {
            "none" => check(Sign::Good, "no hypervisor", "time is not stolen"),
            name => check(
                Sign::Note,
                format!("virtual machine: {name}"),
                "the hypervisor may steal time and absorb flushes; steal is recorded with every trial",
            ),
        },
    ];
    if let Some(device) = placement.device.value() {
        checks.push(interrupts(device));
    }
    checks
}

/// Where the device's interrupts arrive: its completions run there.
fn interrupts(device: &str) -> Check {
    let table = fs::read_to_string("/proc/interrupts").unwrap_or_default();
    let stem = device.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('n');
    let numbers: Vec<&str> = table
        .lines()
        .filter(|line| {
            line.contains(stem)
                || (device.starts_with("vd") && line.contains("virtio") && line.contains("req"))
        })
        .filter_map(|line| line.split(':').next().map(str::trim))
        .collect();
    let mut cpus: Vec<String> = numbers
        .iter()
        .filter_map(|number| fs::read_to_string(format!("/proc/irq/{number}/effective_affinity_list")).ok())
        .map(|cpus| cpus.trim().to_owned())
        .collect();
    cpus.sort();
    cpus.dedup();
    if cpus.is_empty() {
        check(
            Sign::Note,
            "interrupt affinity of the device is not told",
            "completions may interrupt the worker's CPU",
        )
    } else {
        check(
            Sign::Note,
            format!("{} interrupts of the device arrive at CPUs {}", numbers.len(), cpus.join(", ")),
            "a worker pinned to one of them pays for its completions there",
        )
    }
}

fn of_permissions(host: &HostFacts) -> Vec<Check> {
    let mut checks = vec![if host.root {
        check(Sign::Good, "root", "loop file systems, memory caps and SCHED_FIFO are available")
    } else {
        check(
            Sign::Note,
            "not root",
            "everything but loop file systems works; memory caps need a delegated control group",
        )
    }];
    checks.push(match BackendKind::Uring.supported() {
        Ok(()) => check(Sign::Good, "io_uring works", "ioengine = uring is available"),
        Err(why) => check(
            Sign::Bad,
            format!("no io_uring: {why}"),
            "only ioengine = psync without reads can be measured",
        ),
    });
    checks.push(match disk::cgroup::cap_method() {
        Ok(method) => {
            check(Sign::Good, format!("memory can be capped: {method:?}"), "memory_cap is available")
        }
        Err(error) => {
            check(Sign::Note, format!("memory cannot be capped: {error}"), "memory_cap is not available")
        }
    });
    checks.push(match fs::read_to_string("/proc/pressure/io") {
        Ok(_) => check(
            Sign::Good,
            "pressure stall information",
            "stalls by other tenants are recorded with every trial",
        ),
        Err(_) => {
            check(Sign::Note, "no pressure stall information", "stalls by other tenants cannot be told")
        }
    });
    checks
}

/// Looks into the cache only: what is not there yet is downloaded by the first run that needs it.
fn of_postgresql() -> Check {
    const MEANING: &str = "subject = postgres is measured with it, unless --pg-bin or --dsn name another one";
    match Installation::cached() {
        Ok(Some(found)) => {
            let from = found.programs().display();
            check(Sign::Good, format!("PostgreSQL {} in {from}", found.version()), MEANING)
        }
        Ok(None) if RELEASE.archive().is_some() => check(
            Sign::Note,
            format!("PostgreSQL {} is not downloaded yet", RELEASE.version),
            "the first run with subject = postgres does it (15 MB), or uses what --pg-bin or --dsn name",
        ),
        Ok(None) => check(
            Sign::Note,
            "no PostgreSQL to download for this architecture",
            "subject = postgres needs --pg-bin or --dsn",
        ),
        Err(error) => check(Sign::Bad, error.to_string(), "subject = postgres needs --pg-bin or --dsn"),
    }
}
