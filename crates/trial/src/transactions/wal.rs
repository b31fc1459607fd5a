//! Segments of the write-ahead log that are there before they are needed, as they are on a server that has been up for
//! some time.
//!
//! PostgreSQL takes a file of the right name as the next segment (`XLogFileInit`). Without this, an arm whose log grows
//! faster would have to make segments in its turns that another arm does not need.

use crate::refusal::Refusal;
use disk::work_directory::require_inside;
use postgresql::{Loaded, Session};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Segments beyond those.
const SEGMENTS_MORE: u64 = 2;
const WRITE_BYTES: usize = 1 << 20;

/// Makes the segments that the server fills with this number of bytes, after the one that it fills now.
pub(super) fn prefill(
    loaded: &Loaded,
    session: &mut Session,
    data: &Path,
    bytes: f64,
) -> Result<(), Refusal> {
    let doing = "read where the write-ahead log is";
    let current = session.text(doing, "SELECT pg_walfile_name(pg_current_wal_insert_lsn())")?;
    let query = "SELECT setting::bigint FROM pg_settings WHERE name = 'wal_segment_size'";
    let segment_bytes = session.figure(doing, query)?.unsigned_abs();
    let current = Segment::parse(&current)
        .ok_or_else(|| Refusal::Failed(format!("{current} is not the name of a segment")))?;
    let segments = (bytes / segment_bytes as f64).ceil() as u64 + SEGMENTS_MORE;
    for later in 1..=segments {
        let path = data.join("pg_wal").join(current.plus(later, segment_bytes).name());
        if !path.exists() {
            make(&path, segment_bytes)?;
            loaded.give_to_server(&path)?;
        }
    }
    Ok(())
}

/// Makes a segment of zeros. Complete or not there at all: the name is given last, because a server may look for it.
fn make(path: &Path, bytes: u64) -> Result<(), Refusal> {
    require_inside(path).map_err(Refusal::failed)?;
    let part = PathBuf::from(format!("{}.part", path.display()));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&part)?;
        let zeros = vec![0; WRITE_BYTES];
        let mut left = bytes;
        while left > 0 {
            let length = left.min(WRITE_BYTES as u64);
            file.write_all(&zeros[..length as usize])?;
            left -= length;
        }
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().map_err(|error| Refusal::Failed(format!("{}: cannot make the segment: {error}", path.display())))
}

/// A segment: its timeline, and its number from the beginning of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    timeline: u32,
    high: u32,
    low: u32,
}

impl Segment {
    /// Its name has three numbers of eight hexadecimal digits (`XLogFileName`).
    fn parse(name: &str) -> Option<Self> {
        let number = |place: usize| u32::from_str_radix(name.get(place..place + 8)?, 16).ok();
        (name.len() == 24).then_some(())?;
        Some(Self { timeline: number(0)?, high: number(8)?, low: number(16)? })
    }

    fn plus(self, segments: u64, segment_bytes: u64) -> Self {
        let of_high = (1_u64 << 32) / segment_bytes;
        let number = u64::from(self.high) * of_high + u64::from(self.low) + segments;
        Self { high: (number / of_high) as u32, low: (number % of_high) as u32, ..self }
    }

    fn name(self) -> String {
        let Self { timeline, high, low } = self;
        format!("{timeline:08X}{high:08X}{low:08X}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_named_as_postgresql_names_them() {
        let size = 16 << 20;
        let last = Segment::parse("0000000100000000000000FE").expect("is a name");
        assert_eq!(last.plus(1, size).name(), "0000000100000000000000FF");
        assert_eq!(last.plus(2, size).name(), "000000010000000100000000");
        let small = Segment::parse("000000010000000000000FFF").expect("is a name");
        assert_eq!(small.plus(1, 1 << 20).name(), "000000010000000100000000");
        assert_eq!(Segment::parse("00000001000000000000000"), None);
        assert_eq!(Segment::parse("00000002.history"), None);
    }
}
