//! Cycles of checkpoints made small, so that a trial of seconds has whole ones.
//!
//! PostgreSQL begins a checkpoint when the log has grown by `max_wal_size / (1 + checkpoint_completion_target)` since
//! the last one (`CalculateCheckpointSegments`), and spreads its writes over the time in which the log grows further. A
//! server logs in its own turns only, so its cycles lie in its own turns too. With everything divided by 64, a log of 1
//! GB is one of 16 MB, and tables of 160 MB stand for 10 GB.

use model::Nanos;

/// Settings that are sizes of the log, each with PostgreSQL's default, MiB.
const SIZES_MIB: &[(&str, f64)] = &[("max_wal_size", 1024.0), ("min_wal_size", 80.0)];
/// The smallest size that PostgreSQL takes with segments of 1 MiB: two of them.
const SIZE_MIN_MIB: f64 = 2.0;
/// The longest that a cycle may take at [`SCALE_USUAL`]; longer in proportion if less is divided.
const LONGEST_S: f64 = 60.0;
const SCALE_USUAL: f64 = 64.0;

/// A size of the log divided by the scale; `None` if the setting is another one, or if its value is not a size.
pub(super) fn divided(name: &str, value: &str, scale: u32) -> Option<String> {
    let is_size = SIZES_MIB.iter().any(|(size, _)| *size == name);
    let mib = mebibytes(value).filter(|_| is_size && scale > 1)?;
    Some(shown(mib / f64::from(scale)))
}

/// What every server has: checkpoints that come by the growth of the log alone, at PostgreSQL's default sizes divided
/// by the scale, and no background writer, which would go on for minutes in the turns of others.
pub(super) fn settings(scale: u32) -> Vec<(&'static str, String)> {
    let sizes = SIZES_MIB.iter().map(|(name, mib)| (*name, shown(mib / f64::from(scale))));
    [("checkpoint_timeout", "1d"), ("checkpoint_warning", "0"), ("bgwriter_lru_maxpages", "0")]
        .into_iter()
        .map(|(name, value)| (name, value.to_owned()))
        .chain(sizes)
        .collect()
}

pub(super) fn longest(scale: u32) -> Nanos {
    Nanos::from_seconds(LONGEST_S * (SCALE_USUAL / f64::from(scale)).max(1.0))
}

/// The unit of both is 1 MB.
fn shown(mib: f64) -> String {
    format!("{:.0}MB", mib.ceil().max(SIZE_MIN_MIB))
}

/// The manual, "Setting Parameters": the units of a size are kB, MB, GB and TB; without one, it is in the setting's
/// own.
fn mebibytes(value: &str) -> Option<f64> {
    of_unit(value, 1.0)
}

/// A size of a setting whose own unit has this number of MiB.
pub(super) fn of_unit(value: &str, own_mib: f64) -> Option<f64> {
    let value = value.trim();
    let (number, unit) = value.split_at(value.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(value.len()));
    let mib = match unit {
        "" => own_mib,
        "kB" => 1.0 / 1024.0,
        "MB" => 1.0,
        "GB" => 1024.0,
        "TB" => 1_048_576.0,
        _ => return None,
    };
    number.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number * mib)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_log_are_divided_and_nothing_else() {
        let of = |name, value| divided(name, value, 64);
        assert_eq!(of("max_wal_size", "4GB").as_deref(), Some("64MB"));
        assert_eq!(of("max_wal_size", "4096").as_deref(), Some("64MB"));
        assert_eq!(of("max_wal_size", "100 MB").as_deref(), Some("2MB"));
        assert_eq!(of("min_wal_size", "1.5GB").as_deref(), Some("24MB"));
        assert_eq!(of("max_wal_size", "much"), None);
        assert_eq!(of("wal_buffers", "4GB"), None);
        assert_eq!(divided("max_wal_size", "4GB", 1), None);
        let sizes = settings(64);
        assert!(sizes.contains(&("max_wal_size", "16MB".to_owned())), "{sizes:?}");
        assert!(sizes.contains(&("min_wal_size", "2MB".to_owned())), "{sizes:?}");
        assert_eq!((longest(64), longest(1)), (Nanos::from_millis(60_000), Nanos::from_millis(3_840_000)));
    }
}
