//! How fast the program starts. Target: under 20 ms.

use std::error::Error;
use std::process::Command;
use std::time::Instant;

const SECONDS_MAX: f64 = 0.02;
const STARTS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let mut seconds: Vec<f64> = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        Command::new(env!("CARGO_BIN_EXE_syncline")).arg("--version").output()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let median = seconds[STARTS / 2];
    println!("syncline --version: {:.1} ms, median of {STARTS}", median * 1e3);
    if median > SECONDS_MAX {
        println!("MISSED: at most {:.0} ms", SECONDS_MAX * 1e3);
    }
    Ok(())
}
