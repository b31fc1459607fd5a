//! What the page cache held of a trial's data, and how much of the data read came from there.

use crate::observations::value;
use model::description::Hits;
use model::mechanism::Measured;
use model::trial::{FileFacts, Phase, TrialRecord};
use model::{Cache, Description};

/// Figures of a pass over the data: how much of it was cached when the pass began, the share of hits, and the bytes
/// read.
const CACHED_BEFORE: &str = "pass_cached_share_before";
const HIT_SHARE: &str = "pass_hit_share";
const READ_BYTES: &str = "pass_read_bytes";

/// One pass over data that a trial reads several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    /// The configured state of the page cache before it.
    pub(crate) asked: Cache,
    /// Share of its bytes that came from the page cache.
    pub(crate) hit_share: Option<f64>,
    /// Share of the data that was cached when it began, 0…1.
    pub(crate) cached_share_before: Option<f64>,
}

/// What the page cache held of a trial's data after the trial had read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cached {
    /// The data: `of the data file`.
    pub(crate) of: &'static str,
    pub(crate) bytes: f64,
    /// All of the data, cached or not.
    pub(crate) size_bytes: f64,
}

/// The facts of the data file.
pub(crate) fn data_file(record: &TrialRecord) -> Option<&FileFacts> {
    record.measurement.as_ref()?.files.iter().find(|file| file.role == "data")
}

/// Share of the bytes read that came from the page cache: 1 − bytes from the device ÷ bytes requested, below zero if
/// more was read ahead than used.
pub(crate) fn hit_share(record: &TrialRecord, description: &Description) -> Option<f64> {
    match description.figures.hits.as_ref()? {
        Hits::Fetched { metric, read_bytes } => {
            Some(1.0 - value(record, metric)? / (*read_bytes as f64)).filter(|share| share.is_finite())
        }
        Hits::Share { metric, reads, read_bytes } => {
            if record.metric(metric)?.reason().is_none() {
                return value(record, metric);
            }
            let phase = record.measurement.as_ref()?.phases.first()?;
            hit_share_of(phase, value(record, reads)? * phase.duration_s * *read_bytes as f64)
        }
        // Each pass has its own share.
        Hits::OfPasses => None,
    }
}

/// The passes of a trial that reads the same data several times; empty for other trials.
pub(crate) fn passes(record: &TrialRecord, description: &Description) -> Vec<Pass> {
    let Some(later) = description.cache_of_later_passes else { return Vec::new() };
    let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
    let of_pass = |(index, phase): (usize, &Phase)| Pass {
        asked: if index == 0 { description.cache } else { later },
        hit_share: match phase.metrics.get(HIT_SHARE).and_then(Measured::reason) {
            None => figure(phase, HIT_SHARE),
            Some(_) => figure(phase, READ_BYTES).and_then(|bytes| hit_share_of(phase, bytes)),
        },
        cached_share_before: figure(phase, CACHED_BEFORE),
    };
    // Every phase of a scan is a pass, whatever its record lacks; in other workloads the passes come after other
    // phases.
    let are_all = description.figures.hits == Some(Hits::OfPasses);
    let passes = phases.filter(|phase| are_all || phase.metrics.contains_key(CACHED_BEFORE));
    passes.enumerate().map(of_pass).collect()
}

/// What the page cache held of a trial's data at its end. The size of a store's files is the space that they take on
/// the disk.
pub(crate) fn cached_at_end(record: &TrialRecord, description: &Description) -> Option<Cached> {
    let cached = match &description.figures.store_cache {
        Some((size_per_byte, cached_bytes)) => Cached {
            of: "of the store's files",
            bytes: value(record, cached_bytes)?,
            size_bytes: value(record, size_per_byte)? * description.data_bytes? as f64,
        },
        None => {
            let data = data_file(record)?;
            let size_bytes = data.size_bytes as f64;
            Cached {
                of: "of the data file",
                bytes: data.cached_share_after.value()? * size_bytes,
                size_bytes,
            }
        }
    };
    (cached.bytes.is_finite() && cached.size_bytes > 0.0).then_some(cached)
}

/// 1 − bytes fetched from the device ÷ bytes requested in a phase; both over all of its turns, if it took turns. It is
/// below zero if more was read ahead than used; a metric then has no value, but an audit uses it.
fn hit_share_of(phase: &Phase, asked_bytes: f64) -> Option<f64> {
    let fetched = phase.mechanism.process_io.value()?.read_bytes as f64;
    Some(1.0 - fetched / phase.counted(asked_bytes)).filter(|share| share.is_finite())
}

fn figure(phase: &Phase, name: &str) -> Option<f64> {
    phase.metrics.get(name).and_then(Measured::value).copied().filter(|figure| figure.is_finite())
}
