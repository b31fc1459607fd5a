//! One operation on a buffer pool.

use crate::Operation;
use std::fmt;

/// The result of an operation that found its page in the pool, or found nothing to write.
pub const HIT: i32 = 0;

/// The result of an operation that read its page into the pool, or wrote it out of it.
pub const TRANSFERRED: i32 = 1;

/// What a [`PageOp`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageKind {
    /// Gives the page a frame without reading it, and fills it: it is dirty then.
    Create,
    /// Gives the page a frame without reading it, and leaves it clean: it displaces another page and costs no I/O.
    Displace,
    /// Finds the page in the pool or reads it into a frame, and looks at it.
    Read,
    /// As [`PageKind::Read`], and changes it: it is dirty then.
    Update,
    /// Writes the page to its place in the file if it is in the pool and dirty.
    WriteBack,
}

/// One operation on a page, as a workload emits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOp {
    /// Identity among the operations in flight: below the workload's `in_flight_max`, reused once completed.
    pub id: u32,
    pub kind: PageKind,
    /// The page: its place in the file, in pages.
    pub page: u32,
}

impl fmt::Display for PageOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            PageKind::Create => "creation",
            PageKind::Displace => "displacement",
            PageKind::Read => "read",
            PageKind::Update => "update",
            PageKind::WriteBack => "write-back",
        };
        write!(f, "{what} of page {}", self.page)
    }
}

impl Operation for PageOp {
    fn id(&self) -> u32 {
        self.id
    }

    fn expected_result(&self) -> i32 {
        TRANSFERRED
    }

    #[inline]
    fn is_success(&self, result: i32) -> bool {
        result == HIT || result == TRANSFERRED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_and_a_transfer_are_successes_and_an_error_is_none() {
        let operation = PageOp { id: 0, kind: PageKind::Read, page: 7 };
        assert!(operation.is_success(HIT) && operation.is_success(TRANSFERRED));
        assert!(!operation.is_success(-5) && !operation.is_success(2));
        assert_eq!(operation.to_string(), "read of page 7");
    }
}
