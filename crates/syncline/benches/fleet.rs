//! What `syncline fleet` takes for a thousand hosts, from the runs of `syncline check` on each. Targets: 10 s and 500
//! MiB.
//!
//! The disk of this machine is checked once, for half a minute, and the run is multiplied: other names and times, and
//! figures that scatter around those measured. The sidecars are links to those of the first run, so they come from the
//! page cache.

#[path = "../tests/it/fleet/multiplied.rs"]
mod multiplied;

use multiplied::{Copy, Original};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const HOSTS: usize = 1000;
const SECONDS_MAX: f64 = 10.0;
const MIB_MAX: f64 = 500.0;
const SYNCLINE: &str = env!("CARGO_BIN_EXE_syncline");

fn main() -> Result<(), Box<dyn Error>> {
    // On the disk that cargo builds on: /tmp may be in memory.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let (run, fleet) = (directory.path().join("run"), directory.path().join("fleet"));
    Command::new(SYNCLINE)
        .args(["--quiet", "check", "--dir"])
        .arg(directory.path())
        .arg("--out")
        .arg(&run)
        .stdout(Stdio::null())
        .status()?;
    let bytes = bytes_of(&run)?;
    let original = Original::read(&run)?;
    for host in 0..HOSTS {
        let times = if host == 17 { 0.5 } else { 1.0 };
        let copy = Copy { host: &format!("node{host:04}"), day: 1, again: false, times, scatter: 0.05 };
        original.write(&fleet.join(format!("rank-{host:04}")), &copy)?;
    }
    let start = Instant::now();
    let child = Command::new(SYNCLINE).arg("fleet").arg(&fleet).stdout(Stdio::null()).spawn()?;
    let resident_mib = peak_mib(child)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "syncline fleet, {HOSTS} runs of syncline check of {:.0} KiB each: {seconds:.1} s, {resident_mib:.0} MiB",
        bytes as f64 / 1024.0
    );
    if seconds > SECONDS_MAX || resident_mib > MIB_MAX {
        println!("MISSED: at most {SECONDS_MAX} s and {MIB_MAX} MiB");
    }
    Ok(())
}

/// What a host has to send: plan, machine, records and sidecars.
fn bytes_of(run: &Path) -> Result<u64, Box<dyn Error>> {
    let mut bytes = 0;
    for name in ["plan.json", "host.json", "trials.jsonl"] {
        bytes += fs::metadata(run.join(name))?.len();
    }
    for entry in fs::read_dir(run.join("sidecars"))? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// The most memory that a process has until it ends, from `VmHWM` of proc_pid_status(5), which only rises.
fn peak_mib(mut child: Child) -> Result<f64, Box<dyn Error>> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0.0_f64;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        peak_kib = peak_kib.max(kib.unwrap_or(0.0));
        thread::sleep(Duration::from_millis(5));
    }
    Ok(peak_kib / 1024.0)
}
