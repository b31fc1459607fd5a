//! The cost of Syncline's pool: a pin of a page that is in it, alone and beside a second reader, for each policy; and a
//! scan of a cold file through it against the device workload's reads of the same file in the same mode.
//!
//! Targets: a hit under 40 ns; two readers of one pool at 0.75 of two readers who share nothing, at least (1.5 times
//! one where a second CPU doubles what is done); the scan at 0.95 of the device's bytes per second at least.

mod hits;
mod scan;

use std::error::Error;
use std::thread;

const HIT_NANOS_MAX: f64 = 40.0;
const SCALING_SHARE_MIN: f64 = 0.75;
const SCAN_SHARE_MIN: f64 = 0.95;

fn main() -> Result<(), Box<dyn Error>> {
    let mut missed = print_hits()?;
    println!();
    missed.extend(print_scans()?);
    for target in &missed {
        println!("MISSED {target}");
    }
    if missed.is_empty() { Ok(()) } else { Err(format!("{} targets missed", missed.len()).into()) }
}

/// Returns the targets that were missed.
fn print_hits() -> Result<Vec<String>, Box<dyn Error>> {
    let cpus = thread::available_parallelism()?.get();
    let mut missed = Vec::new();
    println!("two readers, in times of one: of one pool, and of a pool each (which share nothing)");
    println!(
        "{:<12} {:>10} {:>10} {:>12} {:>7} {:>7}",
        "policy", "hit", "one pool", "a pool each", "share", "turns"
    );
    for hits::Hits { policy, alone_nanos, beside } in hits::all()? {
        print!("{policy:<12} {alone_nanos:>7.1} ns ");
        if alone_nanos >= HIT_NANOS_MAX {
            missed.push(format!("{policy}: a hit takes {alone_nanos:.1} ns, at most {HIT_NANOS_MAX}"));
        }
        let Some(hits::Beside { turns, shared, apart, share }) = beside else {
            println!("not measured: two readers never had the CPUs to themselves");
            if cpus >= 2 {
                missed.push(format!("{policy}: two readers could not be measured"));
            }
            continue;
        };
        println!("{shared:>9.2}× {apart:>11.2}× {share:>7.2} {turns:>7}");
        if share < SCALING_SHARE_MIN {
            missed.push(format!(
                "{policy}: two readers of one pool are {share:.2} of two that share nothing, at least {SCALING_SHARE_MIN}"
            ));
        }
    }
    Ok(missed)
}

/// Returns the targets that were missed.
fn print_scans() -> Result<Vec<String>, Box<dyn Error>> {
    let mut missed = Vec::new();
    println!("cold scan, in parts of the device study's reads: median of turns and the middle half of them");
    println!("{:<26} {:>12} {:<26} {:>12} {:>6}", "", "device", "", "", "ratio");
    for scan::Scan { name, device_mib_per_s, ways } in scan::all()? {
        for scan::Measured { way, mib_per_s, ratio, quartiles: (low, high) } in ways {
            println!(
                "{name:<26} {device_mib_per_s:>6.0} MiB/s {:<26} {mib_per_s:>6.0} MiB/s {ratio:>6.3} ({low:.3}–{high:.3})",
                way.name()
            );
            if way == scan::Way::Ring && ratio < SCAN_SHARE_MIN {
                missed.push(format!(
                    "{name}: the pool reads {ratio:.3} of the device, at least {SCAN_SHARE_MIN}"
                ));
            }
        }
    }
    Ok(missed)
}

fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

fn quantile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}
