//! `checkpoint_timeout` and `max_wal_size` follow from the volume of the server's log, so that the time begins
//! checkpoints and not the volume.
//!
//! PostgreSQL begins a checkpoint after `max_wal_size ÷ (1 + checkpoint_completion_target)` of log
//! (`CalculateCheckpointSegments` in `xlog.c`).

use super::formula::{Formula, Found, Machine, Missing};
use super::server::{ServerCounters, WalVolume};
use super::size;
use crate::takes_effect::TakesEffect;
use model::mechanism::Measured;
use model::units::{GIB, format_bytes_approximate};

/// The timeouts that are considered, the longest first. The last is the default.
const TIMEOUTS_MIN: [u64; 3] = [15, 10, 5];
/// The log that a recovery may have to replay.
const REPLAY_BYTES_MAX: u64 = 16 * GIB;
/// The default since PostgreSQL 14.
const TARGET: f64 = 0.9;
/// What a peak may have above the mean rate.
const RESERVE: f64 = 1.5;
/// The default of `max_wal_size`.
const WAL_BYTES_MIN: u64 = GIB;

pub(super) const TIMEOUT: Formula = Formula {
    name: "checkpoint_timeout",
    found: timeout,
    takes_effect: TakesEffect::Reload,
    manual: "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-CHECKPOINT-TIMEOUT",
    source: "the manual has no figure: longer means a longer recovery; 15 min and 16 GiB are Syncline's choice",
    requires: "a max_wal_size that lasts as long",
    risk: "recovery after a crash replays the log since the last checkpoint, so it takes longer",
    is_provable: false,
};

pub(super) const MAX_WAL_SIZE: Formula = Formula {
    name: "max_wal_size",
    found: wal_size,
    takes_effect: TakesEffect::Reload,
    manual: "https://www.postgresql.org/docs/18/wal-configuration.html",
    source: "the manual: a checkpoint is requested before the log exceeds it; a reserve of 1.5 for peaks is \
             Syncline's choice",
    requires: "this much room beside the data, and some to spare: it is a soft limit",
    risk: "a mean hides peaks, so checkpoints may still begin early",
    is_provable: true,
};

pub(super) const COMPLETION_TARGET: Formula = Formula {
    name: "checkpoint_completion_target",
    found: completion_target,
    takes_effect: TakesEffect::Reload,
    manual: "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-CHECKPOINT-COMPLETION-TARGET",
    source: "the manual does not recommend a smaller value",
    requires: "",
    risk: "none: the writes of a checkpoint are spread over most of the time to the next",
    is_provable: true,
};

fn wal(counters: Option<&ServerCounters>) -> Result<WalVolume, Missing> {
    match &counters.ok_or(Missing::Server)?.wal {
        Measured::Value(wal) => Ok(*wal),
        Measured::Unsupported { unsupported } => Err(Missing::WalVolume(unsupported.clone())),
    }
}

/// Minutes: the longest time whose log a recovery may replay.
fn timeout_min(rate: f64) -> u64 {
    let fits = |minutes: &u64| rate * *minutes as f64 * 60.0 <= REPLAY_BYTES_MAX as f64;
    let [.., default] = TIMEOUTS_MIN;
    TIMEOUTS_MIN.into_iter().find(fits).unwrap_or(default)
}

fn timeout(_: Machine, counters: Option<&ServerCounters>) -> Found {
    let wal = wal(counters)?;
    let minutes = timeout_min(wal.rate());
    let log = format_bytes_approximate(wal.rate() * minutes as f64 * 60.0);
    let formula = format!(
        "the longest of 15, 10 and 5 min in which at most 16.0 GiB of log come, or else 5 min: {} × {minutes} min = {log}",
        wal.text()
    );
    Ok((format!("{minutes}min"), formula))
}

fn wal_size(_: Machine, counters: Option<&ServerCounters>) -> Found {
    let wal = wal(counters)?;
    let minutes = timeout_min(wal.rate());
    let bytes = wal.rate() * minutes as f64 * 60.0 * (1.0 + TARGET) * RESERVE;
    let formula = format!(
        "{} × {minutes} min of checkpoint_timeout × (1 + {TARGET}) × {RESERVE} for peaks = {}, at least the default of 1GB",
        wal.text(),
        format_bytes_approximate(bytes)
    );
    Ok((size::rounded_up(bytes.max(WAL_BYTES_MIN as f64)), formula))
}

#[expect(clippy::unnecessary_wraps, reason = "every formula has this type")]
fn completion_target(_: Machine, _: Option<&ServerCounters>) -> Found {
    Ok((TARGET.to_string(), "the default since PostgreSQL 14: keep it".to_owned()))
}
