//! Estimates as JSON: an interval, or why there is none.

use serde::{Serialize, Serializer};
use stats::{Interval, NoInterval, Ratio};

/// An estimate as it is written.
#[derive(Serialize)]
#[serde(untagged)]
enum Estimate {
    Known { estimate: f64, low: f64, high: f64, level: f64, n: usize },
    Unknown { no_interval: String },
}

impl From<Result<&Interval, &NoInterval>> for Estimate {
    fn from(found: Result<&Interval, &NoInterval>) -> Self {
        match found {
            Ok(&Interval { estimate, low, high, level, n }) => Self::Known { estimate, low, high, level, n },
            Err(why) => Self::Unknown { no_interval: why.to_string() },
        }
    }
}

/// The knee as it is written.
#[derive(Serialize)]
#[serde(untagged)]
enum Knee<K> {
    Known(K),
    Unknown { no_interval: String },
}

pub(super) fn interval<S: Serializer>(
    found: &Result<Interval, NoInterval>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Estimate::from(found.as_ref()).serialize(serializer)
}

pub(super) fn ratio<S: Serializer>(
    found: &Result<Ratio, NoInterval>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Estimate::from(found.as_ref().map(|ratio| &ratio.interval)).serialize(serializer)
}

#[expect(clippy::ref_option, reason = "serde has it so")]
pub(super) fn knee<K: Serialize, S: Serializer>(
    found: &Option<Result<K, NoInterval>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let knee = found.as_ref().map(|found| match found {
        Ok(knee) => Knee::Known(knee),
        Err(why) => Knee::Unknown { no_interval: why.to_string() },
    });
    knee.serialize(serializer)
}
