//! Counters of the user's server that formulas use.

use model::mechanism::Measured;
use model::units::format_bytes_approximate;
use serde::Serialize;

/// Counters of a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerCounters {
    /// `max_connections`.
    pub connections_max: u64,
    /// What it wrote to its write-ahead log.
    pub wal: Measured<WalVolume>,
}

/// Bytes of write-ahead log over a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WalVolume {
    pub bytes: u64,
    pub seconds: f64,
    pub period: Period,
}

/// Over which time a volume was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// Since the counters were reset.
    SinceReset,
    /// Between two reads of the counters.
    BetweenReads,
}

impl WalVolume {
    /// Bytes per second; 0 if no time has passed.
    pub(super) fn rate(self) -> f64 {
        if self.seconds > 0.0 { self.bytes as f64 / self.seconds } else { 0.0 }
    }

    /// `2.40 MiB/s (pg_stat_wal, 3.0 days since its reset)`.
    pub(super) fn text(self) -> String {
        let time = match self.seconds {
            seconds if seconds >= 2.0 * 86_400.0 => format!("{:.1} days", seconds / 86_400.0),
            seconds if seconds >= 7_200.0 => format!("{:.1} h", seconds / 3_600.0),
            seconds if seconds >= 120.0 => format!("{:.0} min", seconds / 60.0),
            seconds => format!("{seconds:.0} s"),
        };
        let period = match self.period {
            Period::SinceReset => format!("the mean of {time} since its reset"),
            Period::BetweenReads => format!("over {time} between two reads"),
        };
        format!("{}/s (pg_stat_wal, {period})", format_bytes_approximate(self.rate()))
    }
}
