//! The processors, who else has them, and where the device's interrupts go.

use super::check::{Check, Sign, check};
use super::load::of_load;
use model::figure::count;
use model::host::{HostFacts, Placement};
use model::mechanism::Measured;
use std::fs;

pub(super) fn of_processors(host: &HostFacts, placement: &Placement) -> Vec<Check> {
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
        of_load(host.cpus),
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
            "interrupt affinity of the device is unknown",
            "completions may interrupt the worker's CPU",
        )
    } else {
        check(
            Sign::Note,
            format!("{} of the device: CPU {}", count(numbers.len(), "interrupt"), cpus.join(", ")),
            "a worker pinned to one of them pays for its completions there",
        )
    }
}
