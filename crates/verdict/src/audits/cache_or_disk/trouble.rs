//! What can be wrong with what a configuration measured, and what is said of it.

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
                "Direct reads took more than 10 % of their bytes from elsewhere than the device: O_DIRECT was not direct."
            }
            Self::NotCold => "Configurations that were asked to be cold measured mostly the page cache.",
            Self::StillInMemory => {
                "Most of what was written was still in memory when the clock stopped: these writes were measured into \
                 the page cache."
            }
            Self::Moving => {
                "A mixture of cache and disk was measured, and it moved: the figure depends on how long it ran."
            }
        }
    }

    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::NotDirect => {
                "Check which device is below the directory, and whether the file system does direct I/O without falling \
                 back to the page cache."
            }
            Self::NotCold => "Use a file well above memory, a shorter runtime, or direct reads.",
            Self::StillInMemory => "Set end_fsync = true.",
            Self::Moving => "Ask for cache = warm, or for a file that the cache cannot hold.",
        }
    }
}
