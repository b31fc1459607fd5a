//! Whether direct I/O works where a trial's files are, probed once on every file system of a run. The probe creates and
//! removes a file, which the journal has to commit; before every trial that would be most of the time that a trial
//! waits.

use disk::files::{Alignment, AlignmentSource, direct_support};
use model::FileSystem;
use model::trial::TrialSpec;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The result, as it is stored in the work directory.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Found {
    Aligned { offset_bytes: u64, memory_bytes: u64, is_told: bool, writes_buffered: bool },
    Impossible { why: String },
}

/// The alignment that direct I/O needs in this directory of a trial's file system, or the reason why it does not work.
pub(super) fn support(
    spec: &TrialSpec,
    filesystem: FileSystem,
    directory: &Path,
) -> Result<Alignment, String> {
    let kept = spec.work_directory.join(format!("direct-{filesystem}"));
    let known = fs::read(&kept).ok().and_then(|text| serde_json::from_slice::<Found>(&text).ok());
    if let Some(found) = known {
        return found.into();
    }
    let found = Found::from(direct_support(directory));
    // If the result cannot be stored, or a kill tears it, the next trial probes again.
    let _ = serde_json::to_vec(&found).map(|text| fs::write(&kept, text));
    found.into()
}

impl From<Result<Alignment, String>> for Found {
    fn from(direct: Result<Alignment, String>) -> Self {
        match direct {
            Ok(Alignment { offset_bytes, memory_bytes, source, writes_buffered }) => {
                let is_told = source == AlignmentSource::Kernel;
                Self::Aligned { offset_bytes, memory_bytes, is_told, writes_buffered }
            }
            Err(why) => Self::Impossible { why },
        }
    }
}

impl From<Found> for Result<Alignment, String> {
    fn from(found: Found) -> Self {
        match found {
            Found::Aligned { offset_bytes, memory_bytes, is_told, writes_buffered } => {
                let source = if is_told { AlignmentSource::Kernel } else { AlignmentSource::BlockSize };
                Ok(Alignment { offset_bytes, memory_bytes, source, writes_buffered })
            }
            Found::Impossible { why } => Err(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_was_found() {
        let aligned = |source, writes_buffered| Alignment {
            offset_bytes: 512,
            memory_bytes: 4,
            source,
            writes_buffered,
        };
        for direct in [
            Ok(aligned(AlignmentSource::Kernel, true)),
            Ok(aligned(AlignmentSource::BlockSize, false)),
            Err("this file system is in memory".to_owned()),
        ] {
            let text = serde_json::to_vec(&Found::from(direct.clone())).unwrap();
            assert_eq!(Result::from(serde_json::from_slice::<Found>(&text).unwrap()), direct);
        }
    }
}
