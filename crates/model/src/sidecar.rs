//! What is too large for a record: latency histograms and the time series of a trial.

mod counts;
mod error;

pub use counts::Counts;
pub use error::SidecarError;

use crate::traced::Stamps;
use crate::turns::Slice;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Histograms and series of one trial, in a file of their own beside `trials.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sidecar {
    /// Latency histograms in nanoseconds by metric family: HDR V2, deflated, base64.
    pub histograms: BTreeMap<String, String>,
    /// Length of one interval of every series, seconds (0.1 unless the trial was long).
    pub interval_s: f64,
    /// Operations completed in each interval, by metric family.
    pub series: BTreeMap<String, Vec<u64>>,
    /// The turns of each phase that took turns, the pilot included.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slices: BTreeMap<String, Vec<Slice>>,
    /// When each operation of a traced trial was, by family; no other trial keeps them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stamps: Vec<Stamps>,
}

impl Sidecar {
    /// Adds a histogram of nanoseconds.
    pub fn insert(&mut self, family: &str, histogram: &Histogram<u64>) -> Result<(), SidecarError> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(histogram, &mut bytes)
            .map_err(|error| SidecarError::Format(error.to_string()))?;
        self.histograms.insert(family.to_owned(), STANDARD.encode(bytes));
        Ok(())
    }

    /// Takes over what another part of the same trial recorded, in the coarser of the two intervals, of which one is a
    /// multiple of the other: recorders only ever double theirs. What both have is the other's.
    pub fn absorb(&mut self, mut other: Self) {
        if self.series.is_empty() {
            self.interval_s = other.interval_s;
        }
        let interval_s = self.interval_s.max(other.interval_s);
        for part in [&mut *self, &mut other] {
            let merged = (interval_s / part.interval_s).round().max(1.0) as usize;
            for series in part.series.values_mut() {
                *series = series.chunks_exact(merged).map(|chunk| chunk.iter().sum()).collect();
            }
        }
        self.interval_s = interval_s;
        self.histograms.extend(other.histograms);
        self.series.extend(other.series);
        self.slices.extend(other.slices);
        self.stamps.extend(other.stamps);
    }

    /// The counters of a histogram that are not zero; `None` if this trial has none of that family. Reads what
    /// [`Self::histogram`] reads, without half a megabyte of zeros.
    pub fn counts(&self, family: &str) -> Result<Option<Counts>, SidecarError> {
        let Some(text) = self.histograms.get(family) else { return Ok(None) };
        counts::decode(&STANDARD.decode(text)?).map(Some)
    }

    /// Reads a histogram of nanoseconds; `None` if this trial has none of that family.
    pub fn histogram(&self, family: &str) -> Result<Option<Histogram<u64>>, SidecarError> {
        let Some(text) = self.histograms.get(family) else { return Ok(None) };
        let bytes = STANDARD.decode(text)?;
        Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map(Some)
            .map_err(|error| SidecarError::Format(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_trial_share_the_coarser_interval() {
        let part = |family: &str, interval_s: f64, counts: &[u64]| Sidecar {
            interval_s,
            series: BTreeMap::from([(family.to_owned(), counts.to_vec())]),
            ..Sidecar::default()
        };
        let mut whole = Sidecar::default();
        whole.absorb(part("load_latency", 0.2, &[7, 8]));
        whole.absorb(part("hit_latency", 0.1, &[1, 2, 3, 4, 5]));
        assert!((whole.interval_s - 0.2).abs() < 1e-9);
        assert_eq!(
            (&whole.series["load_latency"][..], &whole.series["hit_latency"][..]),
            (&[7, 8][..], &[3, 7][..])
        );
    }

    #[test]
    fn a_histogram_survives() {
        let mut histogram = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3).unwrap();
        histogram.record(48_000).unwrap();
        let mut sidecar = Sidecar::default();
        sidecar.insert("sync_latency", &histogram).unwrap();
        assert_eq!(sidecar.histogram("sync_latency").unwrap().unwrap(), histogram);
        assert!(sidecar.histogram("read_latency").unwrap().is_none());
        sidecar.histograms.insert("bad".to_owned(), "AAAA".to_owned());
        assert!(sidecar.histogram("bad").is_err());
    }
}
