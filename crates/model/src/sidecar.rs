//! What is too large for a record: latency histograms and the time series of a trial.

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
}

/// A histogram that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SidecarError {
    /// Not base64.
    #[error("histogram is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// Not an HDR histogram.
    #[error("histogram is not HDR V2: {0}")]
    Format(String),
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
