//! A point or a span on the driver's clock, in nanoseconds.

use std::ops::{Add, Sub};

/// Nanoseconds since the driver's clock began, or a span between two such points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The beginning of the clock.
    pub const ZERO: Self = Self(0);

    /// A span of whole milliseconds; the longest span if it has no room for them.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// A span of seconds; negative and non-finite input gives zero.
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds.max(0.0) * 1e9) as u64)
    }

    /// This span in seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// This span in microseconds.
    pub fn micros(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// `self - earlier`, or zero if the clock would run backwards.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.since(other)
    }
}

impl From<std::time::Duration> for Nanos {
    fn from(duration: std::time::Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for std::time::Duration {
    fn from(nanos: Nanos) -> Self {
        Self::from_nanos(nanos.0)
    }
}
