//! Whether something is allowed, and the machine's switch of `io_uring`.

use serde::Serialize;

/// Whether something is allowed, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Allowed(String),
    Denied(String),
    /// It cannot be seen from outside.
    Open(String),
}

/// The sysctl kernel.io_uring_disabled, which holds for the whole machine (Linux 6.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct IoUringSwitch {
    /// 0: for everybody, 1: for root and one group, 2: for nobody.
    pub disabled: u8,
    /// The group.
    pub group: Option<u32>,
}
