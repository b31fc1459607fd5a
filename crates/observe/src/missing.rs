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
    /// This system call.
    Call,
    /// Which file a descriptor is after it was closed and opened again.
    Descriptors,
    /// Where in a file the operations are that have no place of their own.
    Places,
    /// The requests of an `io_uring`.
    RingRequests,
    /// Requests through `io_submit`, which are only counted.
    SubmittedRequests,
    /// Processes that end before they can be looked up.
    ShortProcesses,
    /// That a process has ended: another one may get its number.
    Ends,
    /// Which time was spent on the file system's journal.
    Journal,
    /// What operations spent their time on.
    Times,
}

impl Lost {
    /// What a tracepoint is recorded for.
    fn without(tracepoint: &str) -> Self {
        match tracepoint.split_once('/') {
            Some(("io_uring", _)) => Self::RingRequests,
            Some(("jbd2", _)) => Self::Journal,
            Some(("sched", "sched_process_fork")) => Self::ShortProcesses,
            Some(("sched", "sched_process_exit")) => Self::Ends,
            Some(("syscalls", call)) => match call.split('_').next_back() {
                Some("open" | "openat" | "close") => Self::Descriptors,
                Some("lseek") => Self::Places,
                Some("submit") => Self::SubmittedRequests,
                Some(_) | None => Self::Call,
            },
            Some(_) | None => Self::Times,
        }
    }

    /// As the end of a sentence.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Call => "this call is not counted",
            Self::Descriptors => "a descriptor may be taken for the file that it was before",
            Self::Places => "whether operations follow each other in a file is not known",
            Self::RingRequests => "requests of an io_uring are not counted",
            Self::SubmittedRequests => "requests through io_submit are not noticed",
            Self::ShortProcesses => "processes that end at once are not counted",
            Self::Ends => "a new process may be taken for one that has ended",
            Self::Journal => "time for the journal counts as that of the file system",
            Self::Times => "what operations spend their time on is not known",
        }
    }
}

impl MissingTracepoint {
    /// What is not seen; `None` if that is nothing, because this kernel has no such system call.
    pub fn of(missing: &Missing) -> Option<Self> {
        let Missing { tracepoint, reason, .. } = missing;
        let is_call = tracepoint.starts_with("syscalls/");
        let lost = Lost::without(tracepoint);
        let found = || Self { tracepoint: (*tracepoint).to_owned(), reason: reason.to_string(), lost };
        (!is_call || !matches!(reason, Absence::NotThere)).then(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::LostWithout;
    use trace::stream::FILE_TRACEPOINTS;

    #[test]
    fn a_call_that_the_kernel_lacks_is_no_loss() {
        let missing = |tracepoint, reason| {
            let missing = Missing { tracepoint, lost_without: LostWithout::Calls, reason };
            MissingTracepoint::of(&missing).map(|of| of.lost)
        };
        // arm64 has no open(2).
        assert_eq!(missing("syscalls/sys_exit_open", Absence::NotThere), None);
        let refused = || Absence::NoField { field: "ret" };
        assert_eq!(missing("syscalls/sys_exit_open", refused()), Some(Lost::Descriptors));
        assert_eq!(missing("syscalls/sys_enter_preadv2", refused()), Some(Lost::Call));
        assert_eq!(missing("io_uring/io_uring_complete", Absence::NotThere), Some(Lost::RingRequests));
        assert_eq!(missing("jbd2/jbd2_end_commit", Absence::NotThere), Some(Lost::Journal));
    }

    #[test]
    fn each_tracepoint_of_files_is_recorded_for_something_of_its_own() {
        let times = FILE_TRACEPOINTS.iter().filter(|of| Lost::without(of.path) == Lost::Times);
        assert_eq!(times.count(), 0);
    }
}
