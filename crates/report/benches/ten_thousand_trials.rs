//! The cost of a report of ten thousand trials: reading, verdict and page, in its own process as in `syncline report`,
//! with few configurations and many rounds, and with many configurations. Also a verdict without drawings, as `syncline
//! compare` makes two of.
//!
//! Targets: under 2 s and 300 MiB.

#[path = "../tests/it/fixture/mod.rs"]
#[allow(dead_code, reason = "its verdict is for the tests")]
mod fixture;

use hdrhistogram::Histogram;
use lab::run_directory::RunFiles;
use model::run::Run;
use model::sidecar::Sidecar;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use verdict::Drawing;

const TRIALS: u32 = 10_000;
const SECONDS_MAX: f64 = 2.0;
const MEMORY_BYTES_MAX: u64 = 300 << 20;
const REPETITIONS: usize = 5;
/// Operations behind each histogram: a trial of half a second.
const OPERATIONS: u64 = 5_000;

/// The child's part: what `syncline report` does with a run, without printing.
fn report(directory: &Path) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let files = RunFiles::open(directory)?;
    let run = files.run()?;
    let read = start.elapsed();
    let verdict = verdict::analyse(&run, &|key| files.sidecar(key));
    let advice = advice::advise(&run, &verdict);
    let judged = start.elapsed();
    let page = report::html(&run, &verdict, &advice, &report::Repeat::default());
    let text = report::terminal(&run, &verdict, &advice, 100, false);
    let rendered = start.elapsed();
    let again = Instant::now();
    let judged_only = verdict::analyse_for(&run, &|key| files.sidecar(key), Drawing::Nothing);
    assert!(judged_only.studies.iter().all(|study| study.curves.is_empty()));
    let judged_only = again.elapsed();
    let curves: usize = verdict.studies.iter().map(|study| study.curves.len()).sum();
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kibibytes: u64 = peak.trim().trim_end_matches(" kB").parse()?;
    println!(
        "{} {} {} {} {} {curves} {} {}",
        read.as_secs_f64(),
        judged.saturating_sub(read).as_secs_f64(),
        rendered.saturating_sub(judged).as_secs_f64(),
        kibibytes << 10,
        run.records.len(),
        page.len() + text.len(),
        judged_only.as_secs_f64()
    );
    Ok(())
}

/// A run with this number of trials, whose histograms have a bulk and a tail.
fn make(directory: &Path, run: Run) -> Result<(), Box<dyn Error>> {
    let Run { plan, host, records, .. } = run;
    fs::create_dir(directory.join("sidecars"))?;
    serde_json::to_writer(File::create(directory.join("plan.json"))?, &plan)?;
    serde_json::to_writer(File::create(directory.join("host.json"))?, &host)?;
    let mut trials = BufWriter::new(File::create(directory.join("trials.jsonl"))?);
    let mut state = 1_u64;
    for record in &records {
        serde_json::to_writer(&mut trials, record)?;
        trials.write_all(b"\n")?;
        let mut sidecar = Sidecar { interval_s: 0.1, ..Sidecar::default() };
        for family in ["commit_latency", "sync_latency", "write_latency", "read_latency"] {
            let mut histogram = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3)?;
            for _ in 0..OPERATIONS {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let uniform = ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
                histogram.record((400_000.0 - 150_000.0 * uniform.ln()) as u64)?;
            }
            sidecar.insert(family, &histogram)?;
            sidecar.series.insert(family.to_owned(), vec![1000; 5]);
        }
        let path = directory.join("sidecars").join(record.key.sidecar_name());
        fs::write(path, serde_json::to_vec(&sidecar)?)?;
    }
    Ok(trials.flush()?)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    if let Some(directory) = arguments.next() {
        return report(Path::new(&directory));
    }
    // A warm-up round and the A/A arm are added to both.
    for (reads_per_commit, rounds) in
        [(vec![1, 4, 16, 64], TRIALS / 17), ((1..=50).collect(), TRIALS / 201 - 1)]
    {
        measure(fixture::run_of(rounds, &reads_per_commit))?;
    }
    Ok(())
}

/// Creates the run, reports it several times and prints medians.
fn measure(run: Run) -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let configurations: usize = run.plan.studies.iter().map(|study| study.configurations.len()).sum();
    make(directory.path(), run)?;
    let mut parts: Vec<Vec<f64>> = Vec::new();
    for _ in 0..REPETITIONS {
        let output = Command::new(std::env::current_exe()?).arg(directory.path()).output()?;
        let text = String::from_utf8(output.stdout)?;
        parts.push(text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?);
    }
    let of = |place: usize| median(parts.iter().map(|run| run[place]).collect());
    let total = median(parts.iter().map(|run| run[..3].iter().sum()).collect());
    let memory = of(3);
    println!(
        "report of {} trials, {configurations} configurations, {} curves: {total:.2} s (read {:.2}, verdict {:.2}, render {:.2}), \
         {:.0} MiB, page {:.1} MB; verdict without curves {:.2} s",
        of(4),
        of(5),
        of(0),
        of(1),
        of(2),
        memory / f64::from(1 << 20),
        of(6) / 1e6,
        of(7)
    );
    for (what, figure, most) in [
        ("seconds of a report", total, SECONDS_MAX),
        ("bytes of memory of a report", memory, MEMORY_BYTES_MAX as f64),
    ] {
        if figure > most {
            println!("MISSED: {what}: {figure} of at most {most}");
        }
    }
    Ok(())
}
