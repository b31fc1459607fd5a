//! The pool workload's metrics, computed from its phases, whichever subject ran them.

use super::parameters::Parameters;
use super::phase::Phase;
use crate::distribution::{Metrics, insert_latency, insert_unsupported};
use crate::evidence::ratio;
use driver::Recorder;
use model::mechanism::{Measured, Mechanism};
use model::metric::{STATISTICS, Statistic, statistic_name};
use model::turns::TurnsTaken;

const NOT_RUN: &str = "this phase was not run";
const NO_PAGE: &str = "the phase touched no page";
const NONE_WRITTEN: &str =
    "no page was dirty when the table was written back: the pool is smaller than the table";
const NONE_READ: &str = "no page was read";
const NOT_EACH: &str = "the subject times all pages of a statement together, not each";

/// What a phase did to the table's pages; without map pages if the subject can distinguish them.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Pages found in the pool.
    pub hit: Measured<u64>,
    /// Pages read into it.
    pub read: Measured<u64>,
    /// Pages written out of it.
    pub written: Measured<u64>,
    /// Pages that were replaced.
    pub evicted: Measured<u64>,
}

/// A phase that has ended.
#[derive(Debug)]
pub struct Run {
    pub phase: Phase,
    /// Wall time, seconds; if the phase takes turns, the sum of its windows.
    pub duration_s: f64,
    /// Operations completed in this time: pages accessed, or rows of statements if a subject counts nothing else.
    pub operations: u64,
    /// The turns that it took, if it did.
    pub turns: Option<TurnsTaken>,
    pub counts: Counts,
    /// Time spent reading pages into the pool, seconds.
    pub read_s: Measured<f64>,
    /// Time spent writing pages out of it, seconds.
    pub write_s: Measured<f64>,
    /// Page by page, if the subject times each page.
    pub recorder: Option<Recorder>,
    /// Mechanism counters over the phase.
    pub mechanism: Mechanism,
}

impl Run {
    /// The part of its operations that completed in its duration: all, unless it took turns.
    fn measured_share(&self) -> f64 {
        self.turns.as_ref().map_or(1.0, |turns| self.operations as f64 / turns.operations.max(1) as f64)
    }
}

/// What a trial measured, beside its parameters.
#[derive(Debug)]
pub struct PoolMeasurement<'a> {
    /// Its phases, each at most once.
    pub runs: &'a [Run],
    /// Time to change every page once after the fill and to commit that, seconds.
    pub change_s: Measured<f64>,
    /// Bytes of write-ahead log written meanwhile.
    pub wal_bytes: Measured<f64>,
    /// Full-page images in that log.
    pub full_page_images: Measured<f64>,
    /// Share of the table that was in the kernel's cache when the first pass began.
    pub cached_share: Measured<f64>,
    /// Pages that a pass needs beside the table's own.
    pub map_pages: Measured<f64>,
    /// Cost of one operation on the instrument alone, in nanoseconds.
    pub instrument_overhead_ns: Measured<f64>,
}

impl PoolMeasurement<'_> {
    fn run(&self, phase: Phase) -> Option<&Run> {
        self.runs.iter().find(|run| run.phase == phase)
    }

    fn in_phase(&self, phase: Phase, figure: impl FnOnce(&Run) -> Measured<f64>) -> Measured<f64> {
        self.run(phase).map_or_else(|| Measured::unsupported(NOT_RUN), figure)
    }
}

/// Every metric of the schema, by full name.
pub fn metrics(parameters: &Parameters, outcome: &PoolMeasurement<'_>) -> Metrics {
    let mut metrics = Metrics::new();
    for (phase, none) in [
        (Phase::WriteBack, NONE_WRITTEN),
        (Phase::FirstRead, NONE_READ),
        (Phase::SecondRead, "no page was found in the pool"),
    ] {
        for family in phase.families() {
            let recorder = outcome.run(phase).and_then(|run| run.recorder.as_ref());
            match recorder.map(|recorder| recorder.histogram(family)) {
                Some(Some(histogram)) if !histogram.is_empty() => {
                    insert_latency(&mut metrics, family, histogram);
                }
                Some(_) => insert_unsupported(&mut metrics, family, none),
                None => insert_unsupported(&mut metrics, family, NOT_EACH),
            }
        }
    }
    let per_page = |run: &Run| ratio(run.duration_s * 1e6, parameters.blocks as f64, NO_PAGE);
    let per_read = |run: &Run| {
        ratio(run.duration_s * 1e6, parameters.pass_pages() as f64 * run.measured_share(), NO_PAGE)
    };
    let page_write =
        outcome.in_phase(Phase::WriteBack, |run| each(&run.write_s, &run.counts.written, NONE_WRITTEN));
    let page_read = outcome.in_phase(Phase::FirstRead, |run| each(&run.read_s, &run.counts.read, NONE_READ));
    let median = |family: &str| {
        let index = STATISTICS.iter().position(|(_, statistic)| *statistic == Statistic::Quantile(0.5));
        index.and_then(|index| metrics.get(&statistic_name(family, index)).cloned())
    };
    let median_ratio = match (median("page_write_latency"), median("page_read_latency")) {
        (Some(write), Some(read)) => quotient(&write, &read),
        _ => Measured::unsupported(NOT_EACH),
    };
    let written = parameters.blocks as f64;
    let page_change = outcome.change_s.map(|seconds| seconds * 1e6 / written);
    let plain = [
        ("page_change_write_us", [&page_change, &page_write].into_iter().sum()),
        ("page_change_us", page_change),
        ("page_write_read_ratio", quotient(&page_write, &page_read)),
        ("page_write_read_ratio_p50", median_ratio),
        ("page_write_us", page_write),
        ("page_read_us", page_read),
        ("fill_us", outcome.in_phase(Phase::Fill, per_page)),
        ("first_read_us", outcome.in_phase(Phase::FirstRead, per_read)),
        ("second_read_us", outcome.in_phase(Phase::SecondRead, per_read)),
        ("second_read_hit_share", outcome.in_phase(Phase::SecondRead, hit_share)),
        (
            "second_read_evictions",
            outcome.in_phase(Phase::SecondRead, |run| run.counts.evicted.map(|n| *n as f64)),
        ),
        ("pass_cached_share_before", outcome.cached_share.clone()),
        ("pool_frames", Measured::Value(parameters.frames() as f64)),
        ("map_pages", outcome.map_pages.clone()),
        ("wal_bytes_per_page", outcome.wal_bytes.map(|bytes| bytes / written)),
        ("full_page_images_per_page", outcome.full_page_images.map(|images| images / written)),
        ("instrument_overhead_ns", outcome.instrument_overhead_ns.clone()),
    ];
    metrics.extend(plain.map(|(name, figure)| (name.to_owned(), figure)));
    metrics
}

/// Microseconds per page.
fn each(seconds: &Measured<f64>, pages: &Measured<u64>, none: &str) -> Measured<f64> {
    seconds.and_then(|seconds| pages.and_then(|pages| ratio(seconds * 1e6, *pages as f64, none)))
}

fn hit_share(run: &Run) -> Measured<f64> {
    let Run { counts, .. } = run;
    counts.hit.and_then(|hit| counts.read.and_then(|read| ratio(*hit as f64, (hit + read) as f64, NO_PAGE)))
}

fn quotient(above: &Measured<f64>, below: &Measured<f64>) -> Measured<f64> {
    above.and_then(|above| below.and_then(|below| ratio(*above, *below, "a page took no time")))
}
