//! The same group commit through fio and through Syncline, interleaved: one 4 KiB write and an fdatasync, over and
//! over, on a prefilled file. Prints ratios of sync latency, and what fio against itself shows in the same run.
//!
//! Target: p50 within 10 % of fio's; p99 within what fio against itself shows.

use model::trial::{TrialOutcome, TrialRecord};
use stats::noise::noise_floor;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 8;
const RUNTIME_S: u32 = 2;
const FILE_MIB: u32 = 256;
const P50_TOLERANCE: f64 = 1.10;

/// Sync latency in microseconds.
#[derive(Clone, Copy, Debug)]
struct Latency {
    p50: f64,
    p99: f64,
}

fn run(command: &mut Command) -> String {
    let output =
        command.output().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}; run make tools"));
    // Exit code 3: measured, but an audit failed, as on a busy machine.
    assert!(
        output.status.success() || output.status.code() == Some(3),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn fio(file: &Path, direct: bool) -> Latency {
    let json = run(Command::new("fio").args([
        "--name=commit",
        &format!("--filename={}", file.display()),
        "--ioengine=psync",
        "--rw=write",
        "--bs=4k",
        "--fdatasync=1",
        "--overwrite=1",
        &format!("--direct={}", u8::from(direct)),
        &format!("--size={FILE_MIB}m"),
        "--time_based",
        &format!("--runtime={RUNTIME_S}"),
        "--output-format=json",
    ]));
    let start = json.find('{').expect("fio prints JSON");
    let value: serde_json::Value = serde_json::from_str(&json[start..]).expect("fio prints JSON");
    let percentile = |name: &str| {
        let nanos = &value["jobs"][0]["sync"]["lat_ns"]["percentile"][name];
        nanos.as_f64().expect("fio reports sync latency percentiles") / 1e3
    };
    Latency { p50: percentile("50.000000"), p99: percentile("99.000000") }
}

fn syncline(directory: &Path, out: &Path, mode: &str) -> Latency {
    let _ = fs::remove_dir_all(out);
    let study = out.with_extension("toml");
    let text = format!(
        "question = \"fio's job\"\nworkload = \"commit\"\n[factors]\nmode = [\"{mode}\"]\n[fixed]\nioengine = \"psync\"\n\
         read_depth = 0\nrecord_size = \"4KiB\"\nwal_size = \"{FILE_MIB}MiB\"\nruntime = \"{RUNTIME_S}s\"\n\
         [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    );
    fs::write(&study, text).expect("write the study file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncline"));
    run(command.arg("run").arg(&study).arg("--dir").arg(directory).arg("--out").arg(out));
    let lines = fs::read_to_string(out.join("trials.jsonl")).expect("a run has records");
    let record: TrialRecord =
        serde_json::from_str(lines.lines().next().expect("one trial")).expect("a record");
    assert_eq!(record.outcome, TrialOutcome::Ok, "{record:?}");
    let figure = |name: &str| record.figure(name).expect("measured");
    Latency { p50: figure("sync_latency_p50_us"), p99: figure("sync_latency_p99_us") }
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

fn main() {
    // Programs that this one starts inherit it: both write from 4 KiB pages, whatever the kernel's setting.
    disk::memory::forbid_huge_pages().expect("the kernel forbids huge pages to who asks");
    let directory = tempfile::tempdir_in(".").expect("a directory on this disk");
    let file: PathBuf = directory.path().join("fio.dat");
    let out = directory.path().join("run");
    let mut ok = true;
    println!(
        "write 4 KiB + fdatasync, prefilled {FILE_MIB} MiB file, psync, {RUNTIME_S} s each, {ROUNDS} interleaved rounds"
    );
    for (mode, direct) in [("buffered", false), ("direct", true)] {
        // fio lays the file out on its first run; the first round of each is not counted.
        fio(&file, direct);
        syncline(directory.path(), &out, mode);
        let mut ours = (Vec::new(), Vec::new());
        let mut itself = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let first = fio(&file, direct);
            let mine = syncline(directory.path(), &out, mode);
            let second = fio(&file, direct);
            println!(
                "  {mode:8} round {round}: sync p50 {:6.1} {:6.1} {:6.1} µs, p99 {:6.0} {:6.0} {:6.0} µs (fio, syncline, fio)",
                first.p50, mine.p50, second.p50, first.p99, mine.p99, second.p99
            );
            // Against the mean of the fio runs on both sides, so that a drift within the round cancels.
            ours.0.push(mine.p50 / (first.p50 * second.p50).sqrt());
            ours.1.push(mine.p99 / (first.p99 * second.p99).sqrt());
            itself.0.push(second.p50 / first.p50);
            itself.1.push((first.p99, second.p99));
        }
        // What fio shows against itself: the outer bound of the interval of its second run ÷ its first.
        let margin = noise_floor(&itself.1, 0.95).map_or(P50_TOLERANCE, |floor| floor.ratio);
        let (p50, p99) = (geometric_mean(&ours.0), geometric_mean(&ours.1));
        let p50_ok = p50.max(1.0 / p50) <= P50_TOLERANCE;
        let p99_ok = p99.max(1.0 / p99) <= margin;
        ok &= p50_ok && p99_ok;
        println!(
            "{mode}: syncline ÷ fio  p50 {p50:.3} (within 10 %: {})  p99 {p99:.3} (fio against itself {margin:.3}×: {})",
            if p50_ok { "ok" } else { "MISSED" },
            if p99_ok { "ok" } else { "MISSED" },
        );
        let itself_p99: Vec<f64> = itself.1.iter().map(|(first, second)| second / first).collect();
        println!(
            "{mode}: fio ÷ fio       p50 {:.3}  p99 {:.3}",
            geometric_mean(&itself.0),
            geometric_mean(&itself_p99)
        );
    }
    assert!(ok, "a target was missed");
}
