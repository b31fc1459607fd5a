//! What is known about a disk.

use page::{Badge, Tone};
use serde::Serialize;

/// What is known about a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskStatus {
    /// Two measurements prove it slow in at least one question.
    Slow,
    /// Its first measurement lies beyond a limit, and it is to be measured again.
    Suspect,
    /// It is not a suspect, and was not measured as the disks of its stratum were: trials failed, questions have no
    /// figures, or its latest run is not used.
    NotChecked,
    /// Its first measurement lies beyond a limit, and the second one does not prove it slow.
    NotConfirmed,
    /// It lies within the limits, as far as its intervals show.
    WithinLimits,
    /// No question about its stratum can be judged.
    NotAssessable,
}

impl DiskStatus {
    /// In a word or two.
    pub const fn badge(self) -> Badge {
        match self {
            Self::Slow => Badge::new(Tone::Bad, "proven slow"),
            Self::Suspect => Badge::new(Tone::Warn, "measure again"),
            Self::NotChecked => Badge::new(Tone::Warn, "not checked"),
            Self::NotConfirmed => Badge::new(Tone::Faint, "not confirmed"),
            Self::WithinLimits => Badge::new(Tone::Good, "within limits"),
            Self::NotAssessable => Badge::new(Tone::Faint, "not assessable"),
        }
    }

    /// What is known about this many disks, in a sentence about all of them.
    pub(crate) fn of_disks(self, disks: usize) -> String {
        match self {
            Self::Slow if disks == 0 => "No disk is proven slow".to_owned(),
            Self::Slow => model::figure::counted(disks, "disk is proven slow", "disks are proven slow"),
            Self::Suspect => format!("{disks} to be measured again"),
            Self::NotChecked => format!("{disks} not checked"),
            Self::NotConfirmed => format!("{disks} suspected once and not confirmed"),
            Self::WithinLimits => format!("{disks} within the limits"),
            Self::NotAssessable => format!("{disks} not assessable"),
        }
    }
}
