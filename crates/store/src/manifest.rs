//! The names of the store's files, in one small file that a rename replaces.
//!
//! A line with the format and the checksum of the rest, then JSON.

use crate::checksum::checksum;
use crate::error::StoreError;
use crate::files::Files;
use crate::log::LogBegin;
use crate::storage::{Access, Durable};
use model::IoMode;
use serde::{Deserialize, Serialize};

pub(crate) const NAME: &str = "MANIFEST";
const NEXT_NAME: &str = "MANIFEST.next";
const MAGIC: &str = "syncline-store";
/// Version of the format of a store.
pub const FORMAT: u32 = 2;
/// The first version, whose manifests this one reads: they say nothing about the log.
const FORMAT_1: u32 = 1;

/// The files of the store, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// Smaller than the number of every file that is made from now on.
    pub(crate) next_number: u64,
    /// The first log segment that is needed.
    pub(crate) log_begin: u64,
    /// Whether that segment was there when this was written.
    #[serde(default)]
    pub(crate) has_log: bool,
    /// Every write up to this sequence number is in a run.
    pub(crate) flushed_sequence: u64,
    /// The runs of each partition by level: in level 0 the newest first, below in the order of their keys.
    pub(crate) partitions: Vec<Vec<Vec<u64>>>,
}

impl Manifest {
    /// A store that has nothing.
    pub(crate) fn empty(partitions: usize) -> Self {
        Self {
            next_number: 1,
            log_begin: 1,
            has_log: false,
            flushed_sequence: 0,
            partitions: vec![vec![Vec::new()]; partitions],
        }
    }

    /// Where the log begins.
    pub(crate) fn log(&self) -> LogBegin {
        LogBegin { segment: self.log_begin, is_there: self.has_log, flushed: self.flushed_sequence }
    }

    fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        let json = serde_json::to_vec(self)?;
        let mut out = format!("{MAGIC} {FORMAT} {:016x}\n", checksum(&json, 0)).into_bytes();
        out.extend(json);
        out.push(b'\n');
        Ok(out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, Wrong> {
        const BROKEN: Wrong = Wrong::Bytes("the manifest's first line cannot be decoded");
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or(BROKEN)?;
        let (line, json) = (&bytes[..end], &bytes[end + 1..]);
        let line = std::str::from_utf8(line).map_err(|_| BROKEN)?;
        let [magic, format, sum] = line.split(' ').collect::<Vec<_>>()[..] else { return Err(BROKEN) };
        let format = format.parse().map_err(|_| BROKEN)?;
        if magic != MAGIC {
            return Err(BROKEN);
        }
        if ![FORMAT_1, FORMAT].contains(&format) {
            return Err(Wrong::Format(format));
        }
        let json = json.strip_suffix(b"\n").ok_or(Wrong::Bytes("the manifest is cut off"))?;
        if sum != format!("{:016x}", checksum(json, 0)) {
            return Err(Wrong::Bytes("the manifest's checksum does not match"));
        }
        let manifest: Self =
            serde_json::from_slice(json).map_err(|_| Wrong::Bytes("the manifest cannot be decoded"))?;
        let has_levels = manifest.partitions.iter().all(|levels| !levels.is_empty());
        if manifest.partitions.is_empty() || !has_levels {
            return Err(Wrong::Bytes("the manifest has a partition without levels"));
        }
        Ok(manifest)
    }

    /// Reads the manifest; `None` if there is none.
    pub(crate) fn read(files: &Files) -> Result<Option<Self>, StoreError> {
        if !files.names()?.iter().any(|name| name == NAME) {
            return Ok(None);
        }
        let file = files.open(NAME, IoMode::Buffered, Access::Read)?;
        let mut bytes = vec![0; file.bytes()? as usize];
        file.read_at(&mut bytes, 0)?;
        Self::decode(&bytes).map(Some).map_err(|wrong| match wrong {
            Wrong::Bytes(what) => file.damaged(0, what),
            Wrong::Format(found) => StoreError::Format { path: file.path(), found, supported: FORMAT },
        })
    }

    /// Replaces the manifest. On return it survives power loss, as do all names in the directory.
    pub(crate) fn write(&self, files: &Files) -> Result<(), StoreError> {
        let bytes = self.encode().map_err(|error| StoreError::Io {
            operation: "encode",
            path: files.path(NAME),
            source: error.into(),
        })?;
        let file = files.create(NEXT_NAME, IoMode::Buffered)?;
        file.write_at(&bytes, 0, Durable::Later)?;
        file.sync()?;
        files.rename(NEXT_NAME, NAME)?;
        files.sync_names()
    }

    /// Whether a name is that of a manifest that was never completed.
    pub(crate) fn is_unfinished(name: &str) -> bool {
        name == NEXT_NAME
    }
}

/// Makes the checksum of a manifest match, if its first line has one.
pub(crate) fn repair(bytes: &mut [u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (line, json) = bytes.split_at_mut(end);
    let json = json[1..].strip_suffix(b"\n").unwrap_or(&json[1..]);
    let sum = format!("{:016x}", checksum(json, 0));
    if let Some(begin) = line.len().checked_sub(sum.len()) {
        line[begin..].copy_from_slice(sum.as_bytes());
    }
}

#[derive(Debug)]
enum Wrong {
    Bytes(&'static str),
    Format(u32),
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            next_number: 9,
            log_begin: 4,
            has_log: true,
            flushed_sequence: 77,
            partitions: vec![vec![vec![3, 2], vec![]], vec![vec![]]],
        }
    }

    #[test]
    fn a_manifest_is_read_back_and_every_flipped_bit_is_found() {
        let bytes = manifest().encode().unwrap();
        assert_eq!(Manifest::decode(&bytes).unwrap(), manifest());
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Manifest::decode(&flipped).is_err(), "bit {bit}");
        }
        for end in 0..bytes.len() {
            assert!(Manifest::decode(&bytes[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn the_first_format_is_read() {
        let json = r#"{"next_number":9,"log_begin":9,"flushed_sequence":4,"partitions":[[[7]]]}"#;
        let text = format!("{MAGIC} 1 {:016x}\n{json}\n", checksum(json.as_bytes(), 0));
        let found = Manifest::decode(text.as_bytes()).unwrap();
        assert_eq!((found.next_number, found.has_log), (9, false));
    }

    #[test]
    fn another_format_is_refused_by_its_number() {
        let bytes = manifest().encode().unwrap();
        let text = String::from_utf8(bytes).unwrap().replacen("store 2 ", "store 3 ", 1);
        assert!(matches!(Manifest::decode(text.as_bytes()), Err(Wrong::Format(3))));
    }
}
