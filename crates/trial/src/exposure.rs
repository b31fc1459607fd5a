//! Acknowledged bytes that are not on the device, watched by another thread while entries are appended.
//!
//! Such a byte is in the process's own buffer, or in a page that is dirty or under writeback (`cachestat(2)`, summed
//! over the files). The sum is an upper bound of the user's bytes at risk, for three reasons:
//!
//! - Pages count whole, and a page under writeback may hold entries that wait for that very sync. For an arm that syncs
//!   every entry, the smallest measurable figure is therefore a page or two.
//! - A dirty page may hold only data that is durable elsewhere: an engine that has synced its log writes the same
//!   entries to its tables later, and those pages count too. Only the engine knows which pages they are.
//! - Pages hold more than entries: framing, indices, data that is rewritten. No more can be at risk than was
//!   acknowledged, so the sum is capped there. An arm at that cap has either everything at risk that it acknowledged,
//!   or too many pages to distinguish.
//!
//! If a trial takes turns, the watch looks only during its turns: between them the trial appends nothing.
//!
//! An engine that acknowledges from its own memory (class `none`) does not report how much of that it has written.
//! There the pages would be a lower bound of unknown quality, so its exposure is unsupported.

use crate::line::TurnChannel;
use model::mechanism::{Measured, PageCache};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use workload::append::{Exposure, Progress};

/// The minimum time between two looks.
const PERIOD: Duration = Duration::from_millis(4);
/// A look may take one part in this number of the time, however many files and pages there are.
const PERIOD_PER_LOOK: u32 = 50;
/// With fewer looks than this, the start and the end of the trial have too much weight in its mean.
const MEAN_LOOKS_MIN: u32 = 8;
/// The maximum wait for writeback after a sync.
const DRAIN_MAX: Duration = Duration::from_secs(30);
const NOT_KILLED: &str = "its data never outlives the process, so no kill was needed";

/// One thread's counters, in a cache line of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counters {
    acknowledged: AtomicU64,
    written_bytes: AtomicU64,
}

impl Counters {
    /// Where the workload publishes its counts.
    pub(crate) fn progress(&self) -> Progress<'_> {
        Progress { acknowledged: &self.acknowledged, written_bytes: &self.written_bytes }
    }
}

/// What was seen so far.
#[derive(Debug, Default)]
struct Seen {
    bytes_max: u64,
    /// At the last look; zero at the start, before any acknowledgement.
    bytes: u64,
    /// Bytes × seconds, as if the bytes had grown evenly between two looks (trapezoidal rule).
    integral: f64,
    seconds: f64,
    looks: u32,
    unsupported: Option<String>,
}

impl Seen {
    /// Adds a look at this time after the previous look or the start.
    fn add(&mut self, bytes: u64, seconds: f64) {
        self.bytes_max = self.bytes_max.max(bytes);
        self.integral += (self.bytes + bytes) as f64 / 2.0 * seconds;
        self.seconds += seconds;
        self.looks += 1;
        self.bytes = bytes;
    }

    /// Adds the first look of a turn: no time has been watched before it.
    fn begin(&mut self, bytes: u64) {
        self.bytes = bytes;
        self.add(bytes, 0.0);
    }

    fn bytes_max(&self) -> Measured<f64> {
        match &self.unsupported {
            Some(why) => Measured::unsupported(why),
            None => Measured::Value(self.bytes_max as f64),
        }
    }

    fn bytes_mean(&self) -> Measured<f64> {
        match &self.unsupported {
            Some(why) => Measured::unsupported(why),
            None if self.looks < MEAN_LOOKS_MIN || self.seconds <= 0.0 => Measured::unsupported(format!(
                "the trial was over after {} looks at its files, and a mean needs {MEAN_LOOKS_MIN}: take more entries",
                self.looks
            )),
            None => Measured::Value(self.integral / self.seconds),
        }
    }
}

/// Watches one run.
pub(crate) struct Watch<'a, P> {
    /// One for each thread.
    pub(crate) counters: &'a [Counters],
    /// Bytes of an entry.
    pub(crate) entry_bytes: u64,
    /// The pages of the files.
    pub(crate) pages: P,
    /// The reason why the pages do not show what is exposed, if they do not.
    pub(crate) hidden: Option<&'static str>,
    /// The turns, if the run takes some.
    pub(crate) line: Option<&'a TurnChannel>,
}

