//! Direct random reads of three depths that take turns, against fio at the same depths, interleaved: in each round fio
//! runs every depth, then the three trials of Syncline take turns, then fio runs every depth again.
//!
//! Target: IOPS and p50 within 5 % of fio's at each depth.

use model::trial::{TrialOutcome, TrialRecord};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

const DEPTHS: [u64; 3] = [1, 32, 128];
const ROUNDS: usize = 8;
const FILE_MIB: u64 = 256;
const RUNTIME_MS: u64 = 1000;
const TOLERANCE: f64 = 1.05;

/// What both programs report: completed reads a second, and the median time from submission to completion in
/// microseconds.
#[derive(Clone, Copy, Debug)]
struct Figures {
    iops: f64,
    p50_us: f64,
}

fn output_of(command: &mut Command) -> Result<String, Box<dyn Error>> {
    let output =
        command.output().map_err(|error| format!("cannot start {command:?}: {error}; run make tools"))?;
    // Exit code 3: measured, but an audit failed, as on a busy machine.
    if !output.status.success() && output.status.code() != Some(3) {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn fio(file: &Path, depth: u64) -> Result<Figures, Box<dyn Error>> {
    let text = output_of(Command::new("fio").args([
        "--name=reads",
        &format!("--filename={}", file.display()),
        "--ioengine=io_uring",
        "--fixedbufs=1",
        "--registerfiles=1",
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--norandommap",
        "--randrepeat=0",
        "--lat_percentiles=1",
        "--clat_percentiles=0",
        "--thread",
        &format!("--iodepth={depth}"),
        &format!("--size={FILE_MIB}m"),
        "--time_based",
        &format!("--runtime={RUNTIME_MS}ms"),
        "--output-format=json",
    ]))?;
    let value: serde_json::Value =
        serde_json::from_str(&text[text.find('{').ok_or("fio printed no JSON")?..])?;
    let read = &value["jobs"][0]["read"];
    let p50_ns = read["lat_ns"]["percentile"]["50.000000"].as_f64().ok_or("fio gives no percentiles")?;
    Ok(Figures { iops: read["iops"].as_f64().ok_or("fio gives no iops")?, p50_us: p50_ns / 1e3 })
}

/// One round of the three depths in turns, in the order of [`DEPTHS`].
fn syncline(directory: &Path, study: &Path, out: &Path) -> Result<Vec<Figures>, Box<dyn Error>> {
    let _ = fs::remove_dir_all(out);
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncline"));
    output_of(
        command.arg("run").arg(study).arg("--dir").arg(directory).arg("--out").arg(out).arg("--quiet"),
    )?;
    let mut figures = Vec::new();
    let lines = fs::read_to_string(out.join("trials.jsonl"))?;
    let records: Vec<TrialRecord> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    for configuration in 0..DEPTHS.len() {
        let is_it =
            |record: &&TrialRecord| record.key.configuration == configuration && !record.key.duplicate;
        let record = records.iter().find(is_it).ok_or("a depth has no record")?;
        if record.outcome != TrialOutcome::Ok || record.ensemble.is_empty() {
            return Err(format!("a trial failed or took no turns: {:?}", record.outcome).into());
        }
        let figure = |name: &str| record.figure(name).ok_or_else(|| format!("{name} is missing"));
        figures.push(Figures { iops: figure("iops")?, p50_us: figure("completion_latency_p50_us")? });
    }
    Ok(figures)
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

fn main() -> Result<(), Box<dyn Error>> {
    // Programs that this one starts inherit it: both read into 4 KiB pages, whatever the kernel's setting.
    disk::memory::forbid_huge_pages()?;
    let directory = tempfile::tempdir_in(".")?;
    let (file, out) = (directory.path().join("fio.dat"), directory.path().join("run"));
    let study = directory.path().join("reads.toml");
    let text = format!(
        "question = \"fio's reads\"\nworkload = \"device\"\nbaseline = {{ iodepth = \"1\" }}\n[factors]\niodepth = {DEPTHS:?}\n\
         [fixed]\nrw = \"randread\"\nmode = \"direct\"\nbs = \"4KiB\"\nsize = \"{FILE_MIB}MiB\"\nruntime = \"{RUNTIME_MS}ms\"\n\
         [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    );
    fs::write(&study, text)?;
    println!(
        "direct random reads of 4 KiB, {FILE_MIB} MiB file, {RUNTIME_MS} ms each, {ROUNDS} interleaved rounds"
    );
    // fio lays the file out on its first run.
    fio(&file, 1)?;
    let mut ratios = vec![(Vec::new(), Vec::new(), Vec::new()); DEPTHS.len()];
    for _ in 0..ROUNDS {
        let before: Vec<Figures> = DEPTHS.iter().map(|depth| fio(&file, *depth)).collect::<Result<_, _>>()?;
        let ours = syncline(directory.path(), &study, &out)?;
        let after: Vec<Figures> = DEPTHS.iter().map(|depth| fio(&file, *depth)).collect::<Result<_, _>>()?;
        for (depth, (iops, p50, itself)) in ratios.iter_mut().enumerate() {
            // Against the mean of the fio runs on both sides, so that a drift within the round cancels.
            iops.push(ours[depth].iops / (before[depth].iops * after[depth].iops).sqrt());
            p50.push(ours[depth].p50_us / (before[depth].p50_us * after[depth].p50_us).sqrt());
            itself.push(after[depth].iops / before[depth].iops);
        }
    }
    let mut missed = false;
    for (depth, (iops, p50, itself)) in DEPTHS.iter().zip(&ratios) {
        let (iops, p50) = (geometric_mean(iops), geometric_mean(p50));
        let is_within = [iops, p50].iter().all(|ratio| ratio.max(1.0 / ratio) <= TOLERANCE);
        missed |= !is_within;
        println!(
            "depth {depth}: syncline in turns ÷ fio  IOPS {iops:.3}, p50 {p50:.3} (within 5 %: {}); fio ÷ fio IOPS {:.3}",
            if is_within { "ok" } else { "MISSED" },
            geometric_mean(itself),
        );
    }
    if missed { Err("a target was missed".into()) } else { Ok(()) }
}
