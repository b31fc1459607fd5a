//! Facts about the machine, read from `/proc` and `/sys`.

use model::host::HostFacts;
use model::mechanism::Measured;
use std::fs;
use std::path::Path;

/// Gathers what can be read; what cannot be read says so.
pub fn facts() -> HostFacts {
    let system = rustix::system::uname();
    let text = |c: &std::ffi::CStr| c.to_string_lossy().into_owned();
    HostFacts {
        name: text(system.nodename()),
        distribution: distribution(),
        kernel: text(system.release()),
        kernel_command_line: read("/proc/cmdline"),
        processor: field("/proc/cpuinfo", "model name"),
        cpus: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        memory_bytes: memory_bytes(&read("/proc/meminfo")).unwrap_or(0),
        virtualisation: virtualisation(),
        governor: governor(),
        clock_source: read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        dirty_settings: dirty_settings(),
        memory_settings: memory_settings(),
        root: rustix::process::geteuid().is_root(),
        databases: None,
    }
}

/// The time now, RFC 3339 in UTC, to the second.
pub fn now() -> String {
    jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_else(|_| jiff::Timestamp::now()).to_string()
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
}

/// Value of the first `name : value` line of a file.
fn field(path: &str, name: &str) -> String {
    field_of(&read(path), name)
}

fn field_of(text: &str, name: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

fn distribution() -> String {
    let text = read("/etc/os-release");
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map_or_else(|| "unknown".to_owned(), |name| name.trim_matches('"').to_owned())
}

/// From a line such as `MemTotal:   24001234 kB`.
fn memory_bytes(told: &str) -> Option<u64> {
    field_of(told, "MemTotal").split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

fn virtualisation() -> String {
    let vendor = read("/sys/class/dmi/id/sys_vendor");
    let product = read("/sys/class/dmi/id/product_name");
    let flags = field("/proc/cpuinfo", "flags");
    let hypervisor = flags.split_whitespace().any(|flag| flag == "hypervisor");
    match (hypervisor, vendor.is_empty() && product.is_empty()) {
        (false, _) => "none".to_owned(),
        (true, true) => "a hypervisor that does not name itself".to_owned(),
        (true, false) => format!("{vendor} {product}").trim().to_owned(),
    }
}

fn governor() -> Measured<String> {
    let path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    match fs::read_to_string(path) {
        Ok(name) => Measured::Value(name.trim().to_owned()),
        Err(_) => Measured::unsupported("this machine does not report its frequency governor"),
    }
}

fn dirty_settings() -> Vec<String> {
    let names =
        ["dirty_ratio", "dirty_background_ratio", "dirty_expire_centisecs", "dirty_writeback_centisecs"];
    names.iter().map(|name| format!("vm.{name}={}", read(format!("/proc/sys/vm/{name}")))).collect()
}

/// What a kernel does not have is left out.
fn memory_settings() -> Vec<String> {
    const HUGE: &str = "/sys/kernel/mm/transparent_hugepage";
    let chosen = |text: &str| text.split(['[', ']']).nth(1).unwrap_or(text).to_owned();
    let settings = [
        ("transparent_hugepage", chosen(&read(format!("{HUGE}/enabled")))),
        ("transparent_hugepage.defrag", chosen(&read(format!("{HUGE}/defrag")))),
        ("vm.nr_hugepages", read("/proc/sys/vm/nr_hugepages")),
    ];
    let known = settings.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| format!("{name}={value}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_tells_of_memory_is_read() {
        let told = "MemTotal:           2048 kB\nMemFree:         7212 kB\n";
        assert_eq!(memory_bytes(told), Some(2 << 20));
        assert_eq!(memory_bytes("MemTotal: much\n"), None);
        assert_eq!(memory_bytes(""), None);
    }
}
