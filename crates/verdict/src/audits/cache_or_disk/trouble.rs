//! What can be wrong with a configuration's measurement, and its wording.

use crate::verdict::Status;

/// What is wrong with a configuration, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    NotDirect,
    NotCold,
    StillInMemory,
    Moving,
}

impl Trouble {
    pub(super) fn status(self) -> Status {
        match self {
            Self::NotDirect | Self::NotCold => Status::Fail,
            Self::StillInMemory | Self::Moving => Status::Warn,
        }
    }

    pub(super) fn summary(self) -> &'static str {
        match self {
            Self::NotDirect => {
                "More than 10 % of the bytes of direct reads did not come from the device: O_DIRECT was not direct."
            }
            Self::NotCold => "Configurations with a cold cache measured mostly the page cache.",
            Self::StillInMemory => {
                "Most of the written data was still in memory when the clock stopped: these figures measure writes \
                 into the page cache."
            }
            Self::Moving => {
                "A mixture of cache and disk was measured, and it changed: the figure depends on the runtime."
            }
        }
    }

    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::NotDirect => {
                "Check which device is below the directory, and whether the file system does direct I/O without \
                 falling back to the page cache."
            }
            Self::NotCold => "Use a file well above memory, a shorter runtime, or direct reads.",
            Self::StillInMemory => "Set end_fsync = true.",
            Self::Moving => "Set cache = warm, or use a file that is larger than the cache.",
        }
    }
}
