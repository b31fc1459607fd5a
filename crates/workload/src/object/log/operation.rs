//! The operations of a log.

use super::super::levels::Step;
use model::Nanos;
use std::collections::BTreeMap;

/// One operation that succeeded when it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedOperation {
    /// When it began, since the first operation of the log.
    pub start: Nanos,
    /// When it was complete; its start if the log does not say.
    pub end: Nanos,
    pub step: Step,
    /// Equal for operations on the same object, or on the same folder if it is a list.
    pub key: u32,
    /// Byte offset of what was read.
    pub offset: u64,
    /// Bytes that were read or written, or the object's size for a stat.
    pub bytes: u64,
    /// Names that a list had.
    pub names: u32,
}

/// A log in the order in which its operations began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationLog {
    pub operations: Vec<LoggedOperation>,
    /// Objects that it names: keys are below this.
    pub keys: u32,
    /// What is not among the operations and why, with how often.
    pub left_out: BTreeMap<String, u64>,
}
