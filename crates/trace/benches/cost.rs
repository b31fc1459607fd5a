//! What tracing costs, in turns: commits a second of slices with a trace and without, by 1 thread and by 32; and of
//! traces without some of their events, which shows what those cost. And the device times of the trace, to be compared
//! with those of blktrace and btt: `cargo bench -p syncline-trace -- DIRECTORY`.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};
use trace::waterfall::Waterfall;
use trace::{Action, Device, EventKind, Limits, Trace, Tracer};

const BLOCK: [u8; 4096] = [7; 4096];
const SLICE: Duration = Duration::from_millis(100);
/// Each of two traced and two untraced slices, so that what comes first changes.
const ROUNDS: usize = 50;
/// The events that are left out by turns: of the calls, of the scheduler, of the block layer and the journal.
const WITHOUT: [&[&str]; 3] = [&["syscalls"], &["sched"], &["block", "jbd2"]];
/// Each of a slice without a trace, one with, and one for each of these.
const PART_ROUNDS: usize = 30;

fn main() {
    // Cargo itself passes options.
    let named = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let folder = named.unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").to_owned());
    let directory = tempfile::tempdir_in(folder).expect("made");
    for threads in [1, 32] {
        let file = File::create_new(directory.path().join(threads.to_string())).expect("made");
        file.write_all_at(&vec![7; threads * BLOCK.len()], 0).expect("written");
        file.sync_all().expect("synced");
        println!("Commits by {threads} threads");
        cost(&file, threads);
        parts(&file, threads);
    }
}

/// Commits a second of a slice with a trace, and the trace.
fn traced(file: &File, threads: usize, without: &'static [&'static str]) -> Option<(f64, Trace)> {
    match Tracer::start(Limits { without, ..Limits::default() }) {
        Ok(tracer) => Some((commits(file, threads), tracer.stop())),
        Err(error) => {
            println!("{error}");
            None
        }
    }
}

/// How fast commits are if some of the events are left out, as a share of the rate with all of them, and without any.
fn parts(file: &File, threads: usize) {
    let arms = 2 + WITHOUT.len();
    let mut logs = vec![Vec::new(); arms];
    let mut events = vec![0.0; arms];
    for round in 0..PART_ROUNDS {
        let mut rates = vec![0.0; arms];
        for arm in (0..arms).map(|arm| (arm + round) % arms) {
            let without = if arm < 2 { &[] } else { WITHOUT[arm - 2] };
            if arm == 0 {
                rates[arm] = commits(file, threads);
            } else if let Some((rate, trace)) = traced(file, threads, without) {
                rates[arm] = rate;
                events[arm] += trace.events.len() as f64 / (rate * SLICE.as_secs_f64()) / PART_ROUNDS as f64;
            } else {
                return;
            }
        }
        for (logs, rate) in logs.iter_mut().zip(&rates) {
            logs.push((rate / rates[0]).ln());
        }
    }
    for arm in 1..arms {
        let what =
            if arm == 1 { "everything".to_owned() } else { format!("no {}", WITHOUT[arm - 2].join(", ")) };
        let (mean, half) = interval(&logs[arm]);
        let [point, low, high] = [mean, mean - half, mean + half].map(f64::exp);
        println!("{what}: {point:.3} ({low:.3}-{high:.3}), {:.1} events a commit", events[arm]);
    }
}

fn cost(file: &File, threads: usize) {
    let (mut ratios, mut untraced) = (Vec::new(), 0.0);
    let mut devices = BTreeMap::new();
    let (mut events, mut lost, mut nanoseconds, mut commits_traced) = (0, 0, Vec::new(), 0.0);
    for round in 0..ROUNDS {
        let mut rates = [0.0; 2];
        for is_traced in [0, 1, 1, 0].map(|slice| (slice + round) % 2 == 1) {
            if is_traced {
                let Some((commits, trace)) = traced(file, threads, &[]) else { return };
                rates[1] += commits;
                commits_traced += commits * SLICE.as_secs_f64();
                events += trace.events.len();
                lost += trace.lost;
                device_times(&trace, &mut devices);
                nanoseconds.push(laid_out(&trace));
            } else {
                rates[0] += commits(file, threads);
            }
        }
        ratios.push((rates[1] / rates[0]).ln());
        untraced += rates[0] / 2.0 / ROUNDS as f64;
    }
    let (mean, half) = interval(&ratios);
    println!(
        "{untraced:.0} commits/s without a trace; with / without: {:.3} (95 % interval {:.3}-{:.3}, {ROUNDS} rounds)",
        mean.exp(),
        (mean - half).exp(),
        (mean + half).exp()
    );
    println!("{:.1} events a commit, {lost} lost", events as f64 / commits_traced);
    let mean_ns = nanoseconds.iter().sum::<f64>() / nanoseconds.len() as f64;
    println!("{mean_ns:.0} ns an event to lay the operations out");
    for (device, mut times) in devices {
        times.sort_unstable();
        let mean_us = times.iter().sum::<u64>() as f64 / times.len() as f64 / 1e3;
        let median_us = times[times.len() / 2] as f64 / 1e3;
        let (major, minor) = (device.major(), device.minor());
        println!(
            "device {major},{minor}: {} requests, {mean_us:.2} us, median {median_us:.2} us",
            times.len()
        );
    }
}

/// Commits a second of a slice. The calling thread is one of `threads`, each with a block of its own.
fn commits(file: &File, threads: usize) -> f64 {
    let started = Instant::now();
    let commit = |thread: usize| {
        let mut commits = 0;
        while started.elapsed() < SLICE {
            file.write_all_at(&BLOCK, (thread * BLOCK.len()) as u64).expect("written");
            file.sync_data().expect("synced");
            commits += 1;
        }
        commits
    };
    let commits: u32 = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || commit(thread))).collect();
        commit(0) + others.into_iter().map(|other| other.join().expect("ended")).sum::<u32>()
    });
    f64::from(commits) / started.elapsed().as_secs_f64()
}

/// From issue to completion of every request with blocks, as btt's D2C: nanoseconds.
fn device_times(trace: &Trace, times: &mut BTreeMap<Device, Vec<u64>>) {
    let mut issued = BTreeMap::new();
    for event in &trace.events {
        match event.kind {
            EventKind::Issued(blocks) if blocks.class.action != Action::Flush => {
                issued.insert((blocks.device, blocks.sector), event.time_ns);
            }
            EventKind::Completed(blocks) => {
                if let Some(from_ns) = issued.remove(&(blocks.device, blocks.sector)) {
                    times.entry(blocks.device).or_default().push(event.time_ns - from_ns);
                }
            }
            _ => {}
        }
    }
}

/// Nanoseconds for each event of laying the calling thread's operations out.
fn laid_out(trace: &Trace) -> f64 {
    let started = Instant::now();
    let waterfall = Waterfall::new(trace);
    let thread = trace.thread(rustix::thread::gettid().as_raw_nonzero().get() as u32);
    for call in waterfall.calls(thread) {
        std::hint::black_box(waterfall.operation(thread, call.from_ns, call.to_ns));
    }
    started.elapsed().as_nanos() as f64 / trace.events.len().max(1) as f64
}

/// Mean and half width of its 95 % interval, by the normal distribution.
fn interval(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, 1.96 * (variance / n).sqrt())
}
