//! One file per subcommand.

pub(crate) mod advise;
pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
#[cfg(feature = "survive")]
pub(crate) mod engine_server;
pub(crate) mod export;
pub(crate) mod fio;
pub(crate) mod fleet;
pub(crate) mod history;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod observe;
pub(crate) mod preflight;
pub(crate) mod prove;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod size;
pub(crate) mod studies;
#[cfg(feature = "survive")]
pub(crate) mod survive;
pub(crate) mod watch;
pub(crate) mod worker;
