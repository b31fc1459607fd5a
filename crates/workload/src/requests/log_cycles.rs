//! Whole cycles of a log that is made small, so that a trial of seconds writes all of it.
//!
//! InnoDB has to write the oldest changed pages before its log comes round to their records. A larger log lets a page
//! take more changes before it is written. That shows only if the pages stay in the buffer pool meanwhile, so the pool
//! holds the loaded rows here, and only after the log was filled once.

use model::Nanos;

/// Holds the loaded rows of a proof with their changes.
pub(super) const POOL: (&str, &str) = ("innodb_buffer_pool_size", "192M");
pub(super) const POOL_BYTES: u64 = 192 << 20;
/// The longest that filling the log may take.
pub(super) const LONGEST: Nanos = Nanos::from_millis(120_000);
const MIB: u64 = 1 << 20;

/// The setting of the size of a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogSize {
    pub(super) name: &'static str,
    /// Its default, bytes.
    pub(super) usual: u64,
    /// The smallest that the server takes, bytes.
    pub(super) minimum: u64,
}

impl LogSize {
    /// The default, divided.
    pub(super) fn small(self, scale: u32) -> String {
        self.divided(self.usual, scale)
    }

    /// A value, divided; `None` if it is not a size.
    pub(super) fn of(self, value: &str, scale: u32) -> Option<String> {
        Some(self.divided(bytes(value)?, scale))
    }

    /// In whole MiB, as both servers take it.
    fn divided(self, bytes: u64, scale: u32) -> String {
        let divided = bytes / u64::from(scale) / MIB * MIB;
        divided.max(self.minimum).to_string()
    }
}

/// `384M`, `402653184`.
fn bytes(value: &str) -> Option<u64> {
    let value = value.trim();
    let (number, factor) = match value.char_indices().last()? {
        (end, 'k' | 'K') => (&value[..end], 1 << 10),
        (end, 'm' | 'M') => (&value[..end], 1 << 20),
        (end, 'g' | 'G') => (&value[..end], 1 << 30),
        _ => (value, 1_u64),
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_log_are_divided_into_whole_mebibytes() {
        let size = LogSize { name: "innodb_log_file_size", usual: 96 << 20, minimum: 4 << 20 };
        assert_eq!(size.small(12), (8 << 20).to_string());
        for (value, divided) in
            [("384M", Some(32 << 20)), ("402653184", Some(32 << 20)), ("1g", Some(85 << 20))]
        {
            assert_eq!(size.of(value, 12), divided.map(|bytes: u64| bytes.to_string()), "{value}");
        }
        assert_eq!(size.of("10M", 12), Some((4 << 20).to_string()), "the smallest that the server takes");
        for wrong in ["", "large", "-1", "M", "99999999999999G"] {
            assert_eq!(size.of(wrong, 12), None, "{wrong}");
        }
    }
}
