//! Tracepoints that are not recorded, and what is not seen without each.

use serde::Serialize;
use trace::{Absence, Missing};

/// A tracepoint that is not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingTracepoint {
    /// Its folder and name below `events` of tracefs.
    pub tracepoint: String,
    pub reason: String,
    pub lost: Lost,
}

/// What is not seen without a tracepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// System calls.
    Calls,
    /// The requests of an `io_uring`.
    RingRequests,
    /// Syncs outside windows.
    Syncs,
    /// Processes that end before they can be looked up.
    ShortProcesses,
    /// That a process has ended: another one may get its number.
    Ends,
    /// Which time was spent on the file system's journal.
    Journal,
    /// Which program sent what another one waited for.
    Packets,
    /// What operations spent their time on.
    Times,
}

impl Lost {
    /// What a tracepoint is recorded for.
    fn without(tracepoint: &str) -> Self {
        match tracepoint.split_once('/') {
            Some(("io_uring", _)) => Self::RingRequests,
            Some(("jbd2", _)) => Self::Journal,
            Some(("net", _)) => Self::Packets,
            Some(("sched", "sched_process_fork")) => Self::ShortProcesses,
            Some(("sched", "sched_process_exit")) => Self::Ends,
            Some(("raw_syscalls", _)) => Self::Calls,
            Some(("ext4", _)) => Self::Syncs,
            Some(_) | None => Self::Times,
        }
    }

    /// As the end of a sentence.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Calls => "system calls are not counted",
            Self::RingRequests => "requests of an io_uring are not counted",
            Self::Syncs => "syncs of files on ext4 are recorded in windows, as other calls are",
            Self::ShortProcesses => "processes that end at once are not counted",
            Self::Ends => "a new process may be taken for one that has ended",
            Self::Packets => "time in which another program prepared an answer over the network is unknown",
            Self::Journal => "time for the journal counts as that of the file system",
            Self::Times => "what operations spend their time on is not known",
        }
    }
}

impl MissingTracepoint {
    /// What is not seen; `None` if that is nothing, because this kernel has no such file system.
    pub fn of(missing: &Missing) -> Option<Self> {
        let Missing { tracepoint, reason, .. } = missing;
        let is_of_file_system = tracepoint.starts_with("ext4/");
        let lost = Lost::without(tracepoint);
        let found = || Self { tracepoint: (*tracepoint).to_owned(), reason: reason.to_string(), lost };
        (!is_of_file_system || !matches!(reason, Absence::NotThere)).then(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::LostWithout;
    use trace::stream::FILE_TRACEPOINTS;

    #[test]
    fn a_file_system_that_the_kernel_lacks_is_no_loss() {
        let missing = |tracepoint, reason| {
            let missing = Missing { tracepoint, lost_without: LostWithout::Calls, reason };
            MissingTracepoint::of(&missing).map(|of| of.lost)
        };
        assert_eq!(missing("ext4/ext4_sync_file_exit", Absence::NotThere), None);
        let refused = || Absence::NoField { field: "ret" };
        assert_eq!(missing("ext4/ext4_sync_file_exit", refused()), Some(Lost::Syncs));
        assert_eq!(missing("io_uring/io_uring_complete", Absence::NotThere), Some(Lost::RingRequests));
        assert_eq!(missing("jbd2/jbd2_end_commit", Absence::NotThere), Some(Lost::Journal));
    }

    #[test]
    fn each_tracepoint_of_files_is_recorded_for_something_of_its_own() {
        let times = FILE_TRACEPOINTS.iter().filter(|of| Lost::without(of.path) == Lost::Times);
        assert_eq!(times.count(), 0);
    }
}
