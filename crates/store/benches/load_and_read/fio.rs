//! Cold gets of one thread beside fio, which reads blocks of the same file in no order at the same depth.

use crate::settings::Settings;
use crate::{Failure, key, load, mix};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use store::{BLOCK_BYTES, Store};

/// How long each side reads in each round.
const TURN: Duration = Duration::from_secs(3);

/// What one side did in one turn.
#[derive(Clone, Copy)]
struct Figures {
    reads_per_s: f64,
    p50_us: f64,
    p99_us: f64,
    /// Processor time of the thread that reads, user and system, for each read.
    processor_us: f64,
}

/// Loads and drains; then in turns fio and gets. Prints the figures of each turn, and the gets' figures by fio's.
pub(crate) fn compare(settings: &Settings, directory: &Path) -> Result<(), Failure> {
    let store = Store::open(directory, &settings.options)?;
    load(&store, settings)?;
    store.drain()?;
    println!("  {} runs, {} deep", store.statistics().runs, store.statistics().runs_deep);
    store.close()?;
    let file = largest_run(directory)?;
    let store = Store::open(directory, &settings.options)?;
    let mut pairs = Vec::new();
    for round in 0..settings.rounds {
        // The one that goes first changes from round to round.
        let pair = if round.is_multiple_of(2) {
            let fio = fio(&file, settings.options.reads.depth)?;
            (fio, gets(&store, settings.keys, round)?)
        } else {
            let gets = gets(&store, settings.keys, round)?;
            (fio(&file, settings.options.reads.depth)?, gets)
        };
        for (what, figures) in [("fio", pair.0), ("gets", pair.1)] {
            let Figures { reads_per_s, p50_us, p99_us, processor_us } = figures;
            println!(
                "{what:5} {reads_per_s:8.0} /s, p50 {p50_us:.0} us, p99 {p99_us:.0} us, processor time \
                 {processor_us:.2} us each"
            );
        }
        pairs.push(pair);
    }
    let ratio = |of: fn(&Figures) -> f64| move |(fio, gets): &(Figures, Figures)| of(gets) / of(fio);
    print("rate of gets / fio's", &pairs, ratio(|figures| figures.reads_per_s));
    print("p50 of gets / fio's", &pairs, ratio(|figures| figures.p50_us));
    print("p99 of gets / fio's", &pairs, ratio(|figures| figures.p99_us));
    print("processor time beyond fio's, us", &pairs, |(fio, gets)| gets.processor_us - fio.processor_us);
    Ok(())
}

/// Prints the median over the rounds, and the least and the greatest: an interval of this confidence for the median of
/// all rounds that there could be.
fn print(what: &str, pairs: &[(Figures, Figures)], of: impl Fn(&(Figures, Figures)) -> f64) {
    let mut values: Vec<f64> = pairs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    let (Some(least), Some(greatest)) = (values.first(), values.last()) else { return };
    let median = f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]);
    let confidence = 100.0 * (1.0 - 0.5_f64.powi(values.len() as i32 - 1));
    println!("{what}: {median:.3} ({confidence:.0} % interval {least:.3} to {greatest:.3})");
}

fn largest_run(directory: &Path) -> Result<PathBuf, Failure> {
    let mut runs = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "run") {
            runs.push((entry.metadata()?.len(), entry.path()));
        }
    }
    let (bytes, path) = runs.into_iter().max().ok_or("the store has no run")?;
    println!("  fio reads the largest run, {:.0} MB", bytes as f64 / 1e6);
    Ok(path)
}

/// fio with all that makes it fast, and with buffers as those of gets: registered, in small pages.
fn fio(file: &Path, depth: usize) -> Result<Figures, Failure> {
    let mut command = Command::new("fio");
    command.args(["--name=reads", "--readonly", "--rw=randread", "--direct=1", "--ioengine=io_uring"]);
    command.args(["--fixedbufs=1", "--registerfiles=1", "--mem=mmap", "--thread", "--time_based"]);
    command.args(["--norandommap", "--randrepeat=0", "--invalidate=0", "--output-format=json"]);
    command.args(["--lat_percentiles=1", "--clat_percentiles=0"]);
    command.arg(format!("--filename={}", file.display()));
    command.arg(format!("--bs={BLOCK_BYTES}"));
    command.arg(format!("--iodepth={depth}"));
    command.arg(format!("--runtime={}ms", TURN.as_millis()));
    let output = command.output().map_err(|error| format!("cannot start fio: {error}; run make tools"))?;
    if !output.status.success() {
        return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let printed: Value = serde_json::from_str(&text[text.find('{').ok_or("fio printed no JSON")?..])?;
    let job = &printed["jobs"][0];
    let number = |value: &Value| value.as_f64().ok_or("fio printed no such figure");
    let percentile = |name: &str| Ok::<_, Failure>(number(&job["read"]["lat_ns"]["percentile"][name])? / 1e3);
    let reads_per_s = number(&job["read"]["iops"])?;
    let processor = (number(&job["usr_cpu"])? + number(&job["sys_cpu"])?) / 100.0;
    Ok(Figures {
        reads_per_s,
        p50_us: percentile("50.000000")?,
        p99_us: percentile("99.000000")?,
        processor_us: processor * 1e6 / reads_per_s,
    })
}

/// Gets of loaded keys in no order, as many in flight as the store's options say.
fn gets(store: &Store, keys: u64, round: u64) -> Result<Figures, Failure> {
    let thread_time = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let before = store.statistics().counts.page_reads;
    let (began, processor) = (Instant::now(), thread_time());
    let (starts, mut latencies_us) = (RefCell::new(Vec::new()), Vec::new());
    let keys = (0..).map_while(|draw| {
        let now = began.elapsed();
        starts.borrow_mut().push(now);
        (now < TURN).then(|| key(mix(round << 40 | draw) % keys))
    });
    let mut missing = 0;
    store.get_each(keys, |place, value| {
        missing += u64::from(value.is_none());
        latencies_us.push(began.elapsed().saturating_sub(starts.borrow()[place]).as_secs_f64() * 1e6);
    })?;
    let (time_s, processor_s) =
        (began.elapsed().as_secs_f64(), thread_time().saturating_sub(processor).as_secs_f64());
    let page_reads = store.statistics().counts.page_reads - before;
    assert_eq!(missing, 0, "a loaded key is not there");
    let gets = latencies_us.len() as f64;
    assert!(page_reads as f64 >= gets, "{page_reads} reads of {gets} gets: they are not cold");
    latencies_us.sort_by(f64::total_cmp);
    let percentile = |part: f64| latencies_us[((latencies_us.len() - 1) as f64 * part) as usize];
    Ok(Figures {
        reads_per_s: gets / time_s,
        p50_us: percentile(0.5),
        p99_us: percentile(0.99),
        processor_us: processor_s * 1e6 / gets,
    })
}