impl<P: Fn() -> Measured<PageCache> + Sync> Watch<'_, P> {
    /// Runs `measured` while another thread looks at the pages, then makes everything durable with `sync` and waits for
    /// it.
    pub(crate) fn over<T, E>(
        &self,
        measured: impl FnOnce() -> Result<T, E>,
        sync: impl FnOnce() -> Result<(), E>,
    ) -> Result<(T, Exposure), E> {
        let ended = AtomicBool::new(false);
        let (result, seen) = thread::scope(|scope| {
            let watcher = scope.spawn(|| self.look_until(&ended));
            let result = measured();
            ended.store(true, Ordering::Release);
            if let Some(line) = self.line {
                line.wake();
            }
            watcher.thread().unpark();
            let seen = watcher.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (result, seen)
        });
        let result = result?;
        let started = Instant::now();
        sync()?;
        let drain_s = self.drained(started);
        let exposure = Exposure {
            lost_after_kill: Measured::unsupported(NOT_KILLED),
            bytes_max: seen.bytes_max(),
            bytes_mean: seen.bytes_mean(),
            drain_s,
        };
        Ok((result, exposure))
    }

    /// Looks repeatedly, for the last time when the run has ended.
    fn look_until(&self, ended: &AtomicBool) -> Seen {
        let mut seen = Seen::default();
        let mut last = Instant::now();
        let mut last_turn = None;
        loop {
            let is_last = ended.load(Ordering::Acquire);
            let turn = self.line.and_then(TurnChannel::turn_under_way);
            if let (Some(line), None, false) = (self.line, turn, is_last) {
                line.wait_for_turn(|| ended.load(Ordering::Acquire));
                continue;
            }
            let began = Instant::now();
            match self.exposed_bytes() {
                Measured::Value(bytes) if turn == last_turn => {
                    seen.add(bytes, began.duration_since(last).as_secs_f64());
                }
                Measured::Value(bytes) => seen.begin(bytes),
                Measured::Unsupported { unsupported } => seen.unsupported = Some(unsupported),
            }
            last_turn = turn;
            if is_last || seen.unsupported.is_some() {
                return seen;
            }
            last = began;
            thread::park_timeout(PERIOD.max(began.elapsed() * PERIOD_PER_LOOK));
        }
    }

    fn exposed_bytes(&self) -> Measured<u64> {
        if let Some(why) = self.hidden {
            return Measured::unsupported(why);
        }
        let sum = |counter: fn(&Counters) -> &AtomicU64| -> u64 {
            self.counters.iter().map(|counters| counter(counters).load(Ordering::Acquire)).sum()
        };
        // Written before acknowledged, the reverse of the order in which they are published, so the buffered amount is
        // never too small.
        let written = sum(|counters| &counters.written_bytes);
        let acknowledged = sum(|counters| &counters.acknowledged) * self.entry_bytes;
        (self.pages)().map(|pages| {
            let buffered = acknowledged.saturating_sub(written);
            (buffered + pages.dirty_bytes + pages.writeback_bytes).min(acknowledged)
        })
    }

    /// Seconds until no page is dirty or under writeback.
    fn drained(&self, started: Instant) -> Measured<f64> {
        loop {
            match (self.pages)() {
                Measured::Value(pages) if pages.dirty_bytes + pages.writeback_bytes == 0 => {
                    return Measured::Value(started.elapsed().as_secs_f64());
                }
                Measured::Value(_) if started.elapsed() > DRAIN_MAX => {
                    return Measured::unsupported(format!(
                        "pages were still dirty {} s after the last entry",
                        DRAIN_MAX.as_secs()
                    ));
                }
                Measured::Value(_) => thread::sleep(PERIOD),
                Measured::Unsupported { unsupported } => return Measured::unsupported(unsupported),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean once used each look for the whole time before it, so for a short trial it was the maximum.
    #[test]
    fn the_mean_of_what_grows_evenly_is_half_of_it() {
        let mut seen = Seen::default();
        for look in 1..=10 {
            seen.add(look * 100, 0.004);
        }
        assert_eq!(seen.bytes_max(), Measured::Value(1000.0));
        let mean = *seen.bytes_mean().value().unwrap();
        assert!((mean - 500.0).abs() < 1e-6, "{mean}");
    }

    /// Between turns another trial is measured: a watch must neither count that time nor disturb it.
    #[test]
    fn between_two_turns_nobody_looks() {
        let line = TurnChannel::new(std::io::empty(), std::io::sink());
        let (counters, looks) = (Counters::default(), AtomicU64::new(0));
        let watch = Watch {
            counters: std::slice::from_ref(&counters),
            entry_bytes: 1,
            pages: || {
                looks.fetch_add(1, Ordering::Relaxed);
                Measured::Value(PageCache::default())
            },
            hidden: None,
            line: Some(&line),
        };
        // The time of the other trials, in which a watch that counted on would look ten times.
        let sleep = || {
            thread::sleep(10 * PERIOD);
            Ok::<(), ()>(())
        };
        watch.over(sleep, || Ok(())).unwrap();
        assert_eq!(looks.into_inner(), 2, "the last look, and one after the sync");
    }

    #[test]
    fn a_trial_that_is_over_after_a_look_or_two_has_no_mean() {
        let mut seen = Seen::default();
        seen.add(0, 0.0);
        seen.add(1000, 0.003);
        assert_eq!(seen.bytes_max(), Measured::Value(1000.0));
        let Measured::Unsupported { unsupported } = seen.bytes_mean() else { panic!("{seen:?}") };
        assert!(unsupported.starts_with("the trial was over after 2 looks"), "{unsupported}");
    }
}
